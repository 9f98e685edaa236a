"""What other libraries have for the filters of the page, each as a function that does the work once.

Where nobody has a filter, there is what people do instead, by hand.
"""
import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
import pyvips
from PIL import Image, ImageEnhance, ImageFilter
from skimage import filters as skimage_filters
from skimage.util import random_noise

import color_definitions
import definitions
from contestants import EDGE

#: Does the work once; returns milliseconds where it has measured them itself.
Run = Callable[[], object]


@dataclass(frozen=True)
class Peer:
    """Somebody's way to a filter."""

    name: str
    #: Makes what does the work of a frame, whose preparation is not measured.
    prepare: Callable[[np.ndarray], Run]
    #: Measured in all sizes, however slow: what a goal is about.
    asked: bool = False
    #: A command, which is run once in all: it has nothing to be warm.
    once: bool = False


def opencv(name: str, call: Callable[..., object], asked: bool = False) -> Peer:
    """Of a function that takes a frame and where its result goes."""
    def prepare(frame: np.ndarray) -> Run:
        output = np.empty_like(frame)
        return lambda: call(frame, output)
    return Peer(f"OpenCV {name}", prepare, asked)


def contestant(kind: type, sigma: float) -> Peer:
    def prepare(frame: np.ndarray) -> Run:
        one = kind(frame)
        return lambda: one.run(sigma)
    return Peer(kind.name, prepare)


def vips(name: str, call: Callable[[pyvips.Image], pyvips.Image]) -> Peer:
    """Of an operation, its result as samples in memory."""
    def prepare(frame: np.ndarray) -> Run:
        height, width, channels = frame.shape
        picture = pyvips.Image.new_from_memory(frame.data, width, height, channels, "uchar")
        return lambda: call(picture).write_to_memory()
    return Peer(f"libvips {name}", prepare)


def pillow(name: str, call: Callable[[Image.Image], object]) -> Peer:
    def prepare(frame: np.ndarray) -> Run:
        picture = Image.fromarray(frame if frame.shape[2] > 1 else frame[..., 0])
        return lambda: call(picture)
    return Peer(f"Pillow {name}", prepare)


def skimage(name: str, call: Callable[[np.ndarray], object]) -> Peer:
    def prepare(frame: np.ndarray) -> Run:
        # It imports what it needs when it is first called.
        call(frame[:16, :16])
        return lambda: call(frame)
    return Peer(f"scikit-image {name}", prepare)


