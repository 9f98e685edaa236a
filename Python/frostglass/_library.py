"""The shared library: its functions and structures as frostglass.h declares them."""
import ctypes
import operator
import os
import threading

ABI_VERSION = 1
LARGEST_ERROR = 1024

FORMATS = {
    (1, "u1"): 1, (1, "u2"): 2, (1, "f4"): 3,
    (3, "u1"): 4, (3, "u2"): 5, (3, "f4"): 6,
    (4, "u1"): 7, (4, "u2"): 8, (4, "f4"): 9,
}
BLUE_FIRST = 6  # So much later in the header are formats that begin with blue.
CHANNELS = {
    number + later: channels for (channels, _), number in FORMATS.items()
    for later in ((0, BLUE_FIRST) if channels > 1 else (0,))
}
ORDERS = ("rgb", "bgr")
# The last is that the fourth channel is none: all are filtered alike.
ALPHAS = ("straight", "premultiplied", "opaque", "none")
TRANSFERS = ("encoded", "linear")
EDGES = ("clamp", "mirror", "wrap", "transparent", "reflect-101")
QUALITIES = ("exact", "fast", "exact16")
USES = ("show", "confine", "scale")
REDACT, REDACT_COLOR = 3, 4
BACKENDS = ("auto", "fast", "gl", "reference")

_size, _long, _int, _text = ctypes.c_size_t, ctypes.c_int64, ctypes.c_int32, ctypes.c_char_p
_pointer, _double = ctypes.c_void_p, ctypes.c_double


def format_of(channels, sample, order):
    """The header's number of a format."""
    return FORMATS[channels, sample] + (BLUE_FIRST if order == "bgr" and channels > 1 else 0)


class Error(ValueError):
    """An error, in one sentence with its reason.

    `code` is the status of frostglass.h, such as "FG_BAD_TEXT"; None where the library was not asked.
    """

    code = None
    __module__ = "frostglass"


class Image(ctypes.Structure):
    """fg_image."""

    _fields_ = [
        ("struct_size", _size), ("data", _pointer), ("width", _long), ("height", _long),
        ("stride", _long), ("format", _int), ("alpha", _int), ("transfer", _int),
        ("reserved", _int),
    ]


class EngineOptions(ctypes.Structure):
    """fg_engine_options."""

    _fields_ = [("struct_size", _size), ("threads", _long), ("memory_limit", _long)]


class BackendOptions(ctypes.Structure):
    """fg_backend_options, of the library with files and GPUs."""

    _fields_ = [
        ("struct_size", _size), ("threads", _long), ("memory_limit", _long), ("devices", _text),
        ("backend", _int), ("reserved", _int),
    ]


class Mask(ctypes.Structure):
    """fg_mask."""

    _fields_ = [
        ("struct_size", _size), ("regions", _text), ("feather", _text), ("grow", _text),
        ("picture", ctypes.POINTER(Image)), ("channel", _int), ("use", _int), ("inverted", _int),
        ("color", _int),
    ]


class PlanOptions(ctypes.Structure):
    """fg_plan_options."""

    _fields_ = [
        ("struct_size", _size), ("input", ctypes.POINTER(Image)), ("mask", ctypes.POINTER(Mask)),
        ("edge", _int), ("quality", _int), ("linear_light", _int), ("reserved", _int),
        ("scale", _double),
    ]


class PlanInfo(ctypes.Structure):
    """fg_plan_info."""

    _fields_ = [
        ("struct_size", _size), ("result", Image), ("results", _size),
        ("certified_error", _double), ("kernel_error", _double), ("model_error", _double),
        ("arithmetic_error", _double), ("memory", _long), ("multiply_adds", _double),
    ]


Progress = ctypes.CFUNCTYPE(_int, _pointer, _double)


class RunOptions(ctypes.Structure):
    """fg_run_options."""

    _fields_ = [("struct_size", _size), ("progress", Progress), ("context", _pointer)]


STRUCTURES = {
    "fg_image": Image, "fg_engine_options": EngineOptions, "fg_mask": Mask,
    "fg_plan_options": PlanOptions, "fg_plan_info": PlanInfo, "fg_run_options": RunOptions,
}

_loaded = None
_room = threading.local()


