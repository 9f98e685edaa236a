"""How far filters of the page are from what they are by definition."""
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

import color_definitions
import definitions
import variable_definitions as variable
from ours import COMMAND

Definition = Callable[[np.ndarray], np.ndarray]
#: Pictures are as large as a definition takes a second or two for: height and width.
LARGE, MIDDLE, SMALL, TINY = (360, 480), (240, 320), (120, 160), (96, 128)


def gaussian(sigma: float) -> Definition:
    return lambda picture: variable.gaussian(picture, sigma)


def boxes(radius: int, times: int) -> Definition:
    """Means of squares, one after another, each of them as far beyond the edge as the next ones look."""
    def run(picture: np.ndarray) -> np.ndarray:
        taps = np.full((2 * radius + 1,) * 2, (2 * radius + 1) ** -2.0)
        beyond = radius * times
        picture = np.pad(picture, ((beyond, beyond), (beyond, beyond), (0, 0)), "edge")
        for _ in range(times):
            picture = definitions.filtered(picture, taps)
        return picture[beyond:-beyond, beyond:-beyond]
    return run


def look(sigma: float, white: float, share: float) -> Definition:
    """iOS 8's: blurred, richer, limited, under a veil of gray."""
    def run(picture: np.ndarray) -> np.ndarray:
        richer = color_definitions.colored(variable.gaussian(picture, sigma), "saturation(1.8)")
        return variable.mixed(richer, np.full_like(richer, 255 * white), share)
    return run


#: By chains: a picture's size, and what the filter is.
DEFINITIONS: dict[str, tuple[tuple[int, int], Definition]] = {
    **{f"gaussian({sigma:g}px)": (LARGE, gaussian(sigma))
       for sigma in (2, 5, 10, 20, 22.5, 29.5, 45, 50, 100)},
    "blur(4px)": (LARGE, gaussian(4)),
    "box()": (LARGE, boxes(4, 1)),
    "box(radius=4, iterations=3)": (LARGE, boxes(4, 3)),
    # Boxes of 19 pixels, by the rule of SVG.
    "triple-box(10px)": (MIDDLE, boxes(9, 3)),
    "kawase(10px)": (LARGE, gaussian(10)),
    "progressive-blur(20px)": (MIDDLE, lambda picture: variable.progressive(picture, 20)),
    "tilt-shift(20px)": (MIDDLE, lambda picture: variable.tilt_shift(picture, 20)),
    "selective-blur(20px)": (MIDDLE, lambda picture: variable.selective(picture, 20)),
    "motion(60px, 30deg)": ((180, 240), lambda picture: definitions.motion(picture, 60, 30)),
    "lens(12px)": (MIDDLE, lambda picture: definitions.lens(picture, 12)),
    "lens(60px)": ((180, 240), lambda picture: definitions.lens(picture, 60)),
    "zoom()": (MIDDLE, lambda picture: definitions.zoom(picture, 0.15)),
    "spin()": (MIDDLE, lambda picture: definitions.spin(picture, 10)),
    "pixelate(16px)": (LARGE, lambda picture: variable.mosaic(picture, 16)),
    # Whole levels stay as they are.
    "dither()": (LARGE, lambda picture: picture),
    **{f"median({radius})": (TINY, lambda picture, radius=radius: definitions.median(picture, radius))
       for radius in (1, 2, 3, 15)},
    "bilateral(5px)": (SMALL, lambda picture: definitions.bilateral(picture, 5)),
    "bilateral-separable(5px)": (SMALL, lambda picture: definitions.bilateral(picture, 5)),
    **{chain: (LARGE, lambda picture, chain=chain: color_definitions.colored(picture, chain))
       for chain in (*color_definitions.MATRICES, *color_definitions.CURVES)},
    "blur(8px) mix(50%)": (LARGE, lambda picture: variable.mixed(
        picture, variable.gaussian(picture, 8), 0.5)),
    "light()": (LARGE, look(30, 1, 0.3)),
    "extra-light()": (LARGE, look(20, 0.97, 0.8)),
    "dark()": (LARGE, look(20, 0.11, 0.73)),
    "gpuimage-gaussian()": (LARGE, gaussian(2)),
    "gpuimage-box()": (LARGE, boxes(4, 1)),
    "gpuimage-bilateral()": (LARGE, variable.gpuimage_bilateral),
    "gpuimage-zoom()": (LARGE, variable.gpuimage_zoom),
    "gpuimage-motion()": (LARGE, variable.gpuimage_motion),
    "gpuimage-tilt-shift()": (LARGE, variable.gpuimage_tilt_shift),
    "gpuimage-selective()": (LARGE, variable.gpuimage_selective),
    "gpuimage-gaussian-position()": (LARGE, variable.gpuimage_position),
}


def error(chain: str, frame: np.ndarray, work: Path) -> list[float]:
    """The most and the mean that a filter is off, in levels of 255; rounding alone costs up to 0.5.

    Of a picture's middle, from a file to a file.
    """
    (height, width), defined = DEFINITIONS[chain]
    top, left = (frame.shape[0] - height) // 2, (frame.shape[1] - width) // 2
    picture = np.ascontiguousarray(frame[top:top + height, left:left + width, :3])
    before, after = work / "family.png", work / "family-blurred.png"
    Image.fromarray(picture).save(before)
    after.unlink(missing_ok=True)
    subprocess.run(
        [COMMAND, "blur", before, after, "--filter", chain, "--backend", "fast"], check=True,
        capture_output=True)
    result = np.asarray(Image.open(after).convert("RGB")).astype(np.float64)
    for path in (before, after):
        path.unlink()
    difference = np.abs(result - defined(picture.astype(np.float64)))
    return [float(difference.max()), float(difference.mean())]


def errors(frame: np.ndarray, work: Path) -> dict[str, list[float]]:
    """Of all filters that have a definition."""
    return {chain: error(chain, frame, work) for chain in DEFINITIONS}
