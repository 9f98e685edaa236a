"""Regions and coverage images that limit filters, and values as texts."""
import ctypes

from . import _library as lib
from ._forms import TAKEN, array_of
from ._library import Error
from ._pixels import is_torch, readable


class Mask:
    """A copied coverage image."""

    def __init__(self, width, height, kind, data):
        self.parts = width, height, kind, data
        self.image = lib.sized(
            lib.Image, data=ctypes.cast(data, ctypes.c_void_p), width=width, height=height,
            format=kind)

    @classmethod
    def of(cls, source):
        """The coverage in any object that has pixels; booleans are all or nothing."""
        about = getattr(source, "__array_interface__", None)
        if isinstance(about, dict) and about.get("typestr") == "|b1":
            import numpy

            source = numpy.where(source, numpy.uint8(255), numpy.uint8(0))
        elif is_torch(source) and str(source.dtype) == "torch.bool":
            source = source.byte() * 255
        found = readable(source, "the mask")
        if found.frames is not None:
            raise Error(f"the mask has the shape {found.given}; it must be (height, width)")
        height, width, channels = found.shape
        rows = (ctypes.string_at(found.address + y * found.stride, found.row) for y in range(height))
        return cls(width, height, lib.FORMATS[channels, found.sample], b"".join(rows))

    def __eq__(self, other):
        return isinstance(other, Mask) and self.parts == other.parts

    def __hash__(self):
        return hash(self.parts)

    def __repr__(self):
        return f"<a mask of {self.parts[0]}×{self.parts[1]}>"

    def __reduce__(self):
        return Mask, self.parts


def masks_of(mask):
    """Masks for each image of a batch, or None, and the one for all, or None."""
    if mask is None or isinstance(mask, Mask):
        return None, mask
    if isinstance(mask, (list, tuple)):
        return [each if each is None or isinstance(each, Mask) else Mask.of(each) for each in mask], None
    shape = tuple(getattr(mask, "shape", ()))
    # (images, height, width), with an axis for the only channel before or after the sides.
    if len(shape) == 4 or (len(shape) == 3 and shape[-1] not in TAKEN):
        mask = array_of(mask, "the mask")
        singles = [each[0] if len(shape) == 4 and shape[1] == 1 else each for each in mask]
        if len(shape) == 3 and shape[0] == 1:
            return None, Mask.of(singles[0])
        return [Mask.of(each) for each in singles], None
    return None, Mask.of(mask)


def regions_of(regions):
    """Regions for each image of a batch, or None, and those for all, or None."""
    if regions is None or isinstance(regions, str):
        return None, regions
    if isinstance(regions, (list, tuple)) and regions and all(is_regions(each) for each in regions):
        return [shapes(each) for each in regions], None
    return None, shapes(regions)


def is_regions(value):
    """True for a list of regions, False for one region."""
    value = listed(value)
    return isinstance(value, (list, tuple)) and all(
        isinstance(listed(part), (str, list, tuple)) for part in value)


def shapes(regions):
    """Regions as one text; a list where there are none."""
    if isinstance(regions, str):
        return regions
    try:
        # Sets and dicts have no order that is meant, and bytes would be numbers in a row.
        if isinstance(regions, (set, frozenset, dict, bytes, bytearray)):
            raise TypeError
        regions = [listed(region) for region in regions]
    except TypeError:
        raise Error(f"regions is {lib.shown(regions)}; it must be a text, (x, y, width, height), or a "
                    "list of these") from None
    if not regions:
        return []
    if len(regions) == 4 and not any(isinstance(part, (str, tuple, list)) for part in regions):
        regions = [regions]
    texts = []
    for region in regions:
        if isinstance(region, str):
            texts.append(region)
        elif not isinstance(region, (tuple, list)):
            raise Error(f"a region is {lib.shown(region)}; it must be a text, or (x, y, width, height)")
        else:
            texts.append(",".join(decimal(side, "a region's side") for side in region))
    return "; ".join(texts)


def listed(region):
    """A region that is an array's row as a list."""
    return region.tolist() if hasattr(region, "tolist") else region


def encoded(text, name):
    if not isinstance(text, str):
        raise Error(f"{name}: a text is needed, not {type(text).__name__}")
    if "\0" in text:
        raise Error(f"{name}: a zero was not expected in the text")
    return text.encode("utf-8", "surrogatepass")


def number(value, name):
    try:
        if not isinstance(value, (bool, bytes, bytearray)):
            return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # The last is torch's.
        pass
    raise Error(f"{name} is {lib.shown(value)}; it must be a number")


def decimal(value, name):
    """A number as text."""
    text = repr(number(value, name))
    return text[:-2] if text.endswith(".0") else text


def length(value, name):
    if isinstance(value, str):
        return encoded(value, name)
    return repr(number(value, name)).encode()
