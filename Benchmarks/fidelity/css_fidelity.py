"""Filter texts of style sheets in Chromium and in Frostglass, and both beside the formulas.

    scripts/fidelity.sh                 writes results/css-chromium.md and .png
    scripts/fidelity.sh --fixtures      also Tests/Fixtures/Chromium: small pictures for the tests

Chromium runs twice: with Skia's CPU code, whose blur is three boxes, and with its GPU code.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import chromium
import css_truth
from ours import COMMAND

ROOT = Path(__file__).resolve().parents[2]
PHOTOGRAPH = ROOT / "Tests" / "Fixtures" / "Photographs" / "chelsea.png"
SILHOUETTE = ROOT / "Tests" / "Fixtures" / "Photographs" / "horse.png"
RESULTS = ROOT / "Benchmarks" / "results"
FIXTURES = ROOT / "Tests" / "Fixtures" / "Chromium"

COLORS = {
    "brightness-up": "filter: brightness(150%)",
    "brightness-far": "filter: brightness(12)",
    "brightness-down": "filter: brightness(0.35)",
    "contrast-up": "filter: contrast(1.8)",
    "contrast-far": "filter: contrast(20000%)",
    "contrast-down": "filter: contrast(40%)",
    "grayscale-part": "filter: grayscale(60%)",
    "grayscale-over": "filter: grayscale(3)",
    "sepia": "filter: sepia(80%)",
    "saturate-up": "filter: saturate(180%)",
    "saturate-far": "filter: saturate(9)",
    "saturate-down": "filter: saturate(0.3)",
    "hue-rotate": "filter: hue-rotate(90deg)",
    "hue-rotate-back": "filter: hue-rotate(-0.3turn)",
    "invert-part": "filter: invert(30%)",
    "invert": "filter: invert()",
    "opacity": "filter: opacity(45%)",
    "order-one": "filter: brightness(1.6) contrast(1.5)",
    "order-two": "filter: contrast(1.5) brightness(1.6)",
    "long": "filter: sepia(40%) hue-rotate(30deg) saturate(250%) contrast(1.2) opacity(80%)",
    "backdrop-color": "backdrop-filter: saturate(180%) brightness(0.8)",
    "backdrop-opacity": "backdrop-filter: invert(1) opacity(40%)",
}
BLURS = {
    "blur-1": "filter: blur(1px)",
    "blur-4": "filter: blur(4px)",
    "blur-20": "filter: blur(20px)",
    "backdrop-4": "backdrop-filter: blur(4px)",
    "backdrop-20": "backdrop-filter: blur(20px)",
    "glass": "backdrop-filter: blur(20px) saturate(180%)",
    "glass-swapped": "backdrop-filter: saturate(180%) blur(20px)",
    "blur-contrast": "filter: blur(4px) contrast(1.2)",
    "contrast-blur": "filter: contrast(3) blur(4px)",
    "backdrop-part": "backdrop-filter: blur(6px) opacity(60%)",
}
SHADOWS = {
    "shadow": "filter: drop-shadow(12px 9px 4px black)",
    "shadow-sharp": "filter: drop-shadow(-7px 5px red)",
    "shadow-color": "filter: drop-shadow(rgb(0 40 200 / 60%) 6.7px -8.2px 10px)",
    "shadow-blur": "filter: blur(3px) drop-shadow(10px 10px 2px red)",
    "backdrop-alpha": "backdrop-filter: blur(6px)",
}


def ours(source: Path, text: str) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out.png"
        subprocess.run([COMMAND, "blur", source, target, "--filter", text], check=True)
        with Image.open(target) as image:
            return np.asarray(image.convert("RGBA"))


def theirs(source: Path, text: str, how: tuple[str, ...]) -> np.ndarray:
    with Image.open(source) as image:
        width, height = image.size
    box = f"position:absolute;left:0;top:0;width:{width}px;height:{height}px"
    own, behind = (text, "") if text.startswith("filter") else ("", f'<div style="{box};{text}"></div>')
    return chromium.picture(
        f'<img src="file://{source}" style="{box};{own}">{behind}', width, height, how)


def premultiplied(picture: np.ndarray) -> np.ndarray:
    """Straight 8-bit RGBA as premultiplied levels of 255."""
    levels = picture.astype(float)
    levels[..., :3] *= levels[..., 3:] / 255
    return levels


def apart(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    difference = np.abs(first - second)
    return difference.mean(), difference.max()


class Case:
    """One text on one picture: everyone's result."""

    def __init__(self, name: str, text: str, source: Path) -> None:
        self.name, self.text, self.source = name, text, source
        with Image.open(source) as image:
            original = premultiplied(np.asarray(image.convert("RGBA")))
        self.truth = 255 * css_truth.declared(text, original / 255)
        self.ours = premultiplied(ours(source, text))
        self.cpu = premultiplied(theirs(source, text, chromium.SOFTWARE))
        self.gpu = premultiplied(theirs(source, text, chromium.GPU))

    def row(self) -> str:
        pairs = ((self.ours, self.truth), (self.ours, self.cpu), (self.ours, self.gpu),
                 (self.cpu, self.truth), (self.gpu, self.truth))
        numbers = " | ".join("{:.2f} / {:.1f}".format(*apart(*pair)) for pair in pairs)
        return f"| `{self.text}` | {numbers} |"


