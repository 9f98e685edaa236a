"""Pixels wherever they are: NumPy, Pillow, DLPack, buffers. None of these modules is imported here."""
import ctypes
import operator
import sys

from ._library import Error

SIZES = {"u1": 1, "u2": 2, "f4": 4}
BUFFER_FORMATS = {"B": "u1", "H": "u2", "f": "f4"}
NAMES = {"u1": "uint8", "u2": "uint16", "f4": "float32"}
CODES = {"u1": "B", "u2": "H", "f4": "f"}
PILLOW_MODES = {
    "L": (1, "u1"), "RGB": (3, "u1"), "RGBA": (4, "u1"), "RGBa": (4, "u1"), "I;16": (1, "u2"),
    "F": (1, "f4"),
}


class Pixels:
    """The address of samples, with shape and strides in bytes.

    The shape is (height, width, channels) after `frames`, how many images there are, None for an image
    that is not in a batch. `owner` keeps the memory; where nobody says whether it is read-only, that is None.
    """

    def __init__(self, name, address, shape, strides, sample, readonly, owner, source):
        self.name, self.address, self.sample = name, address, sample
        self.readonly, self.owner, self.source = readonly, owner, source
        self.given = tuple(shape)
        strides = contiguous(shape, SIZES[sample]) if strides is None else tuple(strides)
        self.frames, self.shape = layout(self.given, name)
        if len(self.given) == 2:
            strides += (SIZES[sample],)
        self.frame_stride = strides[0] if self.frames is not None else 0
        self.strides = strides[-3:]

    @property
    def channels(self):
        return self.shape[2]

    def shape_with(self, channels):
        """The shape of a result with so many channels: as it was given, where it has as many."""
        if channels == self.channels:
            return self.given
        return self.given[:1] * (self.frames is not None) + self.shape[:2] + (channels,)

    @property
    def row(self):
        """Bytes of a row's pixels."""
        return self.shape[1] * self.shape[2] * SIZES[self.sample]

    @property
    def stride(self):
        """From row to row, in bytes."""
        return self.strides[0] if self.shape[0] > 1 else self.row

    @property
    def is_plain(self):
        """True if pixels of a row are contiguous, lower rows at higher addresses, and samples aligned."""
        height, width, channels = self.shape
        size = SIZES[self.sample]
        return (
            (channels == 1 or self.strides[2] == size)
            and (width == 1 or self.strides[1] == size * channels)
            and self.stride >= self.row and self.stride % size == 0 and self.address % size == 0
            and self.frame_stride % size == 0)

    @property
    def extent(self):
        """The first address and the one after the last, of images that are plain."""
        frames = self.frame_stride * ((self.frames or 1) - 1)
        first = self.address + min(frames, 0)
        last = self.address + max(frames, 0) + self.stride * (self.shape[0] - 1) + self.row
        return first, last


def contiguous(shape, size):
    """Strides without gaps."""
    strides = []
    for length in reversed(shape):
        strides.insert(0, size)
        size *= length
    return tuple(strides)


def layout(shape, name):
    """Returns the number of images (None for a single one) and (height, width, channels)."""
    words = f"{name} has the shape {shape}"
    if any(side <= 0 for side in (shape[1:] if len(shape) == 4 else shape)):
        raise Error(f"{words} and so no pixels")
    if len(shape) == 2:
        return None, shape + (1,)
    if len(shape) not in (3, 4):
        raise Error(f"{words}; it must be (height, width), (height, width, channels) or "
                    "(images, height, width, channels)")
    if shape[-1] in (1, 3, 4):
        return (shape[0] if len(shape) == 4 else None), shape[-3:]
    first = "NCHW" if len(shape) == 4 else "CHW"
    if shape[-3] in (1, 3, 4):
        raise Error(f"{words}, which looks like channels first: say so with layout=\"{first}\"")
    if len(shape) == 4:
        raise Error(f"{words}, whose axes are not plain: say which is what with layout=\"NHWC\" or \"NCHW\"")
    raise Error(f"{words}, whose axes are not plain: say which is what with layout=\"NHW\" for a batch of grays, "
                "\"HWC\" or \"CHW\" for channels that are each blurred by themselves")


