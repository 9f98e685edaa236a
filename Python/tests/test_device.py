"""Arrays on a CUDA device, played by memory of this process: a stub of the driver runs the kernels as C++."""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest

import frostglass

SOURCES = pathlib.Path(os.environ.get("FROSTGLASS_SOURCES", pathlib.Path(__file__).parents[1])).parent
RANDOM = np.random.default_rng(7)


@pytest.fixture(scope="module", autouse=True)
def driver(tmp_path_factory):
    """The stub, which is found by its name once it is loaded."""
    compiler = shutil.which("clang++") or shutil.which("g++")
    stub = SOURCES / "Tests/Programs/CUDA/cuda.cpp"
    if compiler is None or not stub.exists():
        pytest.skip("no C++ compiler, or no sources")
    path = tmp_path_factory.mktemp("cuda") / "libcuda.so.1"
    subprocess.run([
        compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1",
        "-I", SOURCES / "Sources/CShims/CCUDA/include", stub, "-o", path], check=True)
    return ctypes.CDLL(str(path))


def noise(*shape):
    return RANDOM.integers(0, 256, shape, dtype="uint8")


class Interface:
    """An array with __cuda_array_interface__."""

    def __init__(self, array, **changes):
        self.array = array
        about = dict(array.__array_interface__, version=3, stream=None)
        self.__cuda_array_interface__ = {**about, **changes}


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("number", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
capsule_of = ctypes.pythonapi.PyCapsule_New
capsule_of.restype, capsule_of.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, Destructor]
is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))


class Exporter:
    """An array with DLPack on a device, which counts its deleter's calls."""

    def __init__(self, array, device=2, version=(1, 0), flags=0, offset=0, kind=(1, 8, 1), old=False):
        self.array, self.device, self.version, self.old = array, device, version, old
        self.deleted, self.streams = 0, []
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(step // array.itemsize for step in array.strides))
        tensor = DLTensor(
            array.ctypes.data - offset, device, 0, array.ndim, *kind, ctypes.addressof(self.shape),
            ctypes.addressof(self.strides), offset)
        self.deleter = Deleter(self.delete)
        function = ctypes.cast(self.deleter, ctypes.c_void_p)
        self.managed = (
            Managed(tensor, None, function) if version is None else Versioned(*version, None, function, flags, tensor))
        self.name = b"dltensor" if version is None else b"dltensor_versioned"
        # As exporters have it: a capsule that nobody took gives the tensor back.
        self.destructor = Destructor(lambda capsule: self.delete(None) if is_valid(capsule, self.name) else None)

    def delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, *, stream=None, **options):
        if self.old and options:
            raise TypeError("max_version")
        self.streams.append(stream)
        return capsule_of(ctypes.addressof(self.managed), self.name, self.destructor)


def near(result, image, sigma, **options):
    """Whether a result is that of the CPU, within its rounding."""
    expected = frostglass.blur(image, sigma, **options)
    return result.shape == expected.shape and np.abs(result.astype(int) - expected).max() <= 1


@pytest.mark.parametrize("wrap", [Interface, Exporter, lambda array: Exporter(array, version=None),
                                  lambda array: Exporter(array, version=None, old=True),
                                  lambda array: Exporter(array, offset=64), lambda array: Exporter(array, device=13)])
@pytest.mark.parametrize("shape", [(50, 60), (50, 60, 1), (50, 60, 3), (2, 50, 60, 3)])
def test_arrays_go_in_and_come_out(wrap, shape):
    image, room = noise(*shape), np.zeros(shape, "uint8")
    out = Interface(room)
    source = wrap(image)
    assert frostglass.blur(source, 6, out=out) is out
    assert near(room, image, 6)
    assert getattr(source, "deleted", 1) == 1


@pytest.mark.parametrize("alpha", ["premultiplied", "none"])
def test_four_channels(alpha):
    image, room = noise(50, 60, 4), np.zeros((50, 60, 4), "uint8")
    image[..., :3] = np.minimum(image[..., :3], image[..., 3:])
    if alpha == "none":
        image, room = image.transpose(2, 0, 1).copy(), room.transpose(2, 0, 1).copy()
        frostglass.blur(Interface(image), 3, alpha_mode=alpha, layout="CHW", out=Interface(room))
        assert near(room, image, 3, alpha_mode=alpha, layout="CHW")
    else:
        frostglass.blur(Interface(image), 3, alpha_mode=alpha, out=Interface(room))
        assert near(room, image, 3, alpha_mode=alpha)


