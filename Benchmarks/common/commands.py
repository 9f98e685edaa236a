"""Whole commands, from start to exit: time, peak memory, and how right their pictures are."""
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import truth
from ours import COMMAND

QUALITY = "90"
CV2 = """import cv2, sys
source, target, sigma = sys.argv[1:]
picture = cv2.GaussianBlur(cv2.imread(source), (0, 0), float(sigma))
whole = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444
jpeg = [cv2.IMWRITE_JPEG_QUALITY, 90, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, whole]
cv2.imwrite(target, picture, jpeg if target.endswith(".jpg") else [])"""
PILLOW = """import sys
from PIL import Image, ImageFilter
source, target, sigma = sys.argv[1:]
picture = Image.open(source).filter(ImageFilter.GaussianBlur(float(sigma)))
picture.save(target, quality=90, subsampling=0)"""


@dataclass(frozen=True)
class Command:
    """A program's words, with {source}, {target} and {sigma} to be filled in.

    {planes} makes ffmpeg encode all colors, as the others do, instead of a quarter of them.
    """

    name: str
    words: tuple[str, ...]
    #: What an output file's name has to end with for JPEG of the quality wanted.
    options: str = ""
    blurs: bool = True

    def line(self, source: Path, target: Path, sigma: float) -> list[str]:
        jpeg = target.suffix == ".jpg"
        places = {
            "source": source, "target": f"{target}{self.options if jpeg else ''}",
            "sigma": f"{sigma:g}", "planes": "format=yuvj444p," if jpeg else "",
        }
        return [word.format(**places) for word in self.words]


def imagemagick() -> str:
    """ImageMagick's program, by the name it has here."""
    for name in ("magick", "convert-im6.q16", "convert-im7.q16", "convert"):
        if shutil.which(name):
            return name
    raise RuntimeError("ImageMagick is missing")


OURS = Command(
    "frostglass blur",
    (
        str(COMMAND), "blur", "{source}", "{target}", "--sigma", "{sigma}",
        "--output-quality", QUALITY, "--overwrite",
    ))
COPY = Command(
    "vips copy (no blur)", ("vips", "copy", "{source}", "{target}"), f"[Q={QUALITY}]", blurs=False)


def peers() -> list[Command]:
    """Everyone else's way of blurring a file."""
    return [
        Command("vips gaussblur", ("vips", "gaussblur", "{source}", "{target}", "{sigma}"),
                f"[Q={QUALITY}]"),
        Command("ImageMagick -blur", (
            imagemagick(), "{source}", "-blur", "0x{sigma}", "-quality", QUALITY, "{target}")),
        Command("ffmpeg gblur", (
            "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", "{source}", "-vf",
            "{planes}gblur=sigma={sigma}", "-q:v", "2", "{target}")),
        Command("Python, OpenCV", (
            sys.executable, "-c", CV2, "{source}", "{target}", "{sigma}")),
        Command("Python, Pillow", (
            sys.executable, "-c", PILLOW, "{source}", "{target}", "{sigma}")),
    ]


@dataclass
class Run:
    """Medians over the runs of a command."""

    name: str
    seconds: float
    #: The most memory held at once, in bytes.
    peak: int
    runs: int


def run_once(line: Sequence[str]) -> dict[str, float]:
    """Runs a command to its end; it has to succeed."""
    launcher = Path(__file__).with_name("measure.py")
    # As a person's shell has it: pyvips in this process has told libvips where it lives, and the vips
    # command would look there for its modules, find none and start 16 ms sooner.
    finished = subprocess.run(
        [sys.executable, "-I", "-S", launcher, *line], stdout=subprocess.PIPE, text=True,
        check=True, env=dict(os.environ))
    measured = json.loads(finished.stdout)
    if measured["code"] != 0:
        raise RuntimeError(f"{line[0]} ended with {measured['code']}")
    return measured


def interleave(lines: dict[str, list[str]], rounds: int, slow: float = 20) -> list[Run]:
    """Runs everyone once per round, first once without counting.

    Who has used up `slow` seconds stops after the third round.
    """
    times: dict[str, list[dict[str, float]]] = {name: [] for name in lines}
    names = list(lines)
    for name in names:
        run_once(lines[name])
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            if turn >= 3 and sum(one["seconds"] for one in times[name]) > slow:
                continue
            times[name].append(run_once(lines[name]))
    return [
        Run(
            name, statistics.median(one["seconds"] for one in all),
            int(statistics.median(one["peak"] for one in all)), len(all))
        for name, all in times.items()
    ]


def errors(work: Path, picture: np.ndarray, sigma: float) -> dict[str, truth.Error]:
    """Everyone's distance from the truth on one RGB picture, by way of PNG files."""
    source, target = work / "exact.png", work / "blurred.png"
    Image.fromarray(picture).save(source)
    expected = truth.blurred(picture, sigma)
    found = {}
    for command in [OURS, *peers()]:
        run_once(command.line(source, target, sigma))
        result = np.asarray(Image.open(target).convert("RGB"))
        found[command.name] = truth.error(result, expected, sigma)
    return found


def whole(work: Path, photograph: Path, sigma: float, rounds: int) -> list[Run]:
    """Decode, blur, encode; and, as a yardstick, decode and encode alone."""
    lines = {
        command.name: command.line(photograph, work / f"out-{index}.jpg", sigma)
        for index, command in enumerate([OURS, COPY, *peers()])
    }
    return interleave(lines, rounds)


def starts(work: Path, rounds: int) -> list[Run]:
    """What a command costs that has nearly nothing to do: a PNG of 16 × 16 pixels."""
    tiny = work / "tiny.png"
    Image.fromarray(np.full((16, 16, 3), 99, np.uint8)).save(tiny)
    lines = {"frostglass --version": [str(COMMAND), "--version"]}
    for index, command in enumerate([OURS, *peers()]):
        lines[command.name] = command.line(tiny, work / f"tiny-{index}.png", 2)
    return interleave(lines, rounds)


def huge(work: Path, sources: Sequence[Path], sigma: float) -> list[Run]:
    """Our command on very large files, once each."""
    runs = []
    for source in sources:
        target = work / f"out{source.suffix}"
        measured = run_once(OURS.line(source, target, sigma))
        target.unlink()
        runs.append(Run(source.suffix[1:].upper(), measured["seconds"], int(measured["peak"]), 1))
    return runs
