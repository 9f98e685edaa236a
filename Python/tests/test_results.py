"""Inputs and results: every kind of image gives the same samples."""
import ctypes
import inspect
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest
from PIL import Image

import frostglass

RANDOM = np.random.default_rng(1)


def noise(*shape, kind="uint8"):
    values = RANDOM.random(shape)
    if kind == "float32":
        return values.astype("float32")
    return (values * np.iinfo(kind).max).astype(kind)


class Tensor:
    """DLPack without anything else, as tensors of other libraries have it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Interface:
    """An object with an array interface alone."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("shape", [(40, 60), (40, 60, 1), (40, 60, 3), (40, 60, 4)])
def test_a_blur_has_the_shape_and_mean_of_its_image(kind, shape):
    image = noise(*shape, kind=kind)
    before = image.copy()
    result = frostglass.blur(image, 3, edge="wrap", alpha_mode="premultiplied")
    assert result.shape == shape and result.dtype == image.dtype
    assert (image == before).all()
    full = 1 if kind == "float32" else np.iinfo(kind).max
    if shape[-1] != 4:
        assert abs(result.mean() - image.mean()) < 0.004 * full
        assert result.std() < 0.3 * image.std()


def test_every_way_in_gives_the_same_samples():
    image = noise(50, 70, 4)
    expected = frostglass.blur(image, 5)
    strided = np.zeros((50, 140, 4), "uint8")[:, :70]
    strided[:] = image
    assert (frostglass.blur(strided, 5) == expected).all()
    upside = np.ascontiguousarray(image[::-1])[::-1]
    assert (frostglass.blur(upside, 5) == expected).all()
    wide = np.repeat(image, 2, axis=1)[:, ::2]
    assert (frostglass.blur(wide, 5) == expected).all()
    planes = np.ascontiguousarray(image.transpose(2, 0, 1)).transpose(1, 2, 0)
    assert (frostglass.blur(planes, 5) == expected).all()
    fixed = image.copy()
    fixed.flags.writeable = False
    assert (frostglass.blur(fixed, 5) == expected).all()
    for other in (
            Tensor(image), Interface(image), memoryview(image),
            memoryview(image.tobytes()).cast("B", (50, 70, 4))):
        result = frostglass.blur(other, 5)
        assert isinstance(result, memoryview)
        assert (np.asarray(result) == expected).all()
    buffer = types.SimpleNamespace(__array_interface__={
        "typestr": "|u1", "shape": (50, 70, 4), "data": b"x" + image[::-1].tobytes(),
        "offset": 1 + 49 * 280, "strides": (-280, 4, 1)})
    assert (np.asarray(frostglass.blur(buffer, 5)) == expected).all()
    # ctypes says nothing of strides.
    room = (ctypes.c_uint8 * 4 * 70 * 50).from_buffer(bytearray(image.tobytes()))
    assert (np.asarray(frostglass.blur(room, 5)) == expected).all()
    assert frostglass.blur(image, 5, out=room) is room and bytes(room) == expected.tobytes()
    odd = np.frombuffer(b"x" + noise(9, 9, 3, kind="uint16").tobytes(), "uint16", offset=1)
    odd = odd.reshape(9, 9, 3)
    assert (frostglass.blur(odd, 2) == frostglass.blur(odd.copy(), 2)).all()


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_pillow(mode):
    image = Image.fromarray(noise(30, 20, 4)).convert(mode)
    result = frostglass.blur(image, 4)
    assert result.mode == mode and result.size == image.size
    assert (np.asarray(result) == frostglass.blur(np.asarray(image), 4)).all()


def test_classes_of_pillows_images():
    image = Image.fromarray(noise(30, 20, 3))

    class Own(Image.Image):
        pass

    own = Own()
    own.__setstate__(image.__getstate__())
    result = frostglass.blur(own, 4)
    assert isinstance(result, Image.Image) and result.tobytes() == frostglass.blur(image, 4).tobytes()
    own.__setstate__(image.convert("HSV").__getstate__())
    with pytest.raises(frostglass.Error, match="mode HSV"):
        frostglass.blur(own, 4)