@pytest.mark.parametrize("layout, shape", [
    ("CHW", (3, 50, 60)), ("NCHW", (2, 3, 50, 60)), ("NHW", (4, 50, 60)), ("HWC", (50, 60, 3)), ("NCHW", (2, 31, 20, 30))])
def test_layouts(layout, shape):
    image, room = noise(*shape), np.zeros(shape, "uint8")
    frostglass.blur(Exporter(image), 5, layout=layout, out=Exporter(room))
    assert near(room, image, 5, layout=layout)


def test_each_image_of_a_batch_has_its_sigma():
    image, room = noise(3, 40, 50, 3), np.zeros((3, 40, 50, 3), "uint8")
    frostglass.blur(Interface(image), [1, 5, 20], out=Interface(room))
    assert near(room, image, [1, 5, 20])


def test_parts_of_arrays_have_gaps_between_rows():
    image, room = noise(80, 90, 3), np.full((80, 90, 3), 9, "uint8")
    frostglass.blur(Interface(image[10:50, 20:70]), 4, out=Interface(room[5:45, 7:57]))
    assert near(room[5:45, 7:57], image[10:50, 20:70], 4)
    room[5:45, 7:57] = 9
    assert (room == 9).all()


class Tensor:
    """A tensor of a module named torch, as far as it is asked."""

    def __init__(self, array, is_cuda=True):
        self.array, self.is_cuda, self.device = array, is_cuda, "cuda:0"
        self.exporter = Exporter(array)

    def __dlpack_device__(self):
        return self.exporter.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.exporter.__dlpack__(**options)


def test_torchs_tensors_come_back_on_their_stream(monkeypatch, tmp_path):
    log = tmp_path / "log"
    monkeypatch.setenv("STUB_CUDA_LOG", str(log))
    torch = types.ModuleType("torch")
    torch.Tensor = Tensor
    torch.empty_like = lambda tensor: Tensor(np.empty_like(tensor.array))
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=4242))
    monkeypatch.setitem(sys.modules, "torch", torch)
    source = Tensor(noise(50, 60, 3))
    result = frostglass.blur(source, 5)
    assert isinstance(result, Tensor) and near(result.array, source.array, 5)
    assert source.exporter.streams == result.exporter.streams == [4242]
    assert source.exporter.deleted == result.exporter.deleted == 1
    launches = [line for line in log.read_text().splitlines() if line.startswith("launch")]
    assert launches and all(line.startswith("launch 4242 ") for line in launches)


def test_an_interfaces_stream_is_used(monkeypatch, tmp_path):
    log = tmp_path / "log"
    monkeypatch.setenv("STUB_CUDA_LOG", str(log))
    for stream, number in [(None, 1), (1, 1), (2, 2), (77, 77)]:
        log.write_text("")
        frostglass.blur(
            Interface(noise(30, 40), stream=stream), 2, out=Interface(np.zeros((30, 40), "uint8")))
        assert f"launch {number} convolve_gray_slot" in log.read_text()


@pytest.mark.parametrize("image, words", [
    (Interface(noise(30, 40), stream=0), "stream is 0"),
    (Interface(noise(30, 40), shape=(30,)), "as many strides|shape"),
    (Interface(noise(30, 40), typestr="|i1"), "other samples than uint8"),
    (Interface(noise(30, 40).astype("float32")), "other samples than uint8"),
    (Interface(noise(30, 40), mask=1), "masked arrays"),
    (Interface(noise(30, 40), data=None), "not as it should be"),
    (Interface(noise(30, 0)), "no pixels"),
    (Interface(noise(30, 40)[::-1]), "go upward"),
    (Interface(noise(30, 80)[:, ::2]), "not side by side"),
    (Exporter(noise(30, 40), kind=(2, 16, 1)), "other samples than uint8"),
    (Exporter(noise(30, 40), kind=(1, 8, 4)), "other samples than uint8"),
    (Exporter(noise(30, 40), version=(2, 0)), "DLPack 2.0"),
])
def test_what_cannot_be_read_is_said(image, words):
    with pytest.raises(frostglass.Error, match=words):
        frostglass.blur(image, 3, out=Interface(np.zeros((30, 40), "uint8")))
    assert getattr(image, "deleted", 1) == 1


