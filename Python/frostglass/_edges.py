"""Edge modes, including the words of other tools."""
from ._library import EDGES, Error

ALIASES = {
    "nearest": "clamp", "replicate": "clamp", "edge": "clamp", "grid-mirror": "mirror", "symmetric": "mirror",
    "grid-wrap": "wrap", "circular": "wrap", "reflect101": "reflect-101", "reflect_101": "reflect-101",
}
# One word for two things: SciPy repeats the border's pixels for "reflect" and not for "mirror", here it is
# "mirror" that repeats them; OpenCV repeats them for "reflect", torchvision, kornia and NumPy do not.
_SCIPY = {"reflect": "mirror", "mirror": "reflect-101"}
_OPENCV = {"reflect": "mirror", "default": "reflect-101", 1: "clamp", 2: "mirror", 3: "wrap", 4: "reflect-101"}
_TORCH = {"reflect": "reflect-101"}
OWN = {
    "scipy": _SCIPY, "skimage": _SCIPY, "opencv": _OPENCV, "albumentations": _OPENCV, "torchvision": _TORCH,
    "kornia": _TORCH,
}


def named(edge, compat=None):
    """An edge by its name here.

    compat: the tool whose words come first.
    """
    if isinstance(edge, (str, int)) and not isinstance(edge, bool):
        own = OWN.get(compat, {})
        if edge in own:
            return own[edge]
        if edge in ALIASES:
            return ALIASES[edge]
        if edge in EDGES:
            return edge
        if edge == "reflect":
            raise Error("edge is 'reflect', which is \"mirror\" where SciPy says it, and \"reflect-101\" where "
                        "NumPy, torchvision and kornia do: say which")
    raise Error(f"edge is {edge!r}; it must be one of {', '.join(EDGES)}")
