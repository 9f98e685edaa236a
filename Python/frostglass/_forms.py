"""Forms that the library has not: channels first, planes, gray batches, half floats, modes of Pillow.

A form makes of what a caller has what the library takes, and of each result what is like the caller's.
"""
import sys

from ._library import Error, shown
from ._pixels import PILLOW_MODES, is_pillow, is_torch

HALVES = ("float16", "bfloat16", "torch.float16", "torch.bfloat16")
# Channels that the library takes side by side; others are planes, each by itself.
TAKEN = (1, 3, 4)
LETTERS = "NHWC"


def form_of(source, layout, is_planar, keeps_metadata=True, is_separable=False):
    """The form of a caller's image, batch, or anything that has pixels.

    layout
        Letters for its axes, such as "NCHW"; None is as usual: the last axis has the channels.
    is_planar
        Whether each channel is filtered by itself.
    is_separable
        Whether it makes no difference for three channels.
    """
    if is_pillow(source):
        if layout is not None:
            raise Error(f"layout is {layout!r}; it is for arrays, and images of Pillow need none")
        return PillowForm(source, is_planar, keeps_metadata)
    if layout is None and not is_planar and not is_half(getattr(source, "dtype", None)):
        return Form(source)
    return ArrayForm(source, layout, is_planar, is_separable)


def is_half(dtype):
    """True if samples are floats of 16 bits."""
    # Asked first, as NumPy takes a while to name a type.
    if getattr(dtype, "itemsize", 2) != 2 or getattr(dtype, "kind", "f") not in "fV":
        return False
    return str(dtype) in HALVES


class Form:
    """An image in a form that the library takes as it is.

    image
        What the library takes.
    planes
        How many images of it are channels of one.
    """

    planes = 1
    isolates = False
    is_batch = None  # Where the shape says it.

    def __init__(self, image):
        self.image = image

    def result(self, made):
        """Returns the result in the form of the caller's image."""
        return made


def letters_of(layout):
    """A layout's letters, in capitals."""
    letters = layout.upper() if isinstance(layout, str) else ""
    if not {"H", "W"} <= set(letters) <= set(LETTERS) or len(set(letters)) < len(letters):
        raise Error(f"layout is {shown(layout)}; it must have a letter for each axis: H and W, C for "
                    "channels, N for images of a batch, such as \"NCHW\"")
    return letters


class Axes:
    """The meaning of an array's axes."""

    def __init__(self, layout, shape):
        if layout is None:
            layout = {2: "HW", 3: "HWC", 4: "NHWC"}.get(len(shape), "NHWC")
        letters = letters_of(layout)
        more = len(shape) - len(letters)
        if more < 0 or (more and "N" in letters):
            raise Error(f"layout is {layout!r}, which has {len(letters)} axes; the shape {tuple(shape)} has "
                        f"{len(shape)}")
        self.batch = [*range(more), *(more + letters.index(axis) for axis in letters if axis == "N")]
        self.height, self.width = more + letters.index("H"), more + letters.index("W")
        self.channel = more + letters.index("C") if "C" in letters else None

    def order(self, channel_first=False):
        """Axes of the caller's array in the order that the library has."""
        channel = [] if self.channel is None else [self.channel]
        if channel_first:
            return self.batch + channel + [self.height, self.width]
        return self.batch + [self.height, self.width] + channel


class ArrayForm(Form):
    """An array whose axes are in another order, whose channels are planes, or that has half floats."""

    def __init__(self, source, layout, is_planar, is_separable):
        self.source = source
        array = array_of(source)
        self.axes = Axes(layout, array.shape)
        self.dtype = array.dtype
        sides = [array.shape[axis] for axis in self.axes.order()]
        if self.axes.channel is None:
            sides.append(1)
        self.batch, (height, width, channels) = sides[:-3], sides[-3:]
        # Floats that lie as planes stay so; whole numbers would be rounded otherwise in some pixels.
        is_split = is_separable and channels == 3 and "float" in str(self.dtype) and is_contiguous(
            permuted(array, self.axes.order(channel_first=True)))
        self.isolates = is_planar or channels not in TAKEN or is_split
        self.planes = channels if self.isolates else 1
        self.is_batch = bool(self.batch)
        view = permuted(array, self.axes.order(channel_first=self.isolates))
        self.is_view = is_contiguous(view)
        if is_half(self.dtype):
            view = single(view)
        count = self.planes
        for side in self.batch:
            count *= side
        # Without a batch it stays one image, so that errors tell of its shape.
        shape = (height, width, 1 if self.isolates else channels)
        self.image = view.reshape((count, *shape) if self.batch or self.isolates else shape)

    def result(self, made):
        height, width, channels = made.shape[-3:]
        axes = self.axes
        if self.isolates:
            sides = [*self.batch, self.planes, height, width]
            order = axes.order(channel_first=True)
            made = made.reshape(sides if axes.channel is not None else [*self.batch, height, width])
        else:
            order = axes.order()
            has_channels = axes.channel is not None or channels != 1
            if axes.channel is None and has_channels:  # They come last, as there is no place for them.
                order = order + [len(order)]
            made = made.reshape([*self.batch, height, width] + [channels] * has_channels)
        made = permuted(made, [order.index(axis) for axis in range(len(order))])
        if is_half(self.dtype):
            made = made.to(self.dtype) if is_torch(made) else made.astype(self.dtype)
        if not self.is_view:
            made = contiguous_copy(made)
        is_own = is_torch(self.source) or isinstance(self.source, sys.modules["numpy"].ndarray)
        return made if is_own else memoryview(made)

    def put(self, result, out):
        """Writes a result into the caller's array, and returns that."""
        place = array_of(out, "out")
        if tuple(place.shape) != tuple(result.shape) or place.dtype != result.dtype:
            raise Error(f"out has the shape {tuple(place.shape)} and samples {place.dtype}; the result has "
                        f"{tuple(result.shape)} and {result.dtype}")
        if is_torch(place):
            place.copy_(result)
        elif not place.flags.writeable:
            raise Error("out is read-only")
        else:
            place[...] = result
        return out


