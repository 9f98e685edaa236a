"""Makes frostglass/__init__.pyi of the catalog: what editors and type checkers know of the functions.

    python stubs.py            says it
    python stubs.py --write    writes it
"""
import inspect
import pathlib
import re
import sys
import textwrap

import frostglass
from frostglass import _catalog

PATH = pathlib.Path(__file__).parent / "frostglass" / "__init__.pyi"
KINDS = {
    "factor": "float | str", "integer": "int", "sigma": "float | str", "length": "float | str",
    "angle": "float | str", "color": "str | tuple[float, ...]",
}
# A list or an array has a value for each image of a batch.
EACH = " | list[Any] | _Values"
COMMON = {
    "out": "Any", "progress": "Callable[[float], object] | None", "regions": "Any", "mask": "Any",
    "feather": "float | str", "grow": "float | str", "invert": "bool",
    "mask_use": "Literal['show', 'confine', 'scale']",
    "edge": "Literal['clamp', 'mirror', 'reflect-101', 'wrap', 'transparent', 'nearest', 'grid-mirror', "
            "'grid-wrap', 'replicate', 'symmetric', 'circular']",
    "quality": "Literal['exact', 'fast', 'exact16']", "linear": "bool", "scale": "float",
    "alpha_mode": "Literal['straight', 'premultiplied', 'opaque', 'none']",
    "transfer": "Literal['encoded', 'linear']", "layout": "str | None", "order": "Literal['rgb', 'bgr']",
    "threads": "int",
    "backend": "Literal['auto', 'fast', 'gl', 'reference']", "device": "str | None",
}
# Dictionaries of these options: the base, and the names that each adds.
DICTIONARIES = {
    "_Common": ("TypedDict", [name for name in COMMON if name not in ("out", "progress", "edge")]),
    "_RunOptions": ("_Common", ["out", "progress"]),
    "_FilterOptions": ("_Common", ["edge"]),
    "_Options": ("_RunOptions", ["edge"]),
}
HEAD = '''# Made by stubs.py of the library's catalog.
from collections.abc import Callable
from typing import Any, Generic, Literal, Protocol, TypedDict, overload
from typing_extensions import TypeVar, Unpack

_Image = TypeVar("_Image")

class _One: ...
class _Several: ...

_Results = TypeVar("_Results", default=_One)

class _Values(Protocol):
    def tolist(self) -> Any: ...

__version__: str

class Error(ValueError):
    code: str | None

class Found(tuple[float, float, float, float, float]):
    x: float
    y: float
    width: float
    height: float
    score: float

class Plan:
    certified_error: float
    kernel_error: float
    model_error: float
    arithmetic_error: float
    memory: int
    multiply_adds: float
    text: str

'''


def names(dictionary):
    """The names of all options in a dictionary."""
    if dictionary == "TypedDict":
        return set()
    base, own = DICTIONARIES[dictionary]
    return names(base) | set(own)


def dictionaries():
    """The dictionaries' classes."""
    for name, (base, own) in DICTIONARIES.items():
        yield f"class {name}({base}, total=False):"
        yield from (f"    {option}: {COMMON[option]}" for option in own)
        yield ""


def parameters(signature, types):
    """A function's parameters with their types; common options, where they are all of a dictionary, as that."""
    common = {
        name for name, parameter in signature.parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name in COMMON and types.get(name) == COMMON[name]}
    dictionary = next((name for name in DICTIONARIES if names(name) == common), None)
    parts, keyword_only = [], False
    for parameter in signature.parameters.values():
        if dictionary and parameter.name in common:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}: {types[parameter.name]}")
            keyword_only = True
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*")
            keyword_only = True
        text = f"{parameter.name}: {types[parameter.name]}" if parameter.name in types else parameter.name
        if parameter.default is not parameter.empty:
            text += f" = {parameter.default!r}"
        parts.append(text)
    if dictionary:
        parts.append(f"**options: Unpack[{dictionary}]")
    return ", ".join(parts)


def wrapped(line):
    """A line, broken where it is longer than 120 characters."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    # After commas, and not within texts.
    line = re.sub(r"'[^']*'|\"[^\"]*\"|(?<=[^ ,]) ", lambda text: text[0].replace(" ", "\0"), line)
    lines = textwrap.wrap(line, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def stub():
    """The file's text."""
    own = {"image": "_Image", **COMMON}
    init = parameters(
        inspect.signature(frostglass.Filter.__init__), {"filters": "str", **COMMON})
    options = init.partition("*filters: str, ")[2]
    call = "out: Any = None, progress: Callable[[float], object] | None = None"
    lines = [
        HEAD.rstrip("\n"), "", *dictionaries(), "class Filter(Generic[_Results]):", "    filters: tuple[str, ...]", "    @overload",
        f"    def __init__(self: Filter[_One], filter: str, /, {options}) -> None: ...", "    @overload",
        f"    def __init__(self: Filter[_Several], first: str, second: str, /, *more: str, {options}) -> None: ...",
        "    @overload",
        f"    def __call__(self: Filter[_One], image: _Image, *, {call}) -> _Image: ...", "    @overload",
        f"    def __call__(self: Filter[_Several], image: _Image, *, {call}) -> tuple[_Image, ...]: ...",
        "    @overload", "    def plan(self: Filter[_One], image: Any) -> Plan: ...", "    @overload",
        "    def plan(self: Filter[_Several], image: Any) -> tuple[Plan, ...]: ...", "",
        "def filters() -> list[dict[str, Any]]: ...",
        "def blur(" + parameters(inspect.signature(frostglass.blur), {
            **own, "sigma": "float | str | tuple[float, ...]" + EACH,
            "compat": "Literal['pillow', 'pillow-box', 'opencv', 'albumentations', 'torchvision', 'kornia', 'scipy', "
                      "'skimage'] | None",
            "edge": "str | int | None",
        }) + ") -> _Image: ...",
        "def redact(" + parameters(inspect.signature(frostglass.redact), {
            **own, "fill": "Literal['frosted', 'solid']", "color": "str | tuple[float, float, float] | None",
            "filter": "str | None", "find": "Literal['faces'] | None", "allow_none": "bool",
        }) + ") -> _Image: ...",
        "def find(" + parameters(inspect.signature(frostglass.find), {
            **own, "image": "Any", "effort": "Literal['quick', 'normal', 'thorough']", "score": "float",
            "command": "str | None",
        }) + ") -> list[Found]: ...",
    ]
    for name, row in _catalog.rows().items():
        if name in frostglass.__all__:
            continue
        types = dict(own)
        for parameter in row["parameters"]:
            kind = KINDS.get(parameter["kind"]) or \
                f"Literal[{', '.join(repr(word) for word in parameter['choices'])}]"
            if parameter["default"] is None:
                kind += " | None"
            kind += EACH
            types[_catalog.identifier(parameter["name"])] = kind
        text = parameters(inspect.signature(_catalog.function(name)), types)
        lines.append(f"def {name}({text}) -> _Image:")
        summary = row["summary"].replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'    "{summary}"')
    return "\n".join(map(wrapped, "\n".join(lines).split("\n"))) + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PATH.write_text(stub())
    else:
        print(stub(), end="")
