"""A function for each filter of the library's catalog, made when it is first asked for."""
import keyword
import re

from . import _library as lib
from ._areas import decimal, number
from ._batch import apply, values_of_each
from ._edges import named
from ._filter import Filter
from ._library import Error

COMMON = {
    "out": None, "progress": None, "regions": None, "mask": None, "feather": 0, "grow": 0,
    "invert": False, "mask_use": "show", "edge": "clamp", "quality": "exact", "linear": False,
    "scale": 1, "alpha_mode": "straight", "transfer": "encoded", "layout": None,
    "order": "rgb", "threads": 0,
    "backend": "fast", "device": None,
}
UNITS = {"sigma": "px", "length": "px", "angle": "deg"}
KEPT_FILTERS = 32

_rows = None
_functions = {}
_filters = {}


def rows():
    """The catalog's rows by the names that their functions have."""
    global _rows
    if _rows is None:
        import json

        _rows = {identifier(row["name"]): row for row in json.loads(lib.text("fg_catalog_json"))}
    return _rows


def identifier(name):
    """A name of the text form as one of Python's: hyphens are underscores."""
    name = name.replace("-", "_")
    if name[0].isdigit():
        return "filter_" + name
    return name + "_" if keyword.iskeyword(name) else name


def default(parameter):
    """A default as Python has it: in the usual unit a number, otherwise as in text form."""
    text, kind = parameter["default"], parameter["kind"]
    if text is None or kind in ("color", "choice"):
        return text
    if kind == "integer":
        return int(text)
    unit = UNITS.get(kind, "")
    try:
        value = float(text[:len(text) - len(unit)] if text.endswith(unit) else text)
    except ValueError:
        return text
    return int(value) if value == int(value) else value


def written(value, kind, name="a parameter"):
    """A parameter's value in text form."""
    if isinstance(value, str):
        return single(value, kind)
    if kind == "color" and isinstance(value, (tuple, list)):
        return f"rgb({', '.join(repr(number(part, 'a color')) for part in value)})"
    if kind == "choice":
        raise Error(f"{name} is {lib.shown(value)}; it must be a text")
    if isinstance(value, (tuple, list)):
        raise Error(f"{name} is {lib.shown(value)}; it must be a number, or a list of one for each image of a batch")
    return decimal(value, name) + UNITS.get(kind, "")


def single(text, kind):
    """A value in text form, which must not become more than that between commas and parentheses."""
    inner = text
    if kind == "color" and text.endswith(")"):
        inner = text[:-1].replace("(", "", 1).replace(",", "")
    if not text.strip() or set(inner) & set("(),=;\0") or "/*" in inner:
        raise Error(f"{text!r} is no value; numbers, words and colors are")
    return text


def filtered(text, image, options, names):
    """Calls a filter, which is kept for the next time.

    names: how errors of the text form begin, and how they do for the caller of a function, who wrote no
    text and has no use for a column.
    """
    try:
        return kept(text, image, options)
    except Error as error:
        said = str(error)
        for beginning, called in names.items():
            if said.startswith(beginning):
                error.args = (called + re.sub(r" \(column \d+\)$", "", said[len(beginning):]),)
                break
        raise


def kept(text, image, options):
    """Calls a filter that was called before, or from now on is there.

    text: or a list of texts, one for each image of a batch.
    """
    out, progress = options.pop("out"), options.pop("progress")
    if isinstance(text, str):
        return of_text(text, options)(image, out=out, progress=progress)
    every = Filter.unchecked(("none",), options).of_each(len(text))
    filters = [of_text(each, filter.options) for each, filter in zip(text, every)]
    return apply(filters, image, out, progress, is_each=True)


def of_text(text, options):
    """A filter, kept for the next time where its options are plain."""
    if options["mask"] is not None or not all(
            isinstance(value, (str, int, float, type(None))) for value in options.values()):
        return Filter.unchecked((text,), options)
    # 1 and True are equal, and not everywhere mean the same.
    key = (text, *options.values(), *map(type, options.values()))
    known = _filters.get(key)
    if known is None:
        known = Filter.unchecked((text,), options)
        while len(_filters) >= KEPT_FILTERS:
            _filters.pop(next(iter(_filters), None), None)
        _filters[key] = known
    return known


