"""Whatever is handed over ends in an exception, and the process goes on."""
import ctypes

import numpy as np
import pytest
from PIL import Image

import frostglass
from frostglass import _library as lib

IMAGE = np.zeros((20, 30, 3), "uint8")
RELEASED = memoryview(bytes(25)).cast("B", (5, 5))
RELEASED.release()



class Interface:
    """An array interface as it should not be."""

    def __init__(self, about):
        self.__array_interface__ = about


class Tensor:
    """DLPack as it should not be."""

    def __init__(self, capsule, device):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


@pytest.mark.parametrize("image, words", [
    (None, "the image is None"),
    (b"abc", "without a shape"),
    ("abc", "has no pixels"),
    (object(), "has no pixels"),
    (np.zeros((0, 5, 3), "uint8"), "no pixels"),
    (np.zeros((5, 0, 3), "uint8"), "no pixels"),
    (np.zeros((2, 0, 5, 3), "uint8"), "no pixels"),
    (np.zeros(12, "uint8"), "the shape (12,)"),
    (np.zeros((1, 2, 3, 4, 4), "uint8"), "the shape (1, 2, 3, 4, 4)"),
    (np.zeros((5, 5, 2), "uint8"), "layout=\"NHW\" for a batch of grays, \"HWC\" or \"CHW\" for channels"),
    (np.zeros((3, 50, 50), "uint8"), "layout=\"CHW\""),
    (np.zeros((2, 3, 50, 50), "uint8"), "layout=\"NCHW\""),
    (np.zeros((2, 5, 50, 50), "uint8"), "layout=\"NHWC\" or \"NCHW\""),
    (np.zeros((5, 5, 3), "float64"), "samples of float64; uint8, uint16, float32, float16 and bfloat16 are"
        " taken: array.astype(\"float32\")"),
    (np.zeros((5, 5, 3), "int8"), "samples of int8; uint8, uint16, float32, float16 and bfloat16 are taken:"
        " array.astype(\"uint8\") for values from 0 to 255, array.astype(\"float32\") for others"),
    (np.zeros((5, 5, 3), "bool"), "samples of bool; uint8, uint16, float32, float16 and bfloat16 are taken:"
        " array.astype(\"uint8\") * 255"),
    (np.zeros((5, 5, 3), ">u2"), "samples of uint16 with the other order of bytes"),
    (np.zeros((5, 5, 3), ">f4"), "astype(\"float32\")"),
    (np.zeros((5, 5, 3), "object"), "samples of object"),
    (np.ma.masked_less(np.zeros((5, 5, 3), "uint8"), 1), "filled(0)"),
    (np.ndarray, "ndarray, a class"), (RELEASED, "cannot be read"),
    (Interface(None), "its __array_interface__"), (Interface({}), "its __array_interface__"),
    (Interface({"typestr": "|u1", "shape": 5}), "its __array_interface__"),
    (Interface({"typestr": 5, "shape": (5, 5)}), "samples of 5"),
    (Interface({"typestr": "|u1", "shape": ("a", 5)}), "its __array_interface__"),
    (Interface({"typestr": "|u1", "shape": (5, 5), "strides": (5,)}), "its __array_interface__"),
    (Interface({"typestr": "|u1", "shape": (5, 5), "data": (1,)}), "its __array_interface__"),
    (Interface({"typestr": "|u1", "shape": (5, 5), "data": ("a", False)}), "its __array_interface__"),
    (Interface({"typestr": "|u1", "shape": (-5, 5), "data": (64, False)}), "no pixels"),
    (Interface({"typestr": "|u1", "shape": (5, 5), "data": (0, False)}), "null"),
    (Interface({"typestr": "|u1", "shape": (5, 5), "data": bytes(24)}), "a buffer of 24 bytes"),
    (Interface({"typestr": "|u1", "shape": (5, 5), "data": bytes(25), "offset": 1}), "a buffer of 25"),
    (Interface({"typestr": "|u1", "shape": (5, 5), "data": bytes(25), "strides": (-5, 1)}), "a buffer of"),
    (Tensor(5, (1, 0)), "cannot be read"), (Tensor(5, None), "cannot be read"),
    (np.zeros((5, 5, 3), "complex64"), "samples of complex64"),
    (Image.new("HSV", (5, 5)), "mode HSV"), (Image.new("I", (5, 5)), "mode I;"),
])
def test_images_that_are_none(image, words):
    with pytest.raises(frostglass.Error) as refused:
        frostglass.blur(image, 3)
    assert words in str(refused.value)


@pytest.mark.parametrize("sigma", [
    -1, 1001, 2**63, float("nan"), float("inf"), "", "x", "5px)", "pillow:", None, [], "\0", "5\0px",
])
def test_sigmas(sigma):
    with pytest.raises(frostglass.Error):
        frostglass.blur(IMAGE, sigma)


