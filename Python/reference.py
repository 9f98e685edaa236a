"""Makes docs/integrate/python-api.md of the catalog, the signatures and their documentation.

    python reference.py            says it
    python reference.py --write    writes it
"""
import inspect
import pathlib
import sys

import frostglass
from frostglass import _catalog

PATH = pathlib.Path(__file__).parent.parent / "docs" / "integrate" / "python-api.md"
HEAD = """# The Python package, name by name

Every function, class and filter with its parameters, made by `Python/reference.py` and kept current by a test. Inputs, results and speed are in [python.md](python.md).

[blur](#blur) · [redact](#redact) · [find](#find) · [Filter](#filter) · [Plan](#plan) · [filters](#filters) · [Error](#error) · [every filter](#every-filter)

"""
LINE = 100


def parts(documentation):
    """Splits a docstring into its text and its names: a line with indented ones below it."""
    lines = inspect.cleandoc(documentation).splitlines() + [""]
    words, names, name = [], {}, None
    for line, below in zip(lines, lines[1:]):
        if line.startswith("    ") and name is not None:
            names[name].append(line.strip())
        elif line and below.startswith("    "):
            name = line
            names[name] = []
        else:
            name = None
            words.append(line)
    # A paragraph is one line.
    text = "\n\n".join(" ".join(each.split()) for each in "\n".join(words).split("\n\n") if each.strip())
    return text, {name: " ".join(lines) for name, lines in names.items()}


def code(text):
    return f"`{text}`"


def table(rows, head):
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n\n"


def call(name, words):
    """A call with its parameters, in lines that are not too long."""
    lines = [name + "("]
    for number, word in enumerate(words):
        word += ", " if number + 1 < len(words) else ")"
        if len(lines[-1]) + len(word) > LINE:
            lines[-1] = lines[-1].rstrip()
            lines.append("    ")
        lines[-1] += word
    if not words:
        lines[-1] += ")"
    return "```python\n" + "\n".join(lines) + "\n```\n\n"


def parameters(function):
    """A function's parameters, as its definition has them."""
    words, keyword_only = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            words.append("*")
        keyword_only |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        if parameter.kind is parameter.VAR_POSITIONAL and words[-1:] == ["*"]:
            words.pop()
        words.append(str(parameter))
    return words


def described(heading, documentation, signature=""):
    """A section: its heading, how it is called, what it does, and its parameters."""
    text, names = parts(documentation)
    rows = [(", ".join(code(each) for each in name.split(", ")), words) for name, words in names.items()]
    return f"{heading}\n\n{signature}{text}\n\n" + (table(rows, ("name", "what it is")) if rows else "")


def filter_section(name, row):
    """One filter: its own parameters; what all have is said once."""
    own = [f"{_catalog.identifier(each['name'])}={_catalog.default(each)!r}" for each in row["parameters"]]
    text = f"### {name}\n\n{row['summary']}\n\n{call(f'frostglass.{name}', ['image', *own, '**others'])}"
    if row["parameters"]:
        text += table(
            [(code(_catalog.identifier(each["name"])), each["help"], _catalog.accepted(each))
             for each in row["parameters"]], ("parameter", "what it does", "accepted"))
    return text + f"In text form `{row['example']}`, [in a picture](../use/filters.md#{row['name']}).\n\n"


def page():
    """The page's text."""
    rows = {name: row for name, row in _catalog.rows().items() if name not in frostglass.__all__}
    own = frostglass.Filter
    text = HEAD + described("## blur", frostglass.blur.__doc__, call(
        "frostglass.blur", parameters(frostglass.blur)))
    text += described("## redact", frostglass.redact.__doc__, call(
        "frostglass.redact", parameters(frostglass.redact)))
    text += described("## find", frostglass.find.__doc__, call(
        "frostglass.find", parameters(frostglass.find)))
    text += described("## Found", frostglass.Found.__doc__)
    text += described("## Filter", own.__doc__, call("frostglass.Filter", parameters(own.__init__)))
    text += described("### Calling a Filter", own.__call__.__doc__, call(
        "glass", parameters(own.__call__)))
    text += described("### Filter.plan", own.plan.__doc__, call("glass.plan", parameters(own.plan)))
    text += described("## Plan", frostglass.Plan.__doc__)
    text += described("## filters", frostglass.filters.__doc__, call("frostglass.filters", []))
    text += described("## Error", frostglass.Error.__doc__)
    text += f"## Every filter\n\nA function for each of {len(rows)}, and [blur](#blur). What `others` are:" \
        " `regions` to `device` of a [Filter](#filter), `out` and `progress` of [calling" \
        " it](#calling-a-filter).\n\n"
    text += " · ".join(f"[{name}](#{name})" for name in rows) + "\n\n"
    return (text + "".join(filter_section(name, row) for name, row in rows.items())).rstrip() + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PATH.write_text(page())
    else:
        print(page(), end="")
