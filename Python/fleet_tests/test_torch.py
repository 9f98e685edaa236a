"""torch itself: tensors in and out, and loaders whose workers blur after their parent has."""
import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset

import frostglass
from conftest import picture

SIDE = 48


@pytest.mark.parametrize("kind", [torch.uint8, torch.float32])
@pytest.mark.parametrize("shape", [(40, 50), (40, 50, 3), (40, 50, 4), (3, 40, 50, 3)])
def test_tensors_are_arrays(kind, shape):
    tensor = torch.randint(0, 256, shape, dtype=torch.uint8)
    tensor = tensor if kind is torch.uint8 else tensor.to(torch.float32) / 255
    result = frostglass.blur(tensor, 4)
    assert isinstance(result, torch.Tensor) and result.dtype == kind and result.shape == shape
    assert (result.numpy() == frostglass.blur(tensor.numpy(), 4)).all()
    out = torch.empty_like(tensor)
    assert frostglass.blur(tensor, 4, out=out) is out and torch.equal(out, result)


def test_views_of_tensors():
    tensor = torch.randint(0, 256, (3, 40, 50), dtype=torch.uint8)
    seen = tensor.permute(1, 2, 0)
    assert torch.equal(frostglass.blur(seen, 4), frostglass.blur(seen.contiguous(), 4))
    half = torch.randint(0, 256, (40, 100, 3), dtype=torch.uint8)[:, 20:70]
    assert torch.equal(frostglass.blur(half, 4), frostglass.blur(half.contiguous(), 4))


@pytest.mark.parametrize("kind", [torch.uint8, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("channels", [1, 3, 5])
def test_channels_first_come_back_as_they_came(kind, channels):
    floats = torch.rand(4, channels, 40, 50)
    tensor = (floats * 255).to(kind) if kind is torch.uint8 else floats.to(kind)
    result = frostglass.blur(tensor, [0, 1, 2, 4], layout="NCHW")
    assert result.dtype == kind and result.shape == tensor.shape and result.is_contiguous()
    assert torch.equal(result[0], tensor[0])
    wide = tensor if kind is torch.uint8 else tensor.float()
    for number, sigma in enumerate([0, 1, 2, 4]):
        for channel in range(channels):
            plane = frostglass.blur(wide[number, channel].contiguous(), sigma).to(kind)
            apart = (plane.float() - result[number, channel].float()).abs().max()
            assert apart <= (1 if kind is torch.uint8 else 1e-2 if kind is torch.bfloat16 else 2e-3)
    last = tensor.contiguous(memory_format=torch.channels_last)
    again = frostglass.blur(last, [0, 1, 2, 4], layout="NCHW")
    assert torch.equal(again, result)
    assert channels == 5 or again.is_contiguous(memory_format=torch.channels_last)
    out = torch.empty_like(tensor)
    assert frostglass.blur(tensor, [0, 1, 2, 4], layout="NCHW", out=out) is out and torch.equal(out, result)
    masks = torch.rand(4, 1, 40, 50) > 0.5
    masked = frostglass.blur(tensor, 3, layout="NCHW", mask=masks)
    hidden = ~masks.expand_as(tensor)
    assert torch.equal(masked[hidden], tensor[hidden])


def test_videos_and_volumes():
    video = torch.rand(2, 3, 3, 20, 30)
    made = frostglass.blur(video, 2, layout="CHW")
    assert made.shape == video.shape
    assert torch.equal(made[1, 2], frostglass.blur(video[1, 2], 2, layout="CHW"))
    volume = torch.rand(12, 20, 30).to(torch.float16)
    made = frostglass.blur(volume, (1, 2, 3), layout="ZYX")
    assert made.dtype == torch.float16 and made.shape == volume.shape and made.std() < volume.std() / 3


def test_what_is_no_picture_is_refused_in_words():
    for tensor, words in (
            (torch.zeros(3, 40, 50), "channels"),
            (torch.zeros(40, 50, 3, dtype=torch.float64), r"float64; .*tensor.float\(\)"),
            (torch.zeros(40, 50, 3, dtype=torch.int64), r"int64; .*tensor.byte\(\) for values from 0 to 255"),
            (torch.zeros(40, 50, 3, dtype=torch.bool), r"bool; .*tensor.byte\(\) \* 255"),
            (torch.zeros(40, 50, 3, requires_grad=True), "detach"),
            (torch.zeros(40, 50, 3, device="meta"), "cannot be read")):
        with pytest.raises(frostglass.Error, match=words):
            frostglass.blur(tensor, 4)


class Pictures(Dataset):
    """Pictures that are blurred where they are loaded."""

    glass = frostglass.Filter("blur(5px) saturate(150%)")

    def __len__(self):
        return 40

    def __getitem__(self, number):
        return torch.from_numpy(self.glass(picture(number, SIDE, SIDE)))


@pytest.mark.filterwarnings("ignore:This DataLoader will create 4 worker processes:UserWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_loaders_with_four_workers_after_use_in_the_parent(method):
    wanted = np.stack([Pictures.glass(picture(number, SIDE, SIDE)) for number in range(40)])
    loader = DataLoader(Pictures(), batch_size=8, num_workers=4, multiprocessing_context=method, timeout=120)
    for _ in range(2):
        assert (torch.cat(list(loader)).numpy() == wanted).all()
        # And the parent goes on in between.
        assert (Pictures.glass(picture(0, SIDE, SIDE)) == wanted[0]).all()