def test_deep_and_premultiplied_pillow():
    deep = Image.fromarray(noise(30, 20, kind="uint16"))
    assert deep.mode == "I;16"
    assert (np.asarray(frostglass.blur(deep, 4)) == frostglass.blur(np.asarray(deep), 4)).all()
    straight = Image.fromarray(noise(30, 20, 4))
    array = np.frombuffer(straight.convert("RGBa").tobytes(), "uint8").reshape(30, 20, 4)
    result = frostglass.blur(straight.convert("RGBa"), 4)
    assert result.mode == "RGBa"
    expected = frostglass.blur(array, 4, alpha_mode="premultiplied")
    assert result.tobytes() == expected.tobytes()


def stand_in():
    """The parts of torch that are used; torch is too large to be installed for a test."""
    torch = types.ModuleType("torch")

    class TorchTensor(Tensor):
        device = 1

        @property
        def dtype(self):
            return "torch.bool" if self.array.dtype == bool else self.array.dtype

        def byte(self):
            return TorchTensor(self.array.astype("uint8"))

        def __mul__(self, factor):
            return TorchTensor(self.array * np.uint8(factor))

        def contiguous(self):
            return TorchTensor(np.ascontiguousarray(self.array))

        def clone(self):
            return TorchTensor(self.array.copy())

        def __dlpack_device__(self):
            return types.SimpleNamespace(value=self.device), 0

        def __dlpack__(self):  # As before DLPack 1.0.
            if self.array.dtype == "float32" and not self.array.flags.writeable:
                raise BufferError("detach it first")
            return self.array.__dlpack__()

    TorchTensor.__module__ = "torch"
    torch.Tensor = TorchTensor
    torch.empty = lambda shape, dtype: TorchTensor(np.empty(shape, dtype))
    return torch


