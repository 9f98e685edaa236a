"""What the blur parameters of other tools come to: measured σ, beside what Frostglass makes of them.

    scripts/fidelity.sh         writes results/compat.md

Each tool blurs steps between black and gray. The σ is the second moment of the step's derivative,
added up over all grays, so that rounding to 8 bits averages out.
"""
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import cv2
import numpy as np
import pyvips
from PIL import Image, ImageFilter
from thumbor.filters.blur import apply_blur

import chromium
from commands import imagemagick
from ours import COMMAND

RESULTS = Path(__file__).resolve().parents[1] / "results"
PICTURE = Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Photographs" / "chelsea.png"
LENGTH = 801
Blur = Callable[[np.ndarray], np.ndarray]


def measured(blur: Blur, levels: range = range(255, 0, -1), height: int = 1) -> float:
    """σ of a blur along x, from its responses to steps of every height."""
    total = np.zeros(LENGTH)
    for level in levels:
        row = np.where(np.arange(LENGTH) > LENGTH // 2, level, 0).astype(np.uint8)
        total += blur(np.tile(row, (height, 1)))[height // 2].astype(float)
    return spread(total)


def spread(response: np.ndarray) -> float:
    """The standard deviation of what a step was blurred with."""
    kernel = np.diff(response)
    kernel /= kernel.sum()
    place = np.arange(kernel.size)
    mean = (kernel * place).sum()
    return float(np.sqrt(max((kernel * (place - mean) ** 2).sum(), 0)))


def pillow(kind: Callable[..., ImageFilter.Filter], radius: float) -> Blur:
    return lambda rows: np.asarray(Image.fromarray(rows).filter(kind((radius, 0))))


def vips(sigma: float, amplitude: float) -> Blur:
    def blur(rows: np.ndarray) -> np.ndarray:
        return pyvips.Image.new_from_array(rows).gaussblur(sigma, min_ampl=amplitude).numpy()
    return blur


def opencv(size: int, sigma: float) -> Blur:
    return lambda rows: cv2.GaussianBlur(
        rows, (size, 1 if size else 0), sigma, sigmaY=1e-6 if not size else 0)


def thumbor(radius: int, sigma: float) -> Blur:
    def blur(rows: np.ndarray) -> np.ndarray:
        color = np.repeat(rows[:, :, None], 3, axis=2)
        data = apply_blur("RGB", color.tobytes(), (LENGTH, rows.shape[0]), radius, sigma)
        return np.frombuffer(data, np.uint8).reshape(color.shape)[:, :, 0]
    return blur


def magick(option: str, geometry: str) -> float:
    """ImageMagick works in 16 bits, so one step will do."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.pgm", Path(folder) / "out.pgm"
        step = np.where(np.arange(LENGTH) > LENGTH // 2, 65535, 0).astype(">u2")
        source.write_bytes(b"P5 %d 9 65535\n" % LENGTH + np.tile(step, (9, 1)).tobytes())
        subprocess.run(
            [imagemagick(), source, option, geometry, "-depth", "16", target], check=True)
        samples = np.frombuffer(target.read_bytes()[-2 * LENGTH * 9:], ">u2").reshape(9, LENGTH)
        return spread(samples[4].astype(float))


def browser(style: str, how: tuple[str, ...]) -> float:
    """A style that blurs a box's right border, at x = 400, on strips of 25 grays."""
    strips = "".join(
        f'<div style="position:absolute;top:{24 * i}px;width:801px;height:24px;overflow:hidden">'
        f'<div style="position:absolute;left:-500px;top:-200px;width:900px;height:424px;'
        f'{style.replace("COLOR", f"rgb({10 * i + 5},{10 * i + 5},{10 * i + 5})")}"></div></div>'
        for i in range(25))
    shot = chromium.picture(f'<div style="background:#000;height:600px">{strips}</div>', 801, 600, how)
    return spread(-shot[12::24, :, 0].astype(float).sum(axis=0)[60:740])


def ours(text: str) -> float:
    """What Frostglass makes of a tool's number, in pixels."""
    plan = subprocess.run(
        [COMMAND, "plan", PICTURE, "--filter", f"blur({text})"],
        capture_output=True, text=True, check=True)
    return float(re.search(r"radius=([0-9.e-]+)px", plan.stdout).group(1))


def rows() -> list[tuple[str, str, float]]:
    """The tool's own spelling, ours, and the measured σ."""
    table = []
    for radius in (2, 5, 10, 20, 7.5):
        table.append((f"Pillow `GaussianBlur({radius:g})`", f"pillow:{radius:g}",
                      measured(pillow(ImageFilter.GaussianBlur, radius))))
    for radius in (2, 4, 10, 2.5):
        table.append((f"Pillow `BoxBlur({radius:g})`", f"pillow-box:{radius:g}",
                      measured(pillow(ImageFilter.BoxBlur, radius))))
    for sigma, amplitude in ((2, 0.2), (5, 0.2), (10, 0.2), (20, 0.2), (10, 0.05), (10, 0.01)):
        table.append((f"libvips `gaussblur({sigma}, min_ampl={amplitude})`",
                      f"vips:{sigma}x{amplitude}",
                      measured(vips(sigma, amplitude), height=4 * sigma + 1)))
    for radius, sigma in ((5, 0), (10, 0), (50, 0), (10, 3), (20, 10)):
        table.append((f"thumbor `blur({radius}{f',{sigma}' if sigma else ''})`",
                      f"thumbor:{radius}x{sigma}",
                      measured(thumbor(radius, sigma), height=1)))
    for size in (3, 5, 7, 9, 11, 31, 101):
        table.append((f"OpenCV `GaussianBlur(({size}, {size}), 0)`", f"opencv:{size}",
                      measured(opencv(size, 0))))
    for sigma in (2, 10, 20):
        table.append((f"OpenCV `GaussianBlur((0, 0), {sigma})`", f"opencv:0x{sigma}",
                      measured(opencv(0, sigma))))
    for radius, sigma in ((0, 2), (0, 8), (0, 20), (5, 8), (10, 3)):
        geometry = f"{radius}x{sigma}"
        table.append((f"ImageMagick `-blur {geometry}`", f"imagemagick:{geometry}",
                      magick("-blur", geometry)))
        table.append((f"ImageMagick `-gaussian-blur {geometry}`", f"imagemagick-gaussian:{geometry}",
                      magick("-gaussian-blur", geometry)))
    for how, name in ((chromium.SOFTWARE, "CPU"), (chromium.GPU, "GPU code")):
        for radius in (2, 5, 10, 20):
            table.append((f"CSS `blur({radius}px)`, Chromium, {name}", f"css:{radius}",
                          browser(f"background:COLOR;filter:blur({radius}px)", how)))
        for radius in (4, 10, 20, 40):
            table.append((f"CSS `box-shadow: 0 0 {radius}px`, Chromium, {name}",
                          f"css-shadow:{radius}",
                          browser(f"margin-left:-900px;box-shadow:900px 0 {radius}px COLOR", how)))
    return table


def page(table: list[tuple[str, str, float]]) -> str:
    lines = [
        "# What other tools' blur parameters come to", "",
        f"Pillow {metadata.version('pillow')}, libvips "
        + ".".join(str(pyvips.version(part)) for part in range(3))
        + f", thumbor {metadata.version('thumbor')}, OpenCV {cv2.__version__}, "
        + subprocess.run([imagemagick(), "-version"], capture_output=True, text=True,
                         check=True).stdout.split("\n")[0].split(" https")[0].removeprefix("Version: ")
        + f", {chromium.version()}. Made by `scripts/fidelity.sh`.", "",
        "| the tool | in Frostglass | measured σ | σ here | apart |",
        "|---|---|---:|---:|---:|",
    ]
    for name, text, sigma in table:
        own = ours(text)
        lines.append(f"| {name} | `{text}` | {sigma:.3f} | {own:.3f} | {100 * (own / sigma - 1):+.1f} % |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = page(rows())
    (RESULTS / "compat.md").write_text(text)
    sys.stdout.write(text)