def page(cases: list[Case]) -> str:
    version = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)
    return "\n".join([
        "# Filter texts in Chromium and in Frostglass", "",
        f"{chromium.version()}, {version.stdout.strip()}; made by `scripts/fidelity.sh`.", "",
        "Mean / largest distance in levels of 255 over all premultiplied channels. *The formulas* are "
        "the specification in double precision (`Benchmarks/fidelity/css_truth.py`), *CPU* is Chromium drawing "
        "with Skia's CPU code, *GPU code* the same page drawn with Skia's GPU code on SwiftShader.", "",
        "| declaration | Frostglass, the formulas | Frostglass, Chromium CPU "
        "| Frostglass, Chromium GPU code | Chromium CPU, the formulas "
        "| Chromium GPU code, the formulas |",
        "|---|---:|---:|---:|---:|---:|", *(case.row() for case in cases), "",
        "![Frostglass, Chromium with GPU code, Chromium on the CPU, and their differences from "
        "Frostglass, 16 times enlarged](css-chromium.png)", ""])


def sheet(cases: list[Case]) -> Image.Image:
    """Ours, theirs, and the differences; on white."""
    shown = [case for case in cases if case.name in (
        "glass", "blur-20", "backdrop-20", "contrast-blur", "long", "shadow-color")]
    width, height, space = 300, 200, 26
    result = Image.new("RGB", (5 * width, len(shown) * (height + space)), "white")
    draw = ImageDraw.Draw(result)
    for index, case in enumerate(shown):
        top = index * (height + space)
        draw.text((4, top + 6), case.text, "black")
        for place, levels in enumerate((
            on_white(case.ours), on_white(case.gpu), on_white(case.cpu),
            16 * np.abs(on_white(case.ours) - on_white(case.gpu)),
            16 * np.abs(on_white(case.ours) - on_white(case.cpu)),
        )):
            tile = Image.fromarray(np.clip(levels, 0, 255).round().astype(np.uint8))
            tile.thumbnail((width - 4, height))
            result.paste(tile, (place * width, top + space))
    return result


def on_white(levels: np.ndarray) -> np.ndarray:
    return levels[..., :3] + 255 - levels[..., 3:]


def write_fixtures() -> None:
    """A small picture, and what Chromium makes of it with the color functions."""
    FIXTURES.mkdir(exist_ok=True)
    source = FIXTURES / "picture.png"
    with Image.open(PHOTOGRAPH) as image:
        image.convert("RGB").crop((150, 100, 214, 148)).save(source)
    lines = []
    for name, text in COLORS.items():
        Image.fromarray(theirs(source, text, chromium.SOFTWARE)).save(FIXTURES / f"{name}.png")
        lines.append(f"{name}\t{text}\n")
    (FIXTURES / "cases.txt").write_text("".join(lines))
    (FIXTURES / "README.md").write_text(
        "# What a browser shows\n\n"
        "`picture.png` is a part of `../Photographs/chelsea.png`. Every other picture is that one in "
        f"{chromium.version()} under the declaration beside its name in `cases.txt`, drawn by Skia's "
        "CPU code: `scripts/fidelity.sh --fixtures`.\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fixtures", action="store_true")
    arguments = parser.parse_args()
    cases = []
    for texts, source in ((COLORS, PHOTOGRAPH), (BLURS, PHOTOGRAPH), (SHADOWS, SILHOUETTE)):
        for name, text in texts.items():
            cases.append(Case(name, text, source))
            print(cases[-1].row(), file=sys.stderr, flush=True)
    (RESULTS / "css-chromium.md").write_text(page(cases))
    sheet(cases).quantize(256).save(RESULTS / "css-chromium.png", optimize=True)
    if arguments.fixtures:
        write_fixtures()


if __name__ == "__main__":
    main()