def array_of(source, name="the image"):
    """A tensor of torch as it is; anything else as an array of NumPy."""
    if is_torch(source):
        return source
    try:
        import numpy
    except ImportError:
        raise Error(f"{name}: layouts and half floats need NumPy: pip install numpy") from None
    try:
        if hasattr(source, "__array_interface__"):
            array = numpy.asarray(source)
        elif hasattr(source, "__dlpack__"):
            array = numpy.from_dlpack(source)
        else:
            array = numpy.asarray(memoryview(source))
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise Error(f"{name} cannot be read: {error}") from None
    return array


def permuted(array, order):
    return array.permute(order) if is_torch(array) else array.transpose(order)


def is_contiguous(array):
    return array.is_contiguous() if is_torch(array) else array.flags.c_contiguous


def contiguous_copy(array):
    if is_torch(array):
        return array.contiguous()
    return sys.modules["numpy"].ascontiguousarray(array)


def single(array):
    """The same in floats of 32 bits, without gaps."""
    if is_torch(array):
        torch = sys.modules["torch"]
        return array.to(torch.float32, memory_format=torch.contiguous_format)
    return array.astype("float32", order="C")


# What Pillow converts without loss, and back; bands of others are filtered one by one.
WIDENED = {"1": "L", "RGBX": "RGB", "LA": "RGBA"}
BANDED = ("CMYK", "YCbCr")


class PillowForm(Form):
    """An image of Pillow in any mode that stands for colors."""

    is_batch = False

    def __init__(self, source, is_planar, keeps_metadata):
        self.source, self.info = source, metadata(source) if keeps_metadata else profile(source)
        mode = source.mode
        if mode == "P":
            has_alpha = "transparency" in source.info or source.palette.mode == "RGBA"
            source, mode = source.convert("RGBA" if has_alpha else "RGB"), "RGBA" if has_alpha else "RGB"
            self.info.pop("transparency", None)
        self.isolates = mode in BANDED or (is_planar and len(source.getbands()) > 1)
        self.mode = mode
        if self.isolates:
            bands = source.split()
            self.planes = len(bands)
            joined = b"".join(band.tobytes() for band in bands)
            self.image = memoryview(joined).cast("B", (len(bands), source.height, source.width, 1))
        elif mode in WIDENED:
            self.image = source.convert(WIDENED[mode])
        else:
            self.image = source

    def result(self, made):
        pillow = sys.modules["PIL.Image"]
        if self.isolates:
            size, data = self.source.size, made.tobytes()
            length = size[0] * size[1]
            made = pillow.merge(self.mode, [
                pillow.frombytes("L", size, data[band * length:(band + 1) * length])
                for band in range(self.planes)])
        elif self.mode == "RGBX" and made.mode == "RGB":
            made = made.convert("RGBX")
        elif self.mode == "LA" and made.mode == "RGBA" and is_gray(made):
            made = made.convert("LA")
        made.info = dict(self.info)
        # A profile of grays says nothing of colors.
        if len(made.getbands()) > 2 > len(self.source.getbands()) and self.source.mode != "P":
            made.info.pop("icc_profile", None)
        return made


def is_gray(image):
    """True if all colors are grays."""
    red, green, blue, _ = image.split()
    return red.tobytes() == green.tobytes() == blue.tobytes()


def metadata(image):
    """Metadata that filter() keeps: all except the EXIF thumbnail, which would show what is blurred."""
    info = dict(image.info)
    if has_thumbnail(info.get("exif")):
        exif = sys.modules["PIL.Image"].Exif()
        try:
            exif.load(info["exif"])
            info["exif"] = exif.tobytes()  # Of the first image alone.
        except Exception:  # Whatever Pillow raises for what is damaged.
            del info["exif"]
    return info


def has_thumbnail(exif):
    """True if EXIF refers to a second image, or cannot be read up to there."""
    if not isinstance(exif, bytes):
        return False
    data = exif[6:] if exif.startswith(b"Exif\0\0") else exif
    order = "little" if data.startswith(b"II") else "big"
    first = int.from_bytes(data[4:8], order)
    end = first + 2 + 12 * int.from_bytes(data[first:first + 2], order)
    return len(data) < end + 4 or any(data[end:end + 4])


def profile(image):
    """The image's color profile, without other metadata."""
    return {"icc_profile": image.info["icc_profile"]} if "icc_profile" in image.info else {}
