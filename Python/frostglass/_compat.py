"""The σ of other tools, as their own number means it, and what they see beyond the border."""
from . import _catalog
from ._areas import number
from ._edges import named
from ._library import Error, choice, shown

# How σ is written for each, and the edge.
TOOLS = {
    "pillow": ("pillow:{}", "clamp"),
    "pillow-box": ("pillow-box:{}", "clamp"),
    "opencv": ("opencv:0x{}", "reflect-101"),
    "albumentations": ("opencv:0x{}", "reflect-101"),
    "torchvision": ("{}px", "reflect-101"),
    "kornia": ("{}px", "reflect-101"),
    "scipy": ("{}px", "mirror"),
    "skimage": ("{}px", "clamp"),
}
# Those whose kernels have a size of their own: all make the same kernel of both.
SIZED = ("opencv", "albumentations", "torchvision", "kornia")
# Those whose σ may be one along each axis, y before x.
BY_AXES = ("scipy", "skimage")


def gaussian(sigma, compat, edge):
    """The filter in text form, or a list of one for each image of a batch, and the edge."""
    edge = edge_of(compat, edge)
    if compat in BY_AXES and isinstance(sigma, (tuple, list)):
        return by_axes(sigma), edge
    words = _catalog.each_given(sigma, lambda value: written(value, compat))
    return _catalog.joined("gaussian", {"x": words}), edge


def edge_of(compat, edge):
    """The edge that was given, or the tool's."""
    if compat is not None:
        choice(compat, tuple(TOOLS), "compat")
    return named(edge, compat) if edge is not None else "clamp" if compat is None else TOOLS[compat][1]


def written(sigma, compat):
    """One σ in text form."""
    if compat is None:
        return _catalog.written(sigma, "sigma", "sigma")
    if compat in SIZED and isinstance(sigma, tuple) and len(sigma) == 2:
        size = _catalog.written(sigma[0], "integer", "the kernel size")
        return f"opencv:{size}x{_catalog.written(sigma[1], 'factor', 'sigma')}"
    if compat == "albumentations" and not isinstance(sigma, str) and 0 < number(sigma, "sigma") < 1000:
        # As wide as it makes its kernels.
        return f"opencv:{2 * int(3.5 * number(sigma, 'sigma')) + 1}x{_catalog.written(sigma, 'factor', 'sigma')}"
    return TOOLS[compat][0].format(_catalog.written(sigma, "factor", "sigma"))


def by_axes(sigma):
    """σ along y and x, and 0 along channels, as SciPy has it."""
    if len(sigma) not in (2, 3) or (len(sigma) == 3 and sigma[2] != 0):
        raise Error(f"sigma is {shown(sigma)}; it must be one number, (y, x) or (y, x, 0), as colors are not mixed")
    y, x = (_catalog.written(each, "sigma", "sigma") for each in sigma[:2])
    return f"gaussian(x={x}, y={y})"
