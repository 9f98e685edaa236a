"""Gaussians of volumes: along each slice's axes, and across slices."""
import sys

from ._areas import number
from ._filter import Filter
from ._forms import array_of, permuted
from ._library import Error, shown
from ._pixels import is_torch

AXES = "ZYX"
# What is told of what for volumes would need a third dimension.
ABSENT = {"regions": None, "mask": None, "feather": 0, "grow": 0, "invert": False, "progress": None, "out": None}
# Samples of a row in the pass across slices; the library takes 2²⁴.
COLUMNS = 1 << 22


def is_volume(layout):
    return isinstance(layout, str) and set(AXES) <= set(layout.upper())


def blurred(volume, sigma, compat, options):
    """A volume blurred in floats of 32 bits, in the samples that came.

    sigma: one number, or three, in the order z, y, x.
    """
    layout, edge = options["layout"].upper(), options["edge"]
    if set(layout) - set(AXES + "N") or len(set(layout)) < len(layout):
        raise Error(f"layout is {options['layout']!r}; of a volume it must have Z, Y, X, and N for a batch")
    for name, usual in ABSENT.items():
        if options[name] is not usual and options[name] != usual:
            raise Error(f"{name} is for images, not for volumes")
    if edge == "transparent" or options["linear"]:
        raise Error("volumes have neither transparent edges nor linear light")
    sigmas = [number(each, "sigma") for each in (
        sigma if isinstance(sigma, (tuple, list)) else [sigma] * 3)]
    if len(sigmas) != 3:
        raise Error(f"sigma is {shown(sigma)}; for a volume it must be one number, or (z, y, x)")
    array = array_of(volume, "the volume")
    if array.ndim < len(layout):
        raise Error(f"layout is {options['layout']!r}; the volume has the shape {tuple(array.shape)}")
    more = array.ndim - len(layout)
    if compat not in (None, "scipy", "skimage"):
        raise Error(f"compat is {compat!r}; of volumes it is \"scipy\" or \"skimage\"")
    order = [*range(more), *(more + layout.index(axis) for axis in ("N" if "N" in layout else "") + AXES)]
    moved = permuted(array, order)
    work, full = floats(moved)
    depth, height, width = work.shape[-3:]
    flat = work.reshape(-1, height, width, 1)
    own = {**options, "layout": None}
    across = {name: own[name] for name in ("edge", "quality", "threads", "backend", "device")}
    if sigmas[1] > 0 or sigmas[2] > 0:
        Filter(f"gaussian({sigmas[2]}px, {sigmas[1]}px)", **across)(flat, out=flat)
    elif min(sigmas) < 0:
        raise Error(f"sigma is {shown(sigma)}; it must be from 0 to 1000")
    if sigmas[0] != 0:
        glass = Filter(f"gaussian(0px, {sigmas[0]}px)", **across)
        for slices in work.reshape(-1, depth, height * width):
            for first in range(0, height * width, COLUMNS):
                columns = slices[:, first:first + COLUMNS]
                glass(columns, out=columns)
    return like(permuted(work, [order.index(axis) for axis in range(len(order))]), array, full, volume)


def floats(array):
    """A copy in floats of 32 bits of NumPy, and what stands for 1."""
    import numpy

    kind = str(array.dtype).rpartition(".")[2]
    full = {"uint8": 255, "uint16": 65535, "float32": 1, "float16": 1, "bfloat16": 1}.get(kind)
    if full is None:
        raise Error(f"the volume has samples of {kind}; uint8, uint16, float32, float16 and bfloat16 are taken")
    if is_torch(array):
        array = array.detach().float().numpy()
    work = numpy.array(array, dtype="float32", order="C")
    if full > 1:
        work /= full
    return work, full


def like(work, array, full, volume):
    """The result in the caller's samples, as an array or a tensor."""
    import numpy

    if full > 1:
        work = numpy.rint(numpy.clip(work, 0, 1) * full).astype("uint8" if full == 255 else "uint16")
    work = numpy.ascontiguousarray(work)
    if is_torch(array):
        return sys.modules["torch"].from_numpy(work).to(array.dtype)
    work = work.astype(array.dtype, copy=False)
    return work if isinstance(volume, numpy.ndarray) else memoryview(work)
