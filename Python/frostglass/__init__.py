"""Blurs and backdrops of images in memory.

    import frostglass

    soft = frostglass.blur(array, sigma=20)
    glass = frostglass.Filter("blur(20px) saturate(180%)")
    result = glass(array)
    print(glass.plan(array).certified_error)

Arrays of NumPy, Pillow images, tensors of torch on the CPU and buffers go in and come out. Each filter is a
function, too: frostglass.median(array, radius=3). The page docs/integrate/python.md goes through it.
"""
from . import _catalog, _compat, _volumes
from ._filter import Filter, Plan
from ._find import Found, find
from ._library import Error
from ._redact import redact

__version__ = "0.2.0"
__all__ = ["blur", "redact", "find", "filters", "Filter", "Found", "Plan", "Error"]

def blur(
    image, sigma=20, *, compat=None, out=None, progress=None, regions=None, mask=None, feather=0,
    grow=0, invert=False, mask_use="show", edge=None, quality="exact", linear=False, scale=1,
    alpha_mode="straight", transfer="encoded", layout=None, order="rgb", threads=0, backend="fast",
    device=None,
):
    """Blurs with a Gaussian.

    sigma
        The standard deviation: pixels, or a text: "2%" of the shorter side, "20pt", "pillow:10"; from 0 to
        1000 px. A list or an array has one for each image of a batch; for layout="ZYX", a volume, a tuple
        has one along each axis.
    compat
        Whose number sigma is: "pillow", "pillow-box", "opencv", "albumentations", "torchvision", "kornia",
        "scipy" or "skimage"; what these tools see beyond the border is then the usual edge, and `edge` takes
        their words. With the four that have kernels of a size sigma may be (kernel size, sigma); with the
        last two (y, x), in SciPy's order.
    edge
        As of frostglass.Filter; "clamp" is usual.
    out, progress
        As of a call of frostglass.Filter.
    others
        As of frostglass.Filter.
    """
    is_volume = _volumes.is_volume(layout)
    filter, edge = (None, _compat.edge_of(compat, edge)) if is_volume else _compat.gaussian(sigma, compat, edge)
    options = {
        "out": out, "progress": progress, "regions": regions, "mask": mask, "feather": feather,
        "grow": grow, "invert": invert, "mask_use": mask_use, "edge": edge,
        "quality": quality, "linear": linear, "scale": scale, "alpha_mode": alpha_mode,
        "transfer": transfer, "layout": layout, "order": order, "threads": threads, "backend": backend,
        "device": device,
    }
    if is_volume:
        return _volumes.blurred(image, sigma, compat, options)
    return _catalog.filtered(filter, image, options, {"gaussian: x is ": "blur: sigma is ", "gaussian: ": "blur: "})


def filters():
    """The catalog: for each filter its name in text form, summary, parameters and an example."""
    return list(_catalog.rows().values())


def __getattr__(name):
    if not name.startswith("_"):
        function = _catalog.function(name)
        if function is not None:
            return function
    raise AttributeError(f"module 'frostglass' has no attribute {name!r}")


def __dir__():
    return sorted(set(globals()) | set(_catalog.rows()))