def line(length: float, degrees: float) -> np.ndarray:
    """The taps of a mean along a line: an impulse's, by definition."""
    side = 2 * (int(length) // 2 + 2) + 1
    impulse = np.zeros((side, side, 1))
    impulse[side // 2, side // 2] = 1
    return definitions.motion(impulse, length, degrees)[..., 0]


def gaussian(sigma: float) -> Peer:
    return opencv("GaussianBlur", lambda frame, output: cv2.GaussianBlur(
        frame, (0, 0), sigma, dst=output, borderType=EDGE))


def gaussians(sigma: float) -> list[Peer]:
    """Everybody has one; libvips' is told to look at what it would leave out."""
    return [
        gaussian(sigma),
        vips("gaussblur", lambda picture: picture.gaussblur(sigma, min_ampl=0.01)),
        pillow("GaussianBlur", lambda picture: picture.filter(ImageFilter.GaussianBlur(sigma))),
        skimage("gaussian", lambda frame: skimage_filters.gaussian(
            frame, sigma, mode="nearest", channel_axis=-1)),
    ]


def box(radius: int) -> list[Peer]:
    side = (2 * radius + 1, 2 * radius + 1)
    return [
        opencv("blur", lambda frame, output: cv2.blur(frame, side, dst=output, borderType=EDGE)),
        pillow("BoxBlur", lambda picture: picture.filter(ImageFilter.BoxBlur(radius))),
    ]


def taps(kernel: np.ndarray) -> list[Peer]:
    """A mean with weights: OpenCV's goes by way of frequencies where the kernel is large."""
    weights = kernel.astype(np.float32)
    found = [opencv("filter2D", lambda frame, output: cv2.filter2D(
        frame, -1, weights, dst=output, borderType=EDGE), asked=True)]
    if np.count_nonzero(kernel) < 1000:
        whole = np.rint(kernel * 255 / kernel.max())
        mask = pyvips.Image.new_from_array(whole.tolist(), scale=whole.sum())
        found.append(vips("conv", lambda picture: picture.conv(mask, precision="integer")))
    return found


def median(radius: int) -> list[Peer]:
    side = 2 * radius + 1
    found = [
        opencv("medianBlur", lambda frame, output: cv2.medianBlur(frame, side, dst=output),
               asked=True),
        vips("median", lambda picture: picture.median(side)),
    ]
    if radius < 3:
        found += [
            pillow("MedianFilter", lambda picture: picture.filter(ImageFilter.MedianFilter(side))),
            skimage("median", lambda frame: skimage_filters.median(
                frame, np.ones((side, side, 1)))),
        ]
    return found


def around(zoom: float = 0, degrees: float = 0) -> Peer:
    """By hand: to polar coordinates, where the path is a line, a mean along it, and back."""
    def run(frame: np.ndarray, output: np.ndarray) -> None:
        height, width = frame.shape[:2]
        center, reach = (width / 2, height / 2), math.hypot(width, height) / 2
        size = (round(reach), round(math.pi * reach))
        flags = cv2.INTER_LINEAR | (cv2.WARP_POLAR_LOG if zoom else 0)
        polar = cv2.warpPolar(frame, size, center, reach, flags)
        if zoom:
            side = (max(1, round(-math.log(1 - zoom) / math.log(reach) * size[0])), 1)
        else:
            side = (1, max(1, round(degrees / 360 * size[1])))
        blurred = cv2.blur(polar, side, borderType=EDGE)
        cv2.warpPolar(
            blurred, (width, height), center, reach, flags | cv2.WARP_INVERSE_MAP, dst=output)
    return opencv("warpPolar by hand", run)


def mosaic(side: int) -> list[Peer]:
    def shrink(frame: np.ndarray, output: np.ndarray) -> None:
        height, width = frame.shape[:2]
        small = cv2.resize(frame, (width // side, height // side), interpolation=cv2.INTER_AREA)
        cv2.resize(small, (width, height), dst=output, interpolation=cv2.INTER_NEAREST)
    return [
        opencv("resize twice", shrink),
        vips("shrink, zoom", lambda picture: picture.shrink(side, side).zoom(side, side)),
        pillow("reduce, resize", lambda picture: picture.reduce(side).resize(
            picture.size, Image.Resampling.NEAREST)),
    ]


def noise(deviation: float) -> list[Peer]:
    def add(frame: np.ndarray, output: np.ndarray) -> None:
        grain = np.empty(frame.shape[:2], np.int16)
        cv2.randn(grain, 0, 255 * deviation)
        cv2.add(frame, cv2.merge([grain] * 3 + [np.zeros_like(grain)]), dst=output, dtype=cv2.CV_8U)
    return [
        opencv("randn, add", add),
        skimage("random_noise", lambda frame: random_noise(frame, var=deviation**2)),
    ]


# OpenCV's window is the disc in the square, and it adds up differences of colors, not their squares.
BILATERAL = opencv("bilateralFilter", lambda frame, output: cv2.bilateralFilter(
    frame, 31, 0.1 * 255 * 3**0.5, 5, dst=output, borderType=EDGE), asked=True)


def of_four(matrix: np.ndarray) -> np.ndarray:
    """A matrix of three colors, for four channels of 0 to 255."""
    whole = np.zeros((4, 5), np.float32)
    whole[:3, :3], whole[:3, 4], whole[3, 3] = matrix[:, :3], 255 * matrix[:, 3], 1
    return whole


def mixed(chain: str) -> list[Peer]:
    """What mixes channels."""
    matrix = of_four(color_definitions.matrix(chain))
    recombined = pyvips.Image.new_from_array(matrix[:, :4].tolist())
    added = (255 * color_definitions.matrix(chain)[:, 3]).tolist() + [0.0]
    found = [
        opencv("transform", lambda frame, output: cv2.transform(frame, matrix, dst=output)),
        vips("recomb", lambda picture: (picture.recomb(recombined) + added).cast("uchar")),
    ]
    if chain.startswith("saturat"):
        found.append(pillow("Color", lambda picture: ImageEnhance.Color(picture).enhance(1.8)))
    return found


def curve(chain: str) -> list[Peer]:
    """What looks each sample up in a table."""
    factor, added = color_definitions.CURVES[chain]
    levels = np.clip(np.rint(factor * np.arange(256) + 255 * added), 0, 255).astype(np.uint8)
    table = np.stack([levels] * 3 + [np.arange(256, dtype=np.uint8)], axis=-1)[None]
    flat = levels.tolist() * 3 + list(range(256))
    index = pyvips.Image.new_from_memory(table.tobytes(), 256, 1, 4, "uchar")
    return [
        opencv("LUT", lambda frame, output: cv2.LUT(frame, table, dst=output)),
        vips("maplut", lambda picture: picture.maplut(index)),
        pillow("point", lambda picture: picture.point(flat)),
    ]


RICHER = of_four(0.7 * color_definitions.saturation(1.8, color_definitions.REC709))


def look(blur: Peer) -> Peer:
    """By hand: a blur, then a matrix of colors."""
    def prepare(frame: np.ndarray) -> Run:
        first, output = blur.prepare(frame), np.empty_like(frame)

        def run() -> None:
            first()
            # Of the frame: it takes as long as of the blurred one, which is not ours to see.
            cv2.transform(frame, RICHER, dst=output)
        return run
    return Peer(f"{blur.name}, transform", prepare)


def blended(sigma: float, share: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Peer:
    """By hand: a blurred copy that is mixed in by shares, of x and y from 0 to 1."""
    def prepare(frame: np.ndarray) -> Run:
        height, width = frame.shape[:2]
        y, x = np.mgrid[:height, :width].astype(np.float32)
        much = share(x / width, y / height).astype(np.float32)
        rest, output = 1 - much, np.empty_like(frame)

        def run() -> None:
            copy = cv2.GaussianBlur(frame, (0, 0), sigma, borderType=EDGE)
            cv2.blendLinear(copy, frame, much, rest, dst=output)
        return run
    return Peer("OpenCV GaussianBlur, blendLinear", prepare)
