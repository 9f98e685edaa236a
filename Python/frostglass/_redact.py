"""Redaction: what is covered is replaced, and nothing of it is left."""
from . import _catalog
from ._areas import number
from ._filter import Filter
from ._find import find as found_in
from ._library import Error, choice, shown

FILLS = ("frosted", "solid")
# What a fill of the colors around looks like, as `frostglass redact` has it.
FROST = "saturate(140%) tint(white, 8%) grain(2%)"
NAMED = {"black": 0, "white": 0xFFFFFF, "gray": 0x808080}


def redact(
    image, regions=None, *, mask=None, find=None, allow_none=False, fill="frosted", color=None, filter=None, grow=4, invert=False,
    out=None, progress=None, scale=1, alpha_mode="straight", transfer="encoded", layout=None, order="rgb",
    threads=0, backend="fast", device=None,
):
    """Replaces what is covered, so that nothing of it is left in the result.

    regions, mask
        What is hidden: every pixel that one of them touches; as of frostglass.Filter. One that covers
        nothing is an error, for each image of a batch, too.
    find
        "faces": hides what frostglass.find finds in one image, too; None looks for nothing.
    allow_none
        Whether finding no face is no error.
    fill
        "frosted": the colors around, blurred more the farther they are; or "solid".
    color
        Of "solid": a name, "#rrggbb" or (red, green, blue) of 255; black unless given.
    filter
        What is done on top of the fill, in text form; "none" for nothing.
    grow
        A margin around what is covered: pixels, or a text such as "2%".
    invert
        Whether all but that is hidden.
    out, progress
        As of a call of frostglass.Filter.
    others
        As of frostglass.Filter.

    A Pillow image comes out with its color profile and no other metadata. Of a file, redact a copy: what
    is beside its pixels can tell as much.
    """
    choice(fill, FILLS, "fill")
    if find is not None:
        regions = with_faces(image, regions, find, allow_none, invert, order)
        if not regions and mask is None:
            return Filter("none")(image, out=out, progress=progress)
    if regions is None and mask is None:
        raise Error("there is nothing to hide; regions, mask or find must say what")
    if color is not None and fill != "solid":
        raise Error("color is of fill=\"solid\"")
    redaction = "surroundings" if fill == "frosted" else color_of("black" if color is None else color)
    text = filter if filter is not None else FROST if fill == "frosted" else "none"
    options = {
        **{name: usual for name, usual in _catalog.COMMON.items() if name not in ("out", "progress")},
        "regions": regions, "mask": mask, "grow": grow, "invert": invert, "scale": scale,
        "alpha_mode": alpha_mode, "transfer": transfer, "layout": layout, "order": order, "threads": threads,
        "backend": backend, "device": device, "redaction": redaction,
    }
    return Filter.unchecked((text,), options)(image, out=out, progress=progress)


def with_faces(image, regions, what, allow_none, invert, order):
    """Regions with those of the faces that are found."""
    choice(what, ("faces",), "find")
    if invert:
        raise Error("invert with find would leave what is found visible; leave out one of them")
    faces = found_in(image, order=order)
    if not faces and not allow_none:
        raise Error("no face was found, and nothing is hidden; allow_none=True goes on all the same")
    given = [] if regions is None else [regions] if isinstance(regions, (str, tuple)) else list(regions)
    return given + [face[:4] for face in faces]


def color_of(color):
    """A color as 0xRRGGBB."""
    if isinstance(color, str):
        text = color.strip().lower()
        if text in NAMED:
            return NAMED[text]
        digits = text[1:] if text.startswith("#") else ""
        digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
        if len(digits) == 6 and not set(digits) - set("0123456789abcdef"):
            return int(digits, 16)
    elif isinstance(color, (tuple, list)) and len(color) == 3:
        parts = [number(part, "a color") for part in color]
        if all(0 <= part <= 255 for part in parts):
            red, green, blue = (round(part) for part in parts)
            return red << 16 | green << 8 | blue
    raise Error(f"color is {shown(color)}; it must be {', '.join(NAMED)}, \"#rrggbb\" or (red, green, blue) of 255")