@pytest.mark.parametrize("out, words", [
    (None, "needs a place"), (np.zeros((30, 40), "uint8"), "not on a CUDA device"),
    (Interface(np.zeros((31, 40), "uint8")), "has the shape"),
    (Interface(np.zeros((30, 40), "uint8"), data=(64, True)), "read-only"),
    (Exporter(np.zeros((30, 40), "uint8"), flags=1), "read-only"),
])
def test_places_that_do_not_fit_are_refused(out, words):
    with pytest.raises(frostglass.Error, match=words):
        frostglass.blur(Interface(noise(30, 40)), 3, out=out)


def test_the_image_is_no_place_for_its_result():
    image = Interface(noise(30, 40))
    with pytest.raises(frostglass.Error, match="overlaps"):
        frostglass.blur(image, 3, out=image)


@pytest.mark.parametrize("call, words", [
    (lambda image, **o: frostglass.median(image, 3, **o), "Median passes"),
    (lambda image, **o: frostglass.blur(image, 3, regions="3,3,9,9", **o), "passes"),
    (lambda image, **o: frostglass.blur(image, 3, linear=True, **o), "linear light"),
    (lambda image, **o: frostglass.blur(image, 3, progress=print, **o), "progress"),
    (lambda image, **o: frostglass.Filter("blur(1px)", "blur(2px)")(image, **o), "2 filter texts"),
    (lambda image, **o: frostglass.opacity(image, 0.5, **o), "CPU"),
])
def test_other_filters_are_refused_with_the_reason(call, words):
    with pytest.raises(frostglass.Error, match=words):
        call(Interface(noise(30, 40, 3)), out=Interface(np.zeros((30, 40, 3), "uint8")))


def test_faults_of_the_driver_are_errors(monkeypatch):
    for fault, words in [("memory", "memory left"), ("launch", "LAUNCH_FAILED"), ("host-memory", "not in a CUDA")]:
        monkeypatch.setenv("STUB_CUDA", fault)
        with pytest.raises(frostglass.Error, match=words):
            frostglass.blur(Interface(noise(30, 40)), 3, out=Interface(np.zeros((30, 40), "uint8")))


def test_without_a_driver_it_is_said_and_nothing_of_cuda_is_opened_before():
    code = """
import sys, numpy, frostglass
frostglass.blur(numpy.zeros((8, 8), "uint8"), 1)
assert "libcuda" not in open("/proc/self/maps").read()
class Interface:
    def __init__(self): self.array = numpy.zeros((8, 8), "uint8"); self.__cuda_array_interface__ = dict(
        self.array.__array_interface__)
try: frostglass.blur(Interface(), 1, out=Interface())
except frostglass.Error as error: print(error.code, error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if "cannot be opened" not in run.stdout and "libcuda" in run.stdout + run.stderr:
        pytest.skip("there is a driver here")
    assert run.stdout.startswith("FG_UNAVAILABLE the cuda backend is not available: libcuda.so.1 cannot be opened"), (
        run.stdout + run.stderr)


def test_opaque_images_fade_beyond_a_transparent_edge():
    image, room = noise(50, 60, 4), np.zeros((50, 60, 4), "uint8")
    frostglass.blur(Interface(image), 5, alpha_mode="opaque", edge="transparent", out=Interface(room))
    assert near(room, image, 5, alpha_mode="opaque", edge="transparent")


@pytest.mark.parametrize("layout", ["NHW", "CHW"])
def test_a_batch_is_no_place_for_its_own_results(layout):
    memory = noise(4, 30, 40)
    with pytest.raises(frostglass.Error, match="overlaps the image"):
        frostglass.blur(Interface(memory[:3]), 3, layout=layout, out=Interface(memory[1:]))
    one = np.broadcast_to(np.zeros((30, 40), "uint8"), (3, 30, 40))
    about = Interface(one, data=(one.__array_interface__["data"][0], False))
    with pytest.raises(frostglass.Error, match="overlap each other"):
        frostglass.blur(Interface(memory[:3]), 3, layout=layout, out=about)


def test_places_have_streams_too(monkeypatch, tmp_path):
    log = tmp_path / "log"
    monkeypatch.setenv("STUB_CUDA_LOG", str(log))
    frostglass.blur(Interface(noise(30, 40)), 2, out=Interface(np.zeros((30, 40), "uint8"), stream=77))
    assert "launch 77 convolve_gray_slot" in log.read_text()
    with pytest.raises(frostglass.Error, match="different streams"):
        frostglass.blur(
            Interface(noise(30, 40), stream=5), 2, out=Interface(np.zeros((30, 40), "uint8"), stream=77))