# What to call for other samples: of torch's tensors, and of arrays.
REMEDIES = {
    "bool": ("tensor.byte() * 255", "array.astype(\"uint8\") * 255"),
    "float64": ("tensor.float()", "array.astype(\"float32\")"),
    "int": ("tensor.byte() for values from 0 to 255, tensor.float() for others",
            "array.astype(\"uint8\") for values from 0 to 255, array.astype(\"float32\") for others"),
}


def refuse(kind, name, source):
    """Says what is taken instead of other samples, in the words of the caller's library."""
    known = "int" if "int" in kind else kind if kind in REMEDIES else "float64"
    remedy = REMEDIES[known][0 if is_torch(source) else 1]
    raise Error(f"{name} has samples of {kind}; uint8, uint16, float32, float16 and bfloat16 are taken: {remedy}")


def pixels(source, name="the image"):
    """The pixels of any object that has some."""
    if source is None:
        raise Error(f"{name} is None")
    if is_pillow(source):
        return from_pillow(source, name)
    if isinstance(source, type):
        raise Error(f"{name} is {source.__name__}, a class; an object of it may have pixels")
    if hasattr(source, "__array_interface__"):
        return from_interface(source, name)
    if hasattr(source, "__dlpack__"):
        return from_dlpack(source, name)
    return from_buffer(source, name)


def readable(source, name="the image"):
    """The pixels of any object, copied where they are not row after row."""
    found = pixels(source, name)
    return found if found.is_plain else copied(found, name)


def copied(found, name):
    """The same pixels without gaps, copied once."""
    source = found.source
    if hasattr(source, "contiguous") and "torch" in sys.modules:
        whole = source.contiguous()
        return pixels(source.clone() if whole is source else whole, name)
    if hasattr(source, "__array_interface__") or hasattr(source, "__dlpack__"):
        import numpy

        array = source if hasattr(source, "__array_interface__") else numpy.from_dlpack(source)
        return from_interface(numpy.array(array, order="C", copy=True), name)
    view = memoryview(source)
    return from_buffer(
        memoryview(bytearray(view.tobytes())).cast(CODES[found.sample], list(view.shape)), name)


def is_pillow(source):
    return isinstance(source, getattr(sys.modules.get("PIL.Image"), "Image", ()))


def is_torch(source):
    """True for a torch tensor, or an instance of a subclass."""
    return isinstance(source, getattr(sys.modules.get("torch"), "Tensor", ()))


def from_pillow(source, name):
    if source.mode not in PILLOW_MODES:
        raise Error(f"{name} is a Pillow image of mode {source.mode}; 1, L, LA, P, RGB, RGBA, RGBa, RGBX, CMYK, "
                    "YCbCr, I;16 and F are taken: convert it first, such as with image.convert(\"RGB\")")
    channels, sample = PILLOW_MODES[source.mode]
    data = bytearray(source.tobytes())
    shape = (source.height, source.width) + ((channels,) if channels > 1 else ())
    place = (ctypes.c_char * len(data)).from_buffer(data) if data else None
    address = ctypes.addressof(place) if data else 0
    return Pixels(name, address, shape, None, sample, True, (data, place), source)


