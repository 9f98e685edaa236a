#!/usr/bin/env python3
"""What is in sight through `import Frostglass`, counted from the compiler's symbol graphs.

    scripts/public-face.py [--list] [MODULE…]

Needs a finished `swift build -c release`. Prints, for each module, how many public types there are
(at the top and nested), how many public declarations, how many of them without documentation, and
which have a tuple in their signature. Without modules: Frostglass and what it exports.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build" / "release"
TYPES = {
    "swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.actor", "swift.typealias"
}
# Conformances bring declarations that nobody wrote; those of types are told by their location.


def exported():
    """The modules in sight, each with the types that are shown of it; None where all are."""
    text = (ROOT / "Sources/Frostglass/Exports.swift").read_text()
    shown = {"Frostglass": None}
    for module, name in re.findall(r"@_exported public import \w+ (\w+)\.(\w+)", text):
        shown.setdefault(module, set()).add(name)
    return shown


def include_arguments():
    maps = [str(path) for path in (ROOT / "Sources").glob("**/module.modulemap")]
    maps += [str(path) for path in BUILD.glob("*.build/module.modulemap")]
    arguments = ["-I", str(BUILD / "Modules")]
    for path in maps:
        arguments += ["-Xcc", f"-fmodule-map-file={path}"]
    packages = subprocess.run(
        ["pkg-config", "--cflags-only-I", "vips", "glib-2.0"], capture_output=True, text=True)
    for flag in packages.stdout.split():
        arguments += ["-Xcc", flag]
    return arguments + ["-target", target()]


def target():
    info = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True)
    return json.loads(info.stdout)["target"]["unversionedTriple"]


def symbols(module, folder):
    subprocess.run(
        ["swift-symbolgraph-extract", "-module-name", module, "-minimum-access-level", "public",
         "-skip-synthesized-members", "-skip-inherited-docs", "-output-dir", folder]
        + include_arguments(), check=True, stdout=subprocess.DEVNULL)
    found = []
    for path in pathlib.Path(folder).glob(f"{module}*.symbols.json"):
        if path.name == f"{module}.symbols.json" or path.name.startswith(f"{module}@"):
            found += json.loads(path.read_text())["symbols"]
    return found


def has_tuple(symbol):
    """Whether a type in the declaration is a tuple: a comma inside parentheses that hold types only."""
    text = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
    if symbol["kind"]["identifier"] == "swift.enum.case":
        return False
    if symbol["kind"]["identifier"] in ("swift.property", "swift.type.property"):
        types = text.split(":", 1)[1] if ":" in text else ""
        return "," in re.sub(r"<[^<>]*>", "", types) and "(" in types and "->" not in types
    result = text.rsplit("->", 1)[1] if "->" in text else ""
    return bool(re.match(r"\s*\(.*,.*\)", result))


def main():
    arguments = sys.argv[1:]
    listing = "--list" in arguments
    modules = {name: None for name in arguments if not name.startswith("--")} or exported()
    total = dict(top=0, nested=0, declarations=0, undocumented=0, tuples=0)
    for module, shown in modules.items():
        with tempfile.TemporaryDirectory() as folder:
            all_symbols = symbols(module, folder)
        own = [
            symbol for symbol in all_symbols
            if symbol.get("location") and (shown is None or symbol["pathComponents"][0] in shown)]
        types = [
            symbol for symbol in own
            if symbol["kind"]["identifier"] in TYPES and "typealias" not in symbol["kind"]["identifier"]]
        top = sorted(s["names"]["title"] for s in types if len(s["pathComponents"]) == 1)
        nested = sorted(".".join(s["pathComponents"]) for s in types if len(s["pathComponents"]) > 1)
        bare = sorted(
            ".".join(s["pathComponents"]) for s in own if "docComment" not in s)
        tuples = sorted(".".join(s["pathComponents"]) for s in own if has_tuple(s))
        print(
            f"{module}: {len(top)} types, {len(nested)} nested; {len(own)} declarations, "
            f"{len(bare)} without documentation, {len(tuples)} with tuples")
        if listing:
            print("  types:", ", ".join(top))
            print("  nested:", ", ".join(nested))
            print("  undocumented:", ", ".join(bare))
            print("  tuples:", ", ".join(tuples))
        for key, values in (
            ("top", top), ("nested", nested), ("declarations", own), ("undocumented", bare),
            ("tuples", tuples),
        ):
            total[key] += len(values)
    print(
        f"in sight: {total['top']} types, {total['nested']} nested; {total['declarations']} "
        f"declarations, {total['undocumented']} without documentation, {total['tuples']} with tuples")


main()