@pytest.mark.parametrize("options", [
    {"edge": "black"}, {"edge": 1}, {"quality": None}, {"scale": 0}, {"scale": -1},
    {"scale": float("nan")}, {"scale": "x"}, {"alpha_mode": "no"}, {"transfer": ""},
    {"threads": -1}, {"threads": 2**63}, {"threads": 1.5}, {"threads": True},
    {"regions": ""}, {"regions": 5}, {"regions": (1, 2, 3)},
    {"regions": (0, 0, -5, 5)}, {"regions": (500, 500, 5, 5)}, {"regions": [(2**70, 0, 1, 1)]},
    {"regions": (1, 1, 5, 5), "feather": -1}, {"regions": (1, 1, 5, 5), "grow": "x"},
    {"regions": (1, 1, 5, 5), "mask_use": "hide"}, {"mask": np.zeros((20, 31), "uint8")},
    {"mask": np.zeros((2, 20, 30, 1), "uint8")},
    {"mask": Interface(None)}, {"mask": "mask.png"},
    {"compat": "gimp"}, {"compat": ["pillow"]},
    {"edge": np.array(["clamp", "wrap"])}, {"alpha_mode": []}, {"quality": np.array("exact")},
    {"threads": np.True_}, {"threads": 10**5000}, {"scale": 10**5000}, {"scale": True},
    {"linear": "no"}, {"linear": np.array([True])}, {"regions": (1, 1, 5, 5), "invert": "no"},
])
def test_options(options):
    with pytest.raises(frostglass.Error):
        frostglass.blur(IMAGE, 3, **options)


def test_masked_arrays_without_a_mask_are_arrays():
    image = np.ma.masked_array(IMAGE + 7)
    assert (frostglass.blur(image, 3) == IMAGE + 7).all()


@pytest.mark.parametrize("progress", [5, 0, "told", False])
def test_progress_that_cannot_be_called(progress):
    with pytest.raises(frostglass.Error, match="progress is .*; it must be a function"):
        frostglass.blur(IMAGE, 3, progress=progress)


def test_progress_of_a_class_with_a_length():
    class Bar(list):
        def __call__(self, done):
            self.append(done)

    bar = Bar()
    frostglass.blur(IMAGE, 3, progress=bar)
    assert bar[-1] == 1


def test_numbers_of_other_types():
    blur = frostglass.Filter("blur(3px)")
    assert (frostglass.blur(IMAGE + 7, 3, threads=np.int64(2)) == blur(IMAGE + 7)).all()
    assert (frostglass.median(IMAGE, np.uint8(2), linear=np.True_) == IMAGE).all()
    assert str(blur.plan((np.int64(40), np.uint16(30), 3))) == str(blur.plan((40, 30, 3)))
    for options in ({"threads": True}, {"threads": 1.5}, {"threads": "2"}):
        with pytest.raises(frostglass.Error, match="it must be a whole number"):
            frostglass.blur(IMAGE, 3, **options)
    for value in (True, (1, 2), [], 10**5000):
        with pytest.raises(frostglass.Error, match="radius is .*; it must be a number"):
            frostglass.median(IMAGE, value)


@pytest.mark.parametrize("regions", [
    {1, 2, 3, 4}, frozenset([1, 2, 3, 4]), {"x": 1, "y": 2}, b"1234", 5, 2.5, np.array(5), True,
])
def test_regions_without_an_order(regions):
    with pytest.raises(frostglass.Error, match=r"regions is .*; it must be a text, \(x, y, width, height\)"):
        frostglass.Filter("blur(3px)", regions=regions)


def test_texts():
    for text in ("", "blurr(3px)", "blur(3px", 5, None, b"blur(3px)", "blur(3px)\0", "\ud800", "(" * 70000):
        with pytest.raises(frostglass.Error):
            frostglass.Filter(text)
    with pytest.raises(frostglass.Error):
        frostglass.Filter()
    with pytest.raises(frostglass.Error, match="did you mean blur"):
        frostglass.Filter("blurr(3px)")
    with pytest.raises(ValueError):
        frostglass.Filter("blurr(3px)")


@pytest.mark.parametrize("call, words", [
    (lambda: frostglass.blur(IMAGE, -1), "blur: sigma is -1px; it must be a standard deviation from 0"),
    (lambda: frostglass.blur(IMAGE, "3 4"), "blur: sigma is 3 4; it must be"),
    (lambda: frostglass.blur(IMAGE, (3, 4)), "sigma is (3, 4); it must be a number"),
    (lambda: frostglass.blur(IMAGE, (7, "x"), compat="opencv"), "blur: sigma is opencv:7xx; it must be"),
    (lambda: frostglass.gaussian(IMAGE, 3, -1), "gaussian: y is -1px; it must be"),
    (lambda: frostglass.tilt_shift(IMAGE, angle="3kg"), "tilt_shift: angle is 3kg; it must be an angle"),
    (lambda: frostglass.median(IMAGE, radius=[]), "radius is []; it must be a number"),
    (lambda: frostglass.median(IMAGE, radius=b"3"), "radius is b'3'; it must be a number"),
    (lambda: frostglass.vibrancy(IMAGE, level=("label",)), "level is ('label',); it must be a text"),
    (lambda: frostglass.median(IMAGE, [1, 2]), "there are values for each of 2 images, but the image is one"),
])
def test_functions_speak_of_their_own_parameters(call, words):
    with pytest.raises(frostglass.Error) as refused:
        call()
    assert str(refused.value).startswith(words)
    assert "column" not in str(refused.value)