def from_interface(source, name):
    about = source.__array_interface__
    try:
        kind, data, strides = str(about["typestr"]), about.get("data"), about.get("strides")
        shape = tuple(map(operator.index, about["shape"]))
        strides = None if strides is None else tuple(map(operator.index, strides))
        if len(strides or shape) != len(shape):
            raise TypeError("there are not as many strides as numbers in the shape")
        address, readonly = data if isinstance(data, tuple) else (0, False)
        address = operator.index(address)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Error(f"{name} cannot be read, as its __array_interface__ is not as it should be: "
                    f"{error}") from None
    sample = kind[1:]
    if sample in SIZES and kind[0] == (">" if sys.byteorder == "little" else "<"):
        raise Error(f"{name} has samples of {NAMES[sample]} with the other order of bytes: convert it with "
                    f"astype(\"{NAMES[sample]}\")")
    if sample not in SIZES:
        refuse(getattr(getattr(source, "dtype", None), "name", kind), name, source)
    # Of NumPy's masked arrays; pixels that are not there would be blurred into their neighbors.
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(source, masked.MaskedArray) and masked.is_masked(source):
        raise Error(f"{name} is a masked array, and some of it is masked: give its pixels a value "
                    "with filled(0), or take those below with .data")
    if isinstance(data, tuple):
        owner = source
    else:
        held = Buffer(source if data is None else data, name)
        offset = about.get("offset", 0)
        steps = [step * (side - 1) for side, step in zip(
            shape, contiguous(shape, SIZES[sample]) if strides is None else strides)]
        first = offset + sum(step for step in steps if step < 0)
        last = offset + sum(step for step in steps if step > 0) + SIZES[sample]
        if first < 0 or last > held.length:
            raise Error(f"{name} has the shape {shape} in a buffer of {held.length} bytes, which is "
                        "less than it takes")
        address, readonly, owner = held.address + offset, held.readonly, held
    return Pixels(
        name, address, shape, strides, sample, readonly, owner, source)


class Buffer:
    """A buffer that an object exports, for as long as this is there."""

    class View(ctypes.Structure):
        """Py_buffer."""

        _fields_ = [
            ("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
            ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
            ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
            ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
            ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)), ("internal", ctypes.c_void_p),
        ]

    STRIDED = 0x0010 | 0x0008 | 0x0004  # PyBUF_STRIDES, with shape and format

    def __init__(self, source, name):
        self.view = None
        view = self.View()
        try:
            ctypes.pythonapi.PyObject_GetBuffer(
                ctypes.py_object(source), ctypes.byref(view), self.STRIDED)
        except ValueError as error:  # Such as a memoryview that was released.
            raise Error(f"{name} cannot be read: {error}") from None
        except (TypeError, BufferError):
            raise Error(f"{name} is a {type(source).__name__}, which has no pixels that can be "
                        "read: arrays, Pillow images, tensors and buffers have") from None
        self.view = view
        self.address, self.readonly, self.length = view.buf or 0, bool(view.readonly), view.len
        self.shape = tuple(view.shape[:view.ndim]) if view.shape else ()
        # Arrays of ctypes have none, whatever they are asked for: they have no gaps.
        self.strides = tuple(view.strides[:view.ndim]) if view.strides else None
        self.format = (view.format or b"B").decode().lstrip("@=<" if sys.byteorder == "little" else "@=>")

    def __del__(self):
        if self.view is not None:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self.view))


def from_buffer(source, name):
    held = Buffer(source, name)
    if len(held.shape) < 2:
        raise Error(f"{name} is a {type(source).__name__} without a shape; give it one: "
                    "memoryview(data).cast(\"B\", (height, width, channels))")
    if held.format not in BUFFER_FORMATS:
        refuse(held.format, name, source)
    return Pixels(
        name, held.address, held.shape, held.strides, BUFFER_FORMATS[held.format], held.readonly,
        held, source)


