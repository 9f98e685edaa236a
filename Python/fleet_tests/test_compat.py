"""compat= beside the tools themselves: their kernels' Gaussian, and their edges up to the outermost pixel.

Kernels that end near are a little narrower than their σ says, and not Gaussians at their ends: what is left between
them and the Gaussian that they come to is bounded for each.
"""
import contextlib

import albumentations
import cv2
import kornia
import numpy as np
import pytest
import scipy.ndimage
import skimage.filters
import torch

import frostglass

# PyPI's torchvision has operators of its own for CUDA alone, and names these when it is imported; blurs are
# torch's.
operators = torch.library.Library("torchvision", "FRAGMENT")
for operator in ("nms", "qnms"):
    with contextlib.suppress(RuntimeError):
        operators.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from torchvision.transforms.v2.functional import gaussian_blur  # noqa: E402

RANDOM = np.random.default_rng(15)
# Every frequency, up to the border.
NOISE = RANDOM.random((48, 64, 3)).astype("float32")
FIRST = torch.from_numpy(np.ascontiguousarray(NOISE.transpose(2, 0, 1)))
LEVEL = 1 / 255


def apart(theirs, ours):
    """The largest distance in levels of 255."""
    return abs(np.asarray(theirs, "float64") - ours).max() / LEVEL


@pytest.mark.parametrize("sigma", [0.8, 1.5, 3, 6])
@pytest.mark.parametrize("theirs, ours", [("reflect", "reflect"), ("mirror", "mirror"), ("nearest", "nearest"),
                                          ("wrap", "wrap"), ("grid-wrap", "grid-wrap"), ("grid-mirror", "grid-mirror")])
def test_scipys_modes_in_scipys_words(sigma, theirs, ours):
    wanted = scipy.ndimage.gaussian_filter(NOISE.astype("float64"), (sigma, sigma, 0), mode=theirs, truncate=6)
    assert apart(wanted, frostglass.blur(NOISE, (sigma, sigma, 0), compat="scipy", edge=ours)) < 1
    usual = scipy.ndimage.gaussian_filter(NOISE.astype("float64"), (sigma, 2 * sigma, 0), truncate=6)
    assert apart(usual, frostglass.blur(NOISE, (sigma, 2 * sigma), compat="scipy")) < 1


def test_scipys_volumes():
    volume = RANDOM.random((24, 32, 40)).astype("float32")
    wanted = scipy.ndimage.gaussian_filter(volume.astype("float64"), (1, 2, 3), truncate=6)
    assert apart(wanted, frostglass.blur(volume, (1, 2, 3), compat="scipy", layout="ZYX")) < 1.5


@pytest.mark.parametrize("sigma", [0.8, 1.5, 3, 6])
def test_scikit_images(sigma):
    wanted = skimage.filters.gaussian(NOISE.astype("float64"), sigma, channel_axis=-1, truncate=6)
    assert apart(wanted, frostglass.blur(NOISE, sigma, compat="skimage")) < 1


@pytest.mark.parametrize("sigma", [0.8, 1.5, 3, 6])
@pytest.mark.parametrize("border", [
    cv2.BORDER_REFLECT_101, cv2.BORDER_REFLECT, cv2.BORDER_REPLICATE])
def test_opencvs_borders_by_opencvs_constants(sigma, border):
    wanted = cv2.GaussianBlur(NOISE, (0, 0), sigma, borderType=border)
    assert apart(wanted, frostglass.blur(NOISE, sigma, compat="opencv", edge=border)) < 2
    if border == cv2.BORDER_DEFAULT:
        assert (frostglass.blur(NOISE, sigma, compat="opencv")
                == frostglass.blur(NOISE, sigma, compat="opencv", edge=border)).all()
        # Without it the outermost pixels would be far off.
        assert apart(wanted, frostglass.blur(NOISE, sigma, compat="opencv", edge="mirror")) > 3


@pytest.mark.parametrize("size, sigma", [(9, 1), (15, 2), (21, 3), (31, 4)])
def test_torchvisions_and_kornias_kernels(size, sigma):
    wanted = gaussian_blur(FIRST, size, [sigma, sigma]).numpy()
    ours = frostglass.blur(FIRST, (size, sigma), compat="torchvision", layout="CHW").numpy()
    assert apart(wanted, ours) < 2
    for border, edge in (("reflect", "reflect"), ("replicate", "replicate"), ("circular", "circular")):
        wanted = kornia.filters.gaussian_blur2d(FIRST[None], (size, size), (float(sigma),) * 2, border)[0].numpy()
        ours = frostglass.blur(FIRST, (size, sigma), compat="kornia", edge=edge, layout="CHW").numpy()
        assert apart(wanted, ours) < 2


@pytest.mark.parametrize("sigma", [1, 2, 3.5])
def test_albumentations(sigma):
    levels = (NOISE * 255).astype("uint8")
    blur = albumentations.GaussianBlur(blur_limit=0, sigma_limit=(sigma, sigma), p=1)
    wanted = albumentations.Compose([blur])(image=levels)["image"]
    ours = frostglass.blur(levels, sigma, compat="albumentations")
    assert abs(wanted.astype(int) - ours).max() <= 3


class OurNdimage:
    """scipy.ndimage with our Gaussian, for SciPy's own tests of theirs."""

    @staticmethod
    def gaussian_filter(image, sigma, output=None):
        is_array = isinstance(output, np.ndarray)
        made = frostglass.blur(image, sigma, compat="scipy", out=output if is_array else None)
        return made if output is None or is_array else made.astype(output)


@pytest.mark.parametrize("name", ["test_gauss01", "test_gauss02", "test_gauss03", "test_gauss04", "test_gauss06",
                                  "test_gauss_memory_overlap"])
def test_scipys_own_tests(monkeypatch, name):
    # Those of derivatives are left out, which are no blurs.
    from scipy._lib.array_api_compat import numpy as namespace
    from scipy.ndimage.tests import test_filters as theirs

    monkeypatch.setattr(theirs, "ndimage", OurNdimage)
    getattr(theirs.TestNdimageFilters(), name)(namespace)