def test_tensors_come_out_as_tensors(monkeypatch):
    torch = stand_in()
    monkeypatch.setitem(sys.modules, "torch", torch)
    image = noise(2, 30, 40, 3, kind="float32")
    expected = frostglass.blur(image, 4)
    result = frostglass.blur(torch.Tensor(image), 4)
    assert isinstance(result, torch.Tensor) and (result.array == expected).all()
    channels_last = np.ascontiguousarray(image.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    assert (frostglass.blur(torch.Tensor(channels_last), 4).array == expected).all()
    out = torch.Tensor(np.zeros_like(image))
    assert frostglass.blur(torch.Tensor(image), 4, out=out) is out
    assert (out.array == expected).all()
    mask = np.eye(30, 40, dtype=bool)
    masked = frostglass.blur(torch.Tensor(image), 4, mask=torch.Tensor(mask))
    assert (masked.array == frostglass.blur(image, 4, mask=mask)).all()
    own = type("Own", (torch.Tensor,), {"__module__": "mine"})
    assert isinstance(frostglass.blur(own(image), 4), torch.Tensor)
    far = torch.Tensor(image)
    far.device = 2
    with pytest.raises(frostglass.Error, match="tensor.cpu"):
        frostglass.blur(far, 4)
    with pytest.raises(frostglass.Error, match=r"samples of int32; .*tensor.byte\(\) for values from 0 to 255"):
        frostglass.blur(torch.Tensor(image.astype("int32")), 4)
    image.flags.writeable = False
    with pytest.raises(frostglass.Error, match="detach"):
        frostglass.blur(torch.Tensor(image), 4)


def test_batches_are_pictures_one_by_one():
    batch = noise(5, 30, 40, 3)
    result = frostglass.blur(batch, 4)
    assert result.shape == batch.shape
    for before, after in zip(batch, result):
        assert (frostglass.blur(before, 4) == after).all()
    assert (frostglass.blur(batch[::-2], 4) == result[::-2]).all()
    same = np.broadcast_to(batch[0], (3, 30, 40, 3))
    assert (frostglass.blur(same, 4) == result[0]).all()


def test_out():
    image = noise(40, 50, 3)
    expected = frostglass.blur(image, 4)
    out = np.zeros_like(image)
    assert frostglass.blur(image, 4, out=out) is out
    assert (out == expected).all()
    room = np.zeros((40, 100, 3), "uint8")
    room[:, :50] = image
    frostglass.blur(room[:, :50], 4, out=room[:, 50:])
    assert (room[:, 50:] == expected).all() and (room[:, :50] == image).all()
    data = bytearray(image.size)
    frostglass.blur(image, 4, out=memoryview(data).cast("B", image.shape))
    assert bytes(data) == expected.tobytes()


def test_out_through_dlpack():
    class Early(Tensor):
        def __dlpack__(self):
            return self.array.__dlpack__()

    class Unchanging(Tensor):
        pass

    Unchanging.__module__ = "jaxlib._jax"
    image = noise(40, 50, 3)
    expected = frostglass.blur(image, 4)
    out = Tensor(np.zeros_like(image))
    assert frostglass.blur(Tensor(image), 4, out=out) is out
    assert (out.array == expected).all()
    fixed = image.copy()
    fixed.flags.writeable = False
    for made, words in (
            (Tensor(fixed), "out is read-only"), (Unchanging(image.copy()), "out is read-only"),
            (Early(image.copy()), "out does not say")):
        assert (np.asarray(frostglass.blur(made, 4)) == expected).all()
        with pytest.raises(frostglass.Error, match=words):
            frostglass.blur(image, 4, out=made)
        assert (made.array == image).all()


def test_memory_that_gpus_share():
    class Pinned(Tensor):
        device = 3

        def __dlpack_device__(self):
            return self.device, 0

    image = noise(30, 40, 3)
    assert (np.asarray(frostglass.blur(Pinned(image), 4)) == frostglass.blur(image, 4)).all()
    far = Pinned(image)
    far.device = 4
    with pytest.raises(frostglass.Error, match="on a device"):
        frostglass.blur(far, 4)


def test_several_results():
    image = noise(60, 60, 3)
    soft, gray = frostglass.Filter("blur(9px)", "blur(9px) grayscale(1)")(image)
    assert np.abs(soft.astype(int) - frostglass.blur(image, 9)).max() <= 1
    assert (gray[..., 0] == gray[..., 1]).all()
    places = np.zeros_like(image), np.zeros_like(image)
    assert frostglass.Filter("blur(9px)", "blur(9px) grayscale(1)")(image, out=places) == places
    assert (places[0] == soft).all() and (places[1] == gray).all()


def test_masks_and_regions():
    image = noise(80, 90, 3)
    mask = np.zeros((80, 90), bool)
    mask[20:50, 30:60] = True
    by_mask = frostglass.blur(image, 6, mask=mask)
    everywhere = frostglass.blur(image, 6)
    assert (by_mask[~mask] == image[~mask]).all()
    assert (by_mask[mask] == everywhere[mask]).all()
    for regions in (
            "30,20,30,30", (30, 20, 30, 30), [(30, 20, 30, 30)], ["30,20,30,30"],
            np.array([30, 20, 30, 30]), np.array([[30.0, 20, 30, 30]], "float32"),
            [np.array([30, 20, 30, 30])]):
        assert (frostglass.blur(image, 6, regions=regions) == by_mask).all()
    inverted = frostglass.blur(image, 6, regions=(30, 20, 30, 30), invert=True)
    assert (inverted[mask] == image[mask]).all() and (inverted[~mask] == everywhere[~mask]).all()
    soft = frostglass.blur(image, 6, regions=(30, 20, 30, 30), feather=10, grow="-5%")
    assert (soft != by_mask).any()
    filtered = frostglass.Filter("blur(6px)", mask=mask)
    mask[:] = False
    assert (filtered(image) == by_mask).all()


def test_regions_are_those_of_the_start():
    boxes = [[10, 10, 20, 20], (50, 40, 10, 10)]
    blur = frostglass.Filter("blur(6px)", regions=boxes)
    once = frostglass.Filter("blur(6px)", regions=(tuple(box) for box in boxes))
    wanted = frostglass.Filter("blur(6px)", regions="10,10,20,20; 50,40,10,10")
    first = noise(80, 90, 3)
    assert (blur(first) == wanted(first)).all()
    boxes[0][0] = 40
    boxes.pop()
    for image in (first, noise(70, 90, 3), noise(80, 90, 4)):
        for made in (blur, once, pickle.loads(pickle.dumps(blur)), pickle.loads(pickle.dumps(once))):
            assert (made(image) == wanted(image)).all()
    assert repr(blur) == "frostglass.Filter('blur(6px)', regions='10,10,20,20; 50,40,10,10')"


def test_a_plan_says_how_far_it_can_be_off():
    plan = frostglass.Filter("blur(20px) saturate(180%)").plan((1080, 1920, 4))
    assert 0 < plan.certified_error < 1
    parts = plan.kernel_error + plan.model_error + plan.arithmetic_error
    assert parts == pytest.approx(plan.certified_error)
    assert "1920×1080" in str(plan) and f"{plan.certified_error:.1f}"[:2] in repr(plan)
    assert plan.memory > 0 and plan.multiply_adds > 0
    fast = frostglass.Filter("blur(20px)", quality="fast").plan(noise(30, 30, 3))
    assert fast.certified_error < 2
    assert len(frostglass.Filter("none", "blur(1px)").plan((9, 9, 3))) == 2


def test_a_function_for_every_filter():
    image = noise(24, 24, 4)
    rows = frostglass.filters()
    assert len(rows) > 70
    from frostglass import _catalog

    for row in rows:
        function = _catalog.function(_catalog.identifier(row["name"]))
        signature = inspect.signature(function)
        assert row["summary"] in function.__doc__
        for parameter in row["parameters"]:
            assert _catalog.identifier(parameter["name"]) in signature.parameters
        assert (function(image) == frostglass.Filter(f"{row['name']}()")(image)).all(), row["name"]
    assert frostglass.median is frostglass.median
    assert (frostglass.median(image, 3) == frostglass.Filter("median(radius=3)")(image)).all()
    assert (frostglass.tint(image, color=(255, 0, 0), alpha=0.5)
            == frostglass.Filter("tint(rgb(255, 0, 0), 50%)")(image)).all()
    assert (frostglass.motion(image, length=8, angle=90)
            == frostglass.Filter("motion(8px, 90deg)")(image)).all()
    assert "tilt_shift" in dir(frostglass)
    with pytest.raises(AttributeError):
        frostglass.no_such_filter


def test_other_tools_numbers():
    image = noise(60, 60, 3)
    for compat, sigma, text, edge in (
            ("pillow", 5, "gaussian(pillow:5)", "clamp"),
            ("pillow-box", 5, "gaussian(pillow-box:5)", "clamp"),
            ("opencv", 5, "gaussian(opencv:0x5)", "reflect-101"),
            ("opencv", (9, 0), "gaussian(opencv:9)", "reflect-101"),
            ("albumentations", 5, "gaussian(opencv:35x5)", "reflect-101"),
            ("albumentations", (9, 2), "gaussian(opencv:9x2)", "reflect-101"),
            ("torchvision", (9, 2), "gaussian(opencv:9x2)", "reflect-101"),
            ("kornia", (9, 2), "gaussian(opencv:9x2)", "reflect-101"),
            ("scipy", 5, "gaussian(5px)", "mirror"), ("skimage", 5, "gaussian(5px)", "clamp")):
        expected = frostglass.Filter(text, edge=edge)(image)
        assert (frostglass.blur(image, sigma, compat=compat) == expected).all(), compat
    for compat, word, edge in (
            ("scipy", "reflect", "mirror"), ("scipy", "mirror", "reflect-101"), ("scipy", "nearest", "clamp"),
            ("skimage", "mirror", "reflect-101"), ("opencv", 2, "mirror"), ("opencv", 4, "reflect-101"),
            ("opencv", "reflect", "mirror"), ("torchvision", "reflect", "reflect-101"),
            ("kornia", "circular", "wrap"), (None, "grid-mirror", "mirror"), (None, "symmetric", "mirror")):
        expected = frostglass.blur(image, 5, edge=edge)
        assert (frostglass.blur(image, "5px" if compat is None else 5, compat=compat, edge=word)
                == (expected if compat != "opencv" else frostglass.blur(image, 5, compat=compat, edge=edge))).all()
    with pytest.raises(frostglass.Error, match="edge is 'reflect', which is .* say which"):
        frostglass.blur(image, 5, edge="reflect")
    assert (frostglass.gaussian(image, 5, edge="nearest") == frostglass.gaussian(image, 5, edge="clamp")).all()
    assert (frostglass.blur(image, 5, compat="opencv", edge="wrap")
            == frostglass.blur(image, "opencv:0x5", edge="wrap")).all()


def test_progress():
    image = noise(200, 300, 3)
    shares = []
    result = frostglass.Filter("median(2)", threads=1)(image, progress=shares.append)
    assert shares[0] == 0 and shares[-1] == 1 and shares == sorted(shares) and len(shares) > 4
    assert (result == frostglass.Filter("median(2)", threads=1)(image)).all()
    with pytest.raises(frostglass.Error, match="cancelled") as refused:
        frostglass.median(image, threads=1, progress=lambda done: done > 0.2)
    assert refused.value.code == "FG_CANCELLED"

    def fails(done):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        frostglass.median(image, threads=1, progress=fails)


def test_filters_can_be_sent_to_other_processes():
    image = noise(30, 30, 3)
    mask = np.eye(30, dtype="uint8") * 255
    for original in (
            frostglass.Filter("blur(4px)", edge="mirror"), frostglass.Filter("blur(4px)", mask=mask)):
        mask[:] = 0
        again = pickle.loads(pickle.dumps(original))
        assert (again(image) == original(image)).all()
        assert again == original and hash(again) == hash(original) and len({again, original}) == 1
    assert repr(frostglass.Filter("blur(4px)", edge="mirror")) == \
        "frostglass.Filter('blur(4px)', edge='mirror')"
    assert frostglass.Filter("blur(4px)", edge="mirror") != frostglass.Filter("blur(4px)")
    assert frostglass.Filter("blur(4px)") != frostglass.Filter("blur(5px)") and frostglass.Filter("none") != "none"
    assert frostglass.Filter("none", mask=mask) != frostglass.Filter("none", mask=255 - mask)


def test_names_are_those_of_the_package():
    import traceback

    try:
        frostglass.Filter("blurr()")
    except frostglass.Error as error:
        assert traceback.format_exception_only(error)[0].startswith("frostglass.Error: there is no filter blurr")
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is frostglass.Error and str(again) == str(error) and again.code == "FG_BAD_TEXT"
    for kind in (frostglass.Error, frostglass.Filter, frostglass.Plan):
        assert kind.__module__ == "frostglass"


def test_stubs_are_those_of_the_catalog(tmp_path):
    sources = pathlib.Path(
        os.environ.get("FROSTGLASS_SOURCES", pathlib.Path(__file__).parent.parent))
    # Elsewhere, as a script finds first what lies beside it.
    program = shutil.copy(sources / "stubs.py", tmp_path)
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    stubs = pathlib.Path(frostglass.__file__).with_suffix(".pyi").read_text()
    assert run.stdout == stubs, "run python stubs.py --write"
    compile(stubs, "__init__.pyi", "exec")


def test_importing_brings_nothing_large():
    script = "import sys, frostglass; print(*{'numpy', 'PIL', 'json', 'inspect'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "\n"


def test_the_version_is_the_librarys():
    from frostglass import _library

    assert _library.library().fg_version().decode() == frostglass.__version__


@pytest.mark.parametrize("shape", [(90, 120, 3), (3, 90, 120, 4), (90, 120)])
def test_an_image_may_be_blurred_where_it_is(shape):
    image = noise(*shape)
    for options in ({}, {"regions": "20,20,60,50"}):
        blur = frostglass.Filter("blur(6px)", **options)
        own = image.copy()
        assert blur(own, out=own) is own
        assert (own == blur(image)).all() and (own != image).any()
