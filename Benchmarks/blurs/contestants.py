"""The libraries that are measured in this process, all with clamped edges and warm memory.

Each computes four channels alike, on premultiplied samples.
"""
import math
from importlib import metadata
from typing import Protocol

import cv2
import numpy as np
import pyvips
from PIL import Image, ImageFilter

EDGE = cv2.BORDER_REPLICATE


class Contestant(Protocol):
    """Something that blurs a frame it was given at the start."""

    name: str

    def suits(self, sigma: float) -> bool:
        """Whether it does something of its own at this σ."""
        ...

    def run(self, sigma: float) -> float | None:
        """Blurs once; returns milliseconds where it has measured them itself."""
        ...

    def result(self) -> np.ndarray:
        """What the last run made, in the frame's shape."""
        ...


class OpenCVGaussian:
    """cv2.GaussianBlur with the kernel size it chooses itself."""

    name = "OpenCV GaussianBlur"

    def __init__(self, frame: np.ndarray) -> None:
        self.frame, self.output = frame, np.empty_like(frame)

    def suits(self, sigma: float) -> bool:
        return True

    def run(self, sigma: float) -> None:
        cv2.GaussianBlur(self.frame, (0, 0), sigma, dst=self.output, borderType=EDGE)

    def result(self) -> np.ndarray:
        return self.output


class OpenCVBoxes:
    """Three box filters with the sizes that CSS and SVG give for a Gaussian."""

    name = "OpenCV box ×3"

    def __init__(self, frame: np.ndarray) -> None:
        self.frame, self.output, self.other = frame, np.empty_like(frame), np.empty_like(frame)

    def suits(self, sigma: float) -> bool:
        return True

    def run(self, sigma: float) -> None:
        side = math.floor(sigma * 3 * math.sqrt(2 * math.pi) / 4 + 0.5)
        half = side // 2
        # An even box is centered between pixels: once left, once right, and then an odd one.
        steps = [(side, half)] * 3
        if side % 2 == 0:
            steps = [(side, half), (side, half - 1), (side + 1, half)]
        source = self.frame
        for (size, anchor), target in zip(steps, (self.output, self.other, self.output)):
            cv2.blur(source, (size, size), dst=target, anchor=(anchor, anchor), borderType=EDGE)
            source = target

    def result(self) -> np.ndarray:
        return self.output


class OpenCVPyramid:
    """Shrink by a power of two, blur, grow: the usual trick, done with care.

    The factor leaves σ / factor at 2…4. What shrinking (a box) and growing (a triangle) blur by
    themselves is taken off the σ of the middle step.
    """

    name = "OpenCV pyramid by hand"

    def __init__(self, frame: np.ndarray) -> None:
        self.frame, self.output = frame, np.empty_like(frame)

    @staticmethod
    def factor(sigma: float) -> int:
        return 2 ** max(0, math.floor(math.log2(sigma / 2)))

    def suits(self, sigma: float) -> bool:
        return self.factor(sigma) > 1

    def run(self, sigma: float) -> None:
        factor = self.factor(sigma)
        height, width = self.frame.shape[:2]
        size = (round(width / factor), round(height / factor))
        variance = sigma**2 - (factor**2 - 1) / 12 - factor**2 / 6
        small = cv2.resize(self.frame, size, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), math.sqrt(variance) / factor, borderType=EDGE)
        cv2.resize(small, (width, height), dst=self.output, interpolation=cv2.INTER_LINEAR)

    def result(self) -> np.ndarray:
        return self.output


class Vips:
    """libvips' gaussblur; what it ignores of the kernel is min_ampl, 0.2 by default."""

    def __init__(self, frame: np.ndarray, min_ampl: float | None = None) -> None:
        self.name = "libvips" if min_ampl is None else f"libvips, min_ampl {min_ampl}"
        self.options = {} if min_ampl is None else {"min_ampl": min_ampl}
        height, width, channels = frame.shape
        self.shape = frame.shape
        self.picture = pyvips.Image.new_from_memory(frame.data, width, height, channels, "uchar")
        self.output: object = None

    def suits(self, sigma: float) -> bool:
        return True

    def run(self, sigma: float) -> None:
        self.output = self.picture.gaussblur(sigma, **self.options).write_to_memory()

    def result(self) -> np.ndarray:
        return np.frombuffer(self.output, np.uint8).reshape(self.shape)


class Pillow:
    """Pillow's GaussianBlur, which is three box filters, on one thread."""

    name = "Pillow, 1 thread"

    def __init__(self, frame: np.ndarray) -> None:
        height, width = frame.shape[:2]
        self.picture = Image.frombytes("RGBA", (width, height), frame.tobytes())
        self.output = self.picture

    def suits(self, sigma: float) -> bool:
        return True

    def run(self, sigma: float) -> None:
        self.output = self.picture.filter(ImageFilter.GaussianBlur(sigma))

    def result(self) -> np.ndarray:
        return np.asarray(self.output)


def prepare(threads: int) -> None:
    """Gives each library as many threads; VIPS_CONCURRENCY has to be set before."""
    cv2.setNumThreads(threads)
    linked = ".".join(str(pyvips.version(part)) for part in range(3))
    if linked != metadata.version("pyvips-binary"):
        raise RuntimeError(f"pyvips has taken libvips {linked}; it must be pyvips-binary's")
    # Nothing is remembered from one round to the next.
    pyvips.cache_set_max(0)


def peers(frame: np.ndarray) -> list[Contestant]:
    """All of them."""
    return [
        *opencv(frame), Vips(frame), Vips(frame, min_ampl=0.01), Pillow(frame),
    ]


def opencv(frame: np.ndarray) -> list[Contestant]:
    """OpenCV's three ways."""
    return [OpenCVGaussian(frame), OpenCVBoxes(frame), OpenCVPyramid(frame)]
