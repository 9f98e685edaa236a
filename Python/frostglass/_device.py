"""Arrays in a CUDA device's memory, filtered where they are: torch, CuPy, and what has their interfaces.

Nothing of CUDA is imported or started before such an array comes.
"""
import operator
import sys

from . import _library as lib
from ._forms import Axes
from ._library import Error
from ._pixels import exported, is_pillow, is_torch, layout

CUDA, MANAGED = 2, 13  # Devices of DLPack.
DEFAULT = 1  # The default stream, by the number that both interfaces have for it.
TAKEN = (1, 3, 4)


def holds(image):
    """Whether an image is an array on a CUDA device."""
    if hasattr(image, "__array_interface__") or is_pillow(image) or isinstance(image, type):
        return False
    if is_torch(image):
        return getattr(image, "is_cuda", False)
    try:
        # Older JAX raises other errors than AttributeError for arrays on the CPU.
        return hasattr(image, "__cuda_array_interface__") or device_of(image) in (CUDA, MANAGED)
    except Exception:  # Whatever it is, other modules say what is wrong with it.
        return False


def device_of(image):
    """The kind of device, by DLPack's number."""
    device = image.__dlpack_device__()[0]
    return getattr(device, "value", device)


def apply(filters, image, out, progress, is_each):
    """Filters an array on a device, in its stream: as _batch.apply."""
    if progress is not None:
        raise Error("progress is for images on the CPU; on a device nobody waits for the result")
    first = filters[0]
    if len(first.filters) != 1:
        raise Error(f"there are {len(first.filters)} filter texts; for arrays on a device it must be 1")
    streams = {stream_of(image), None if out is None else stream_of(out)} - {None}
    if len(streams) > 1:
        raise Error("the image and out are in different streams: wait for one of them, or make both in one")
    stream = streams.pop() if streams else DEFAULT
    source = found(image, "the image", stream)
    if first.options["layout"] is None and not first.is_planar:
        layout(source.shape, source.name)  # Refuses what is not plain.
    given = out
    if out is None:
        out = empty_like(image)
    if not holds(out):
        raise Error("out is not on a CUDA device; the image is")
    target = found(out, "out", stream)
    if target.shape != source.shape:
        raise Error(f"out has the shape {target.shape}; the result has {source.shape}")
    if given is not None and target.readonly is not False:
        raise Error("out is read-only, or does not say that it may be written to")
    axes = Axes(first.options["layout"], source.shape)
    places, rooms = Places(source, axes), Places(target, axes)
    if is_each and len(filters) != places.count:
        raise Error(f"there are values for {len(filters)} images, but {places.count} in the batch")
    if places.is_split(first) or rooms.is_split(first):
        for place in (places, rooms):
            place.split(first)
    if places.count * places.planes > 1:
        (low, high), (start, end) = places.extent, rooms.extent
        if low < end and start < high:
            raise Error("out overlaps the image")
        if rooms.overlap:
            raise Error("images of out overlap each other")
    alpha = first._alpha if places.channels == 4 else 0
    for number in range(places.count):
        filter = filters[number if is_each else 0]
        kept = filter.planned((places.height, places.width, places.channels), "u1", alpha)
        if kept.channels != [places.channels]:
            raise Error("filters that make colors or transparency run on the CPU")
        for plane in range(places.planes):
            lib.call(
                "fg_plan_run_device", kept.handle, places.image(number, plane, alpha, first),
                rooms.image(number, plane, kept.alphas[0], first), stream)
    return out


def stream_of(image):
    """The stream in which an array's library works, as an address or number; None if it does not say."""
    if is_torch(image):
        return sys.modules["torch"].cuda.current_stream(image.device).cuda_stream or DEFAULT
    if is_cupy(image):
        with image.device:  # Each device has a current stream.
            return sys.modules["cupy"].cuda.get_current_stream().ptr or DEFAULT
    about = getattr(image, "__cuda_array_interface__", None)
    stream = about.get("stream") if isinstance(about, dict) else None
    if stream is None:
        return None
    if isinstance(stream, bool) or not isinstance(stream, int) or stream < 1:
        raise Error(f"the image's stream is {lib.shown(stream)}; it must be None or from 1 on")
    return stream


def is_cupy(image):
    return isinstance(image, getattr(sys.modules.get("cupy"), "ndarray", ()))


def empty_like(image):
    """Room for a result of the caller's library."""
    if is_torch(image):
        return sys.modules["torch"].empty_like(image)
    if is_cupy(image):
        with image.device:
            return sys.modules["cupy"].empty_like(image)
    raise Error(f"a {type(image).__name__} on a device needs a place for the result: out=, like the image")


