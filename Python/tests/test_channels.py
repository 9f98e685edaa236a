"""Results with other channels than their images, and images whose fourth channel says nothing."""
import numpy as np
import pytest
from PIL import Image

import frostglass

RANDOM = np.random.default_rng(7)


def noise(*shape, kind="uint8"):
    values = RANDOM.random(shape)
    return values.astype("float32") if kind == "float32" else (values * np.iinfo(kind).max).astype(kind)


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
def test_an_opaque_fourth_channel_stays_full(kind):
    image = noise(40, 50, 4, kind=kind)
    full = 1 if kind == "float32" else np.iinfo(kind).max
    colors = image[..., :3].copy()
    for text in ("blur(5px)", "median(1)", "saturate(150%)", "tilt-shift()"):
        made = frostglass.Filter(text, alpha_mode="opaque")(image)
        assert made.shape == image.shape and (abs(made[..., 3] - full) < 1e-5).all()
        wanted = frostglass.Filter(text)(colors)
        assert abs(made[..., :3] * 1.0 - wanted).max() <= full / 254
        own = image.copy()
        assert frostglass.Filter(text, alpha_mode="opaque")(own, out=own) is own
        assert (own == made).all()
    # What a filter makes transparent is straight.
    half = frostglass.opacity(image, 0.5, alpha_mode="opaque")
    assert abs(half[..., 3] / full - 0.5).max() < 0.003
    assert abs(half[..., :3] * 1.0 - colors).max() <= full / 254


@pytest.mark.parametrize("shape", [(30, 40), (30, 40, 1), (30, 40, 3), (2, 30, 40, 3)])
@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
def test_pictures_without_alpha_become_transparent(shape, kind):
    image = noise(*shape, kind=kind)
    full = 1 if kind == "float32" else np.iinfo(kind).max
    wanted = (*shape[:-1], 4) if len(shape) > 2 else (*shape, 4)
    made = frostglass.opacity(image, 0.25)
    assert made.shape == wanted and made.dtype == image.dtype
    assert abs(made[..., 3] / full - 0.25).max() < 0.003
    colors = image if image.ndim > 2 else image[..., None]
    assert abs(made[..., :3] * 1.0 - colors).max() <= full / 120
    faded = frostglass.blur(image, 4, edge="transparent")
    assert faded.shape == wanted
    assert faded[..., 15, 20, 3].min() > 0.98 * full and faded[..., 0, 0, 3].max() < 0.4 * full
    # A place for it has its shape.
    out = np.zeros(wanted, kind)
    assert frostglass.opacity(image, 0.25, out=out) is out and (out == made).all()
    with pytest.raises(frostglass.Error, match="out has the shape .* the result has"):
        frostglass.opacity(image, 0.25, out=np.zeros_like(image))


def test_gray_becomes_colored():
    gray = noise(30, 40)
    red = frostglass.tint(gray, color="#f00", alpha=0.5)
    assert red.shape == (30, 40, 3) and (red[..., 0] > red[..., 1]).all()
    assert frostglass.blur(gray, 3).shape == (30, 40)
    several = frostglass.Filter("blur(3px)", "opacity(50%)", "tint(#f00, 50%)")(gray)
    assert [made.shape for made in several] == [(30, 40), (30, 40, 4), (30, 40, 3)]


def test_pillow_images_have_the_mode_of_the_result():
    gray, colors = Image.fromarray(noise(30, 40)), Image.fromarray(noise(30, 40, 3))
    colors.info["icc_profile"] = gray.info["icc_profile"] = b"profile"
    assert frostglass.opacity(gray, 0.5).mode == "RGBA"
    assert "icc_profile" not in frostglass.opacity(gray, 0.5).info
    assert frostglass.blur(gray, 3).info["icc_profile"] == b"profile"
    faded = frostglass.blur(colors, 3, edge="transparent")
    assert faded.mode == "RGBA" and faded.size == (40, 30) and faded.info["icc_profile"] == b"profile"
    assert frostglass.tint(gray, color="#f00", alpha=0.5).mode == "RGB"
    deep = Image.fromarray(noise(30, 40, kind="uint16"))
    assert frostglass.blur(deep, 3).mode == "I;16"
    with pytest.raises(frostglass.Error, match="Pillow has no mode: give an array"):
        frostglass.opacity(deep, 0.5)


def test_buffers_get_the_channels_of_the_result():
    view = memoryview(bytes(range(24))).cast("B", (4, 6))
    made = frostglass.opacity(view, 0.5)
    assert made.shape == (4, 6, 4) and made[0, 3, 3] == 128


@pytest.mark.parametrize("use", ["show", "confine", "scale"])
def test_nothing_to_blur_leaves_the_image(use):
    image = noise(30, 40, 3)
    nothing = np.zeros((30, 40), "uint8")
    for options in (
            {"regions": []}, {"regions": ()}, {"regions": np.zeros((0, 4))}, {"mask": nothing},
            {"mask": nothing > 0}, {"mask": nothing, "regions": []}, {"mask": ~nothing, "invert": True},
            {"mask": nothing, "feather": 5, "grow": 3}):
        assert (frostglass.blur(image, 6, mask_use=use, **options) == image).all(), options
        own = image.copy()
        assert (frostglass.blur(own, 6, mask_use=use, out=own, **options) == image).all()
    everywhere = frostglass.blur(image, 6)
    inverted = frostglass.blur(image, 6, mask_use=use, regions=[], invert=True)
    assert abs(inverted * 1.0 - everywhere).max() <= 1
    again = frostglass.Filter("blur(6px)", regions=[])
    assert repr(again) == "frostglass.Filter('blur(6px)', regions=[])"
    # A region outside of the image is a mistake.
    with pytest.raises(frostglass.Error, match="covers a part of the image"):
        frostglass.blur(image, 6, regions=(500, 500, 5, 5))