def test_places_for_results():
    whole = np.zeros((20, 60, 3), "uint8")
    left, right = whole[:, :30], whole[:, 30:]
    fixed = np.zeros_like(IMAGE)
    fixed.flags.writeable = False
    batch = np.zeros((4, 20, 30, 3), "uint8")
    for image, out, words in (
            (IMAGE, IMAGE[:, ::-1], "side by side"), (left, whole[:, 1:31], "overlaps"),
            (IMAGE, fixed, "read-only"), (IMAGE, bytes(1800), "shape"),
            (IMAGE, memoryview(bytes(1800)).cast("B", (20, 30, 3)), "read-only"),
            (IMAGE, np.zeros((20, 30, 4), "uint8"), "shape"),
            (IMAGE, np.zeros((20, 30, 3), "uint16"), "uint16"),
            (IMAGE, np.zeros_like(IMAGE)[::-1], "upward"),
            (IMAGE, np.zeros((20, 60, 3), "uint8")[:, ::2], "side by side"),
            (IMAGE, Image.new("RGB", (30, 20)), "Pillow"),
            (IMAGE, "out", "out is a str, which has no pixels"),
            (batch[1:], batch[:-1], "overlap"), (batch, batch[::-1], "overlap"),
            (batch, np.lib.stride_tricks.as_strided(
                np.zeros(9000, "uint8"), (4, 20, 30, 3), (90, 90, 3, 1)), "overlap"),
            (IMAGE, np.lib.stride_tricks.as_strided(
                np.zeros(1800, "uint8"), (20, 30, 3), (0, 3, 1)), "side by side"),
            (IMAGE, np.lib.stride_tricks.as_strided(
                np.zeros(9000, "uint8"), (20, 30, 3), (89, 3, 1)), "side by side")):
        with pytest.raises(frostglass.Error) as refused:
            frostglass.blur(image, 3, out=out)
        assert words in str(refused.value)
    both = frostglass.Filter("none", "blur(2px)")
    with pytest.raises(frostglass.Error):
        both(IMAGE, out=np.zeros_like(IMAGE))
    place = np.zeros_like(IMAGE)
    with pytest.raises(frostglass.Error, match="overlap"):
        both(IMAGE, out=(place, place))
    frostglass.blur(left, 3, out=right)


def test_plans():
    blur = frostglass.Filter("blur(3px)")
    for shape in ((), (5,), (5, 5, 2), (0, 5, 3), (-1, 5, 3), (2**63, 5, 3), (2**24, 2**24, 3), (1.5, 2, 3),
                  (True, 5, 3), ("5", 5, 3)):
        with pytest.raises(frostglass.Error):
            blur.plan(shape)


def test_the_library_itself():
    """Past everything that Python checks."""
    loaded = lib.library()
    engine, plan = ctypes.c_void_p(), ctypes.c_void_p()
    lib.call("fg_engine_create", None, engine)
    data = np.zeros((20, 30, 3), "uint8")
    result = np.zeros_like(data)

    def image(array, **changes):
        made = lib.sized(
            lib.Image, data=array.ctypes.data, width=30, height=20, stride=90, format=4)
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    options = lib.sized(lib.PlanOptions, input=ctypes.pointer(image(data)))
    lib.call("fg_plan_create", engine, (ctypes.c_char_p * 1)(b"blur(2px)"), 1, options, plan)
    for changes in (
            {"width": 0}, {"width": 2**63 - 1}, {"height": -2**63}, {"stride": 89}, {"stride": -90},
            {"stride": 2**63 - 1}, {"data": None}, {"data": 2**64 - 1}, {"format": 99},
            {"struct_size": 0}, {"struct_size": 2**64 - 1}, {"reserved": 1}):
        with pytest.raises(frostglass.Error):
            lib.call("fg_plan_run", plan, image(data, **changes), image(result), 1, None)
        with pytest.raises(frostglass.Error):
            lib.call("fg_plan_run", plan, image(data), image(result, **changes), 1, None)
    with pytest.raises(frostglass.Error, match="overlaps"):
        lib.call("fg_plan_run", plan, image(data), image(data, data=data.ctypes.data + 3), 1, None)
    lib.call("fg_plan_run", plan, image(data), image(result), 1, None)
    assert loaded.fg_plan_free(plan) == 0
    assert loaded.fg_plan_free(plan) == 2
    for handle in (plan, engine, ctypes.c_void_p(1), ctypes.c_void_p(data.ctypes.data)):
        with pytest.raises(frostglass.Error) as refused:
            lib.call("fg_plan_run", handle, image(data), image(result), 1, None)
        assert refused.value.code == "FG_BAD_HANDLE"
    assert loaded.fg_engine_free(engine) == 0
    assert loaded.fg_engine_free(engine) == 2