class Tensor(ctypes.Structure):
    """DLTensor of DLPack, with which DLManagedTensor begins."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("number", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
    ]


class VersionedTensor(ctypes.Structure):
    """DLManagedTensorVersioned, of DLPack 1.0 and later."""

    READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY

    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]


# The CPU's memory, and what it shares with GPUs of CUDA and ROCm, as torch's pinned tensors.
NEAR = (1, 3, 11)
# Modules with arrays that never change, whatever they export.
UNCHANGING = ("jax", "jaxlib", "tensorflow")
KINDS = {(1, 8): "u1", (1, 16): "u2", (2, 32): "f4"}


def from_dlpack(source, name):
    try:
        device = source.__dlpack_device__()[0]
        # A number, or what torch has for numbers.
        if getattr(device, "value", device) not in NEAR:
            raise Error(f"{name} is on a device; the CPU's memory is taken: tensor.cpu()")
        capsule, tensor, readonly = exported(source)
    except Error:
        raise
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        # Such as of torch's device "meta", where tensors have no memory.
        raise Error(f"{name} cannot be read: {error}") from None
    sample = KINDS.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if sample is None:
        words = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}.get(tensor.code, "type ")
        refuse("bool" if words == "bool" else f"{words}{tensor.bits}", name, source)
    size = SIZES[sample]
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(size * step for step in tensor.strides[:tensor.ndim]) if tensor.strides else None
    return Pixels(
        name, (tensor.data or 0) + tensor.offset, shape, strides, sample, readonly,
        (capsule, source), source)


def exported(source, **options):
    """A capsule of DLPack, the tensor in it, and whether that is read-only: None is not known.

    options: of `__dlpack__`.
    """
    try:
        capsule = source.__dlpack__(max_version=(1, 0), **options)
    except TypeError:  # Before DLPack 1.0 there were no versions to ask for.
        capsule = source.__dlpack__(**options)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    is_named = ctypes.pythonapi.PyCapsule_IsValid
    is_named.restype, is_named.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
    if is_named(capsule, b"dltensor_versioned"):
        whole = VersionedTensor.from_address(pointer(capsule, b"dltensor_versioned"))
        if whole.major != 1:
            raise BufferError(f"it is of DLPack {whole.major}.{whole.minor}")
        readonly = bool(whole.flags & whole.READ_ONLY)
        tensor = whole.tensor
    else:
        # What torch exports can be written to; others have arrays that never change.
        readonly = False if is_torch(source) else None
        tensor = Tensor.from_address(pointer(capsule, b"dltensor"))
    changes = type(source).__module__.partition(".")[0] not in UNCHANGING
    return capsule, tensor, readonly if changes else True


def pillow_mode(found, channels):
    """The mode of a result with so many channels."""
    if channels == 4 and found.source.mode == "RGBa":
        return "RGBa"
    for mode, kind in PILLOW_MODES.items():
        if kind == (channels, found.sample):
            return mode
    raise Error(f"the result has {channels} channels of {NAMES[found.sample]}, for which Pillow has no mode: "
                "give an array, such as numpy.asarray(image)")


def result_for(found, channels):
    """Room for a result like the given pixels, and what makes of it what the caller gets."""
    source, sample = found.source, found.sample
    shape = found.shape_with(channels)
    if is_pillow(source):
        mode = pillow_mode(found, channels)
        size = found.shape[0] * found.shape[1] * channels * SIZES[sample]
        data = bytearray(size)
        place = (ctypes.c_char * size).from_buffer(data)
        room = Pixels(
            "out", ctypes.addressof(place), shape, None, sample, False, (data, place), source)

        def made():
            return sys.modules["PIL.Image"].frombuffer(mode, source.size, bytes(data), "raw", mode, 0, 1)

        return room, made
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and isinstance(source, numpy.ndarray):
        array = numpy.empty(shape, sample)
        return from_interface(array, "out"), lambda: array
    if is_torch(source):
        tensor = torch.empty(shape, dtype=source.dtype)
        return from_dlpack(tensor, "out"), lambda: tensor
    length = SIZES[sample]
    for side in shape:
        length *= side
    view = memoryview(bytearray(length)).cast(CODES[sample], list(shape))
    return from_buffer(view, "out"), lambda: view


def writable(out, found, channels):
    """The caller's memory for a result with so many channels."""
    if is_pillow(out):
        raise Error("out is a Pillow image, which cannot be written to: leave it away")
    room = pixels(out, "out")
    shape = found.shape_with(channels)
    if room.given != shape or room.sample != found.sample:
        raise Error(f"out has the shape {room.given} and samples {NAMES[room.sample]}; the result has "
                    f"{shape} and {NAMES[found.sample]}")
    if room.readonly:
        raise Error("out is read-only")
    if room.readonly is None:
        raise Error("out does not say whether it may be written to, as DLPack has it from 1.0 on")
    if not room.is_plain:
        raise Error("out has pixels that are not side by side in rows, or rows that go upward")
    frames = room.frames or 1
    height = room.stride * (room.shape[0] - 1) + room.row
    if frames > 1:
        if abs(room.frame_stride) < height:
            raise Error("images of out overlap each other")
        (first, last), (start, end) = room.extent, found.extent
        is_same = (room.address, room.strides, room.frame_stride) == (
            found.address, found.strides, found.frame_stride)
        if first < end and start < last and not is_same:
            raise Error("out overlaps the image")
    return room