def each_written(value, kind, name):
    """A parameter's value in text form, or a list of them, one for each image of a batch."""
    def is_one(value):
        return kind == "color" and not any(isinstance(part, (str, tuple, list)) for part in value)

    return each_given(value, lambda value: written(value, kind, name), is_one)


def each_given(value, write, is_one=lambda value: False):
    """Returns `write` of a value, or of each value of a list or an array."""
    values = values_of_each(value, is_one)
    return write(value) if values is None else [write(each) for each in values]


def joined(name, words):
    """Filters in text form; a list where words are lists, with a value for each image of a batch."""
    counts = {parameter: len(word) for parameter, word in words.items() if isinstance(word, list)}
    if not counts:
        return f"{name}({', '.join(f'{parameter}={word}' for parameter, word in words.items())})"
    if len(set(counts.values())) > 1:
        raise Error(f"{name}: there are {', '.join(f'{count} values of {key}' for key, count in counts.items())}; "
                    "it must be one for each image of the batch")
    return [joined(name, {
        parameter: word[number] if isinstance(word, list) else word for parameter, word in words.items()})
        for number in range(next(iter(counts.values())))]


def applied(name, image, values):
    """Applies a filter by name; takes the filter's parameters and the common ones."""
    row = rows()[name]
    words, names = {}, {}
    for parameter in row["parameters"]:
        own = identifier(parameter["name"])
        names[f"{row['name']}: {parameter['name']} is "] = f"{name}: {own} is "
        value, usual, kind = values.pop(own), default(parameter), parameter["kind"]
        if own == "edge" and value is not None:
            value = named(value)
        word = None if value is None else each_written(value, kind, own)
        if word is not None and (usual is None or word != written(usual, kind)):
            words[parameter["name"]] = word
    names[f"{row['name']}: "] = f"{name}: "
    options = {name: values.get(name, usual) for name, usual in COMMON.items()}
    return filtered(joined(row["name"], words), image, options, names)


def signature(row):
    """A function's parameters, as source text."""
    own = {identifier(parameter["name"]): default(parameter) for parameter in row["parameters"]}
    common = {name: value for name, value in COMMON.items() if name not in own}
    return ", ".join(
        ["image"] + [f"{name}={value!r}" for name, value in own.items()] + ["*"]
        + [f"{name}={value!r}" for name, value in common.items()])


def documentation(row):
    """A function's documentation: its parameters with units and ranges."""
    lines = [row["summary"], ""]
    for parameter in row["parameters"]:
        lines.append(identifier(parameter["name"]))
        lines.append(f"    {parameter['help']} {accepted(parameter)}")
    lines += [
        "out, progress", "    As of a call of frostglass.Filter.",
        "others", "    As of frostglass.Filter.", "", f"In text form, such as: {row['example']}",
    ]
    return "\n".join(lines)


def accepted(parameter):
    kind = parameter["kind"]
    words = {
        "factor": "A number, or a percentage such as \"50%\"",
        "integer": "A whole number",
        "sigma": "Pixels, or a text: \"2%\" of the shorter side, \"20pt\", \"pillow:10\"",
        "length": "Pixels, or a text: \"2%\" of the shorter side, \"20pt\"",
        "angle": "Degrees, or a text such as \"0.5turn\"",
        "color": "A text as in CSS, or (red, green, blue) of 255",
    }.get(kind) or "One of " + ", ".join(f"\"{word}\"" for word in parameter["choices"])
    if "minimum" in parameter and "maximum" in parameter:
        words += f"; from {parameter['minimum']} to {parameter['maximum']}"
    elif "minimum" in parameter:
        words += f"; from {parameter['minimum']} on"
    return words + (". May be left out." if parameter["default"] is None else ".")


def function(name):
    """The function of a filter; None where there is no such filter."""
    known = _functions.get(name)
    if known is None and name in rows():
        row = rows()[name]
        # As a definition, so that signatures are those of any function.
        source = (
            f"def {name}({signature(row)}):\n"
            f"    values = locals()\n"
            f"    return applied({name!r}, values.pop('image'), values)\n")
        space = {"applied": applied, "__name__": "frostglass"}
        exec(source, space)
        known = space[name]
        known.__doc__ = documentation(row)
        known = _functions.setdefault(name, known)
    return known
