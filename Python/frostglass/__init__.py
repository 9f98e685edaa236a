"""Blurs and backdrops of pictures in memory.

    import frostglass

    soft = frostglass.blur(array, sigma=20)
    glass = frostglass.Filter("blur(20px) saturate(180%)")
    result = glass(array)
    print(glass.plan(array).certified_error)

Arrays of NumPy, Pillow images, tensors of torch on the CPU and buffers go in and come out. Each filter is a
function, too: frostglass.median(array, radius=3). The page docs/python.md goes through it.
"""
from . import _catalog, _library
from ._filter import Filter, Plan
from ._library import Error

__version__ = "0.1.0"
__all__ = ["blur", "filters", "Filter", "Plan", "Error"]

# The σ of other tools by what they do, and what they see beyond the border.
_COMPATIBLE = {
    "pillow": ("pillow:{}", "clamp"),
    "pillow-box": ("pillow-box:{}", "clamp"),
    "opencv": ("opencv:0x{}", "mirror"),
    "scipy": ("{}px", "mirror"),
    "skimage": ("{}px", "clamp"),
}


def blur(
    image, sigma=20, *, compat=None, out=None, progress=None, regions=None, mask=None, feather=0,
    grow=0, invert=False, mask_use="show", edge=None, quality="exact", linear=False, scale=1,
    alpha_mode="straight", transfer="encoded", threads=0, backend="fast", device=None,
):
    """Blurs with a Gaussian.

    sigma
        The standard deviation: pixels, or a text: "2%" of the shorter side, "20pt", "pillow:10"; from 0 to
        1000 px.
    compat
        Whose number sigma is: "pillow", "pillow-box", "opencv", "scipy" or "skimage"; what these tools see
        beyond the border is then the usual edge. With "opencv" sigma may be (kernel size, sigma).
    edge
        Beyond the border: "clamp" (usual), "mirror", "wrap" or "transparent".
    out, progress
        As of a call of frostglass.Filter.
    others
        As of frostglass.Filter.
    """
    usual = "clamp"
    if compat is not None:
        _library.choice(compat, tuple(_COMPATIBLE), "compat")
        form, usual = _COMPATIBLE[compat]
        if compat == "opencv" and isinstance(sigma, (tuple, list)) and len(sigma) == 2:
            size = _catalog.written(sigma[0], "integer", "the kernel size")
            sigma = f"opencv:{size}x{_catalog.written(sigma[1], 'factor', 'sigma')}"
        else:
            sigma = form.format(_catalog.written(sigma, "factor", "sigma"))
    options = {
        "out": out, "progress": progress, "regions": regions, "mask": mask, "feather": feather,
        "grow": grow, "invert": invert, "mask_use": mask_use, "edge": usual if edge is None else edge,
        "quality": quality, "linear": linear, "scale": scale, "alpha_mode": alpha_mode,
        "transfer": transfer, "threads": threads, "backend": backend, "device": device,
    }
    return _catalog.filtered(
        f"gaussian({_catalog.written(sigma, 'sigma', 'sigma')})", image, options,
        {"gaussian: x is ": "blur: sigma is ", "gaussian: ": "blur: "})


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