class Found:
    """Where an array's samples are: strides in bytes; `owner` keeps the memory until it is not used here."""

    def __init__(self, name, address, shape, strides, readonly, owner):
        self.name, self.address, self.shape, self.readonly, self.owner = name, address, shape, readonly, owner
        if strides is None:
            strides, length = [], 1
            for side in reversed(shape):
                strides.insert(0, length)
                length *= side
        self.strides = tuple(strides)


def found(source, name, stream):
    """The samples of an array on a device, ready in a stream."""
    if not is_torch(source) and hasattr(source, "__cuda_array_interface__"):
        return from_interface(source, name)
    try:
        if device_of(source) not in (CUDA, MANAGED):
            raise Error(f"{name} is on another kind of device; CUDA's are taken")
        capsule, tensor, readonly = exported(source, stream=stream)
    except Error:
        raise
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise Error(f"{name} cannot be read: {error}") from None
    if (tensor.code, tensor.bits, tensor.lanes) != (1, 8, 1):
        refuse(name)
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else None
    return Found(name, (tensor.data or 0) + tensor.offset, shape, strides, readonly, capsule)


def from_interface(source, name):
    about = source.__cuda_array_interface__
    try:
        kind, (address, readonly), strides = about["typestr"], about["data"], about.get("strides")
        shape = tuple(map(operator.index, about["shape"]))
        strides = None if strides is None else tuple(map(operator.index, strides))
        address = operator.index(address)
        if len(strides or shape) != len(shape):
            raise TypeError("there are not as many strides as numbers in the shape")
        if about.get("mask") is not None:
            raise ValueError("masked arrays are not taken")
    except (KeyError, TypeError, ValueError) as error:
        raise Error(f"{name} cannot be read, as its __cuda_array_interface__ is not as it should be: "
                    f"{error}") from None
    if str(kind)[1:] != "u1":
        refuse(name)
    return Found(name, address, shape, strides, bool(readonly), source)


def refuse(name):
    raise Error(f"{name} has other samples than uint8, which alone are filtered on a device: copy it to the CPU")


class Places:
    """The images of an array: side by side in pixels, or in planes."""

    def __init__(self, array, axes):
        self.array, self.planes = array, 1
        if any(side <= 0 for side in array.shape):
            raise Error(f"{array.name} has the shape {array.shape} and so no pixels")
        self.height, self.width = array.shape[axes.height], array.shape[axes.width]
        self.channels = 1 if axes.channel is None else array.shape[axes.channel]
        self.row, self.column = array.strides[axes.height], array.strides[axes.width]
        self.plane = 0 if axes.channel is None else array.strides[axes.channel]
        self.offsets = [0]
        for axis in axes.batch:
            self.offsets = [
                offset + number * array.strides[axis] for offset in self.offsets
                for number in range(array.shape[axis])]
        self.count = len(self.offsets)

    @property
    def extent(self):
        """The first address and the one after the last."""
        ends = [step * (side - 1) for step, side in zip(self.array.strides, self.array.shape)]
        first = self.array.address + sum(end for end in ends if end < 0)
        return first, self.array.address + sum(end for end in ends if end > 0) + 1

    @property
    def overlap(self):
        """Whether a byte may be of two samples."""
        reach = 0
        for step, side in sorted(
                (abs(step), side) for step, side in zip(self.array.strides, self.array.shape) if side > 1):
            if step <= reach:
                return True
            reach += step * (side - 1)
        return False

    def is_split(self, filter):
        """Whether each channel is an image by itself."""
        is_side_by_side = (self.channels == 1 or self.plane == 1) and (
            self.width == 1 or self.column == self.channels)
        return filter.is_planar or self.channels not in TAKEN or not is_side_by_side

    def split(self, filter):
        """Takes each channel as an image."""
        from ._batch import is_gaussian

        if not is_gaussian(filter) or (self.channels == 4 and not filter.is_planar):
            raise Error("planes, and channels other than 1, 3 and 4, take frostglass.blur alone on a device, and "
                        "four of them with alpha_mode=\"none\"")
        if self.width > 1 and self.column != 1:
            raise Error(f"{self.array.name} has pixels that are not side by side: make it contiguous")
        self.planes, self.channels = self.channels, 1

    def image(self, number, plane, alpha, filter):
        """An image as C is told of it."""
        stride = self.row if self.height > 1 else self.width * self.channels
        if stride < self.width * self.channels:
            raise Error(f"{self.array.name} has rows that overlap or go upward: make it contiguous")
        return lib.sized(
            lib.Image, data=self.array.address + self.offsets[number] + plane * self.plane, width=self.width,
            height=self.height, stride=stride, alpha=alpha, transfer=filter._transfer,
            format=lib.format_of(self.channels, "u1", filter.options["order"]))