def library():
    """The library, loaded when it is first needed."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def _load():
    path = os.environ.get("FROSTGLASS_LIBRARY") or os.path.join(
        os.path.dirname(__file__), "libfrostglass.so")
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"frostglass: its library cannot be loaded: {error}") from None
    if loaded.fg_abi_version() != ABI_VERSION:
        raise ImportError(f"frostglass: {path} is of another version")
    for name, structure in STRUCTURES.items():
        if loaded.fg_sizeof(name.encode()) != ctypes.sizeof(structure):
            raise ImportError(f"frostglass: {path} has another {name}")
    reference = ctypes.POINTER
    error = [_text, _size]
    for name, arguments in {
        "engine_create": [reference(EngineOptions), reference(_pointer)],
        "plan_create": [
            _pointer, reference(_text), _size, reference(PlanOptions), reference(_pointer)],
        "plan_describe": [_pointer, _size, reference(PlanInfo)],
        "plan_text": [_pointer, _text, _size, reference(_size)],
        "plan_run": [
            _pointer, reference(Image), reference(Image), _size, reference(RunOptions)],
        "plan_run_device": [_pointer, reference(Image), reference(Image), _pointer],
        "catalog_json": [_text, _size, reference(_size)],
    }.items():
        getattr(loaded, "fg_" + name).argtypes = arguments + error
    loaded.fg_stop_when_set  # What is older has not.
    loaded.fg_cancel.argtypes, loaded.fg_cancel.restype = [_pointer], _size
    for name in ("engine_free", "plan_free"):
        getattr(loaded, "fg_" + name).argtypes = [_pointer]
    if hasattr(loaded, "fg_engine_create_on"):
        loaded.fg_engine_create_on.argtypes = [reference(BackendOptions), reference(_pointer)] + error
    loaded.fg_version.restype = loaded.fg_status_name.restype = _text
    return loaded


def sized(structure, **members):
    """A structure with its size in it."""
    return structure(struct_size=ctypes.sizeof(structure), **members)


def call(name, *arguments):
    """Calls a function that can fail; threads of Python go on meanwhile."""
    error = _room.__dict__.get("error")
    if error is None:
        error = _room.error = ctypes.create_string_buffer(LARGEST_ERROR)
    status = getattr(library(), name)(*arguments, error, LARGEST_ERROR)
    if status:
        failure = Error(error.value.decode())
        failure.code = library().fg_status_name(status).decode()
        raise failure


def text(name, *arguments):
    """Returns the text that a function writes into a buffer."""
    needed = _size()
    call(name, *arguments, None, 0, needed)
    buffer = ctypes.create_string_buffer(needed.value)
    call(name, *arguments, buffer, needed.value, None)
    return buffer.value.decode()


_engines = {}


def engine(threads, backend="fast", device=None):
    """The engine with so many threads on a backend, which stays; 0 threads are one on each core."""
    threads = whole(threads, "threads")
    if not 0 <= threads <= 1024:
        raise Error(f"threads is {shown(threads)}; it must be from 0 to 1024")
    number = choice(backend, BACKENDS, "backend")
    if device is not None and (backend != "gl" or not isinstance(device, str)):
        raise Error(
            f"device is {device!r}; it must be a text such as \"0\", and goes with backend=\"gl\" alone")
    key = threads, backend, device
    known = _engines.get(key)
    if known is None:
        known = _pointer()
        if backend == "fast":
            call("fg_engine_create", sized(EngineOptions, threads=threads), known)
        elif hasattr(library(), "fg_engine_create_on"):
            options = sized(
                BackendOptions, threads=threads, backend=number,
                devices=None if device is None else device.encode("utf-8", "replace"))
            call("fg_engine_create_on", options, known)
        else:
            raise Error(
                f"backend is {backend!r}; the library of the wheel has \"fast\" alone, and "
                "libfrostglass-files.so, named by FROSTGLASS_LIBRARY, has all")
        known = _engines.setdefault(key, known)
    return known


class PlanHandle:
    """A plan of the library's, freed with this, with channels and alpha of its results."""

    def __init__(self, handle, count):
        self.handle = handle
        self.free = library().fg_plan_free
        described = [sized(PlanInfo) for _ in range(count)]
        for result, info in enumerate(described):
            call("fg_plan_describe", handle, result, info)
        self.channels = [CHANNELS[info.result.format] for info in described]
        self.alphas = [info.result.alpha for info in described]
        self.multiply_adds = max(info.multiply_adds for info in described)

    def __del__(self):
        self.free(self.handle)


def choice(value, values, name):
    """The number of one of some words."""
    # Asked for first, as arrays are compared with each word to an array.
    if not isinstance(value, str) or value not in values:
        raise Error(f"{name} is {value!r}; it must be one of {', '.join(values)}")
    return values.index(value)


def whole(value, name):
    """A whole number of any type, NumPy's among them; True and False are none."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise Error(f"{name} is {shown(value)}; it must be a whole number")


def shown(value):
    """A value for an error's words."""
    try:
        return repr(value)
    except ValueError:  # Python writes no whole numbers of thousands of digits.
        return f"a {type(value).__name__} that is too long to be shown"
