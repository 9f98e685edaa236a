"""What a blur costs from Python: beside the library itself, and beside what else Python has.

    python python_blur.py [--sigma 20] [--rounds 15]

A 3840×2160 RGBA picture of 8 bits. All take turns in each round; a line is the median of all rounds, and how
far the result is from SciPy's Gaussian of 64-bit floats, cut at 6 sigma, inside the picture.
"""
import argparse
import contextlib
import ctypes
import statistics
import time

import albumentations
import cv2
import frostglass
import numpy as np
import scipy.ndimage
import skimage.filters
import torch
from frostglass import _library as lib
from PIL import Image, ImageFilter

# PyPI's torchvision has operators of its own for CUDA alone, and names these when it is imported; blurs are
# torch's.
operators = torch.library.Library("torchvision", "FRAGMENT")
for operator in ("nms", "qnms"):
    with contextlib.suppress(RuntimeError):
        operators.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from torchvision.transforms.v2.functional import gaussian_blur  # noqa: E402

WIDTH, HEIGHT = 3840, 2160


def picture():
    """Opaque, with edges and noise."""
    random = np.random.default_rng(1)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    image = np.empty((HEIGHT, WIDTH, 4), "uint8")
    for channel in range(3):
        waves = 96 + 60 * np.sin(x / (37 + 9 * channel)) * np.cos(y / 53) + 40 * (x // 128 % 2)
        image[..., channel] = np.clip(waves + random.normal(0, 12, x.shape), 0, 255)
    image[..., 3] = 255
    return image


def library(image, sigma):
    """The library's own call: one plan, memory that is there."""
    out = np.empty_like(image)
    engine, plan = ctypes.c_void_p(), ctypes.c_void_p()
    lib.call("fg_engine_create", None, engine)

    def place(array):
        return lib.sized(
            lib.Image, data=array.ctypes.data, width=WIDTH, height=HEIGHT, stride=4 * WIDTH, format=7)

    given, result = place(image), place(out)
    options = lib.sized(lib.PlanOptions, input=ctypes.pointer(given))
    text = (ctypes.c_char_p * 1)(f"gaussian({sigma}px)".encode())
    lib.call("fg_plan_create", engine, text, 1, options, plan)
    run = lib.library().fg_plan_run

    def blurs():
        run(plan, given, result, 1, None, None, 0)
        return out

    return blurs


def contestants(image, sigma):
    """What is measured, by name."""
    out = np.empty_like(image)
    pillow = Image.fromarray(image)
    # As torch has pictures, and a kernel of three standard deviations to each side: it has none of its own.
    tensor = torch.from_numpy(image).permute(2, 0, 1).contiguous()
    side = 2 * round(3 * sigma) + 1
    augmentation = albumentations.GaussianBlur(
        blur_limit=(side, side), sigma_limit=(sigma, sigma), p=1)
    return {
        "libfrostglass, fg_plan_run": library(image, sigma),
        "frostglass.blur(out=)": lambda: frostglass.blur(image, sigma, out=out),
        "frostglass.blur": lambda: frostglass.blur(image, sigma),
        "cv2.GaussianBlur": lambda: cv2.GaussianBlur(image, (0, 0), sigma),
        "PIL ImageFilter.GaussianBlur": lambda: pillow.filter(ImageFilter.GaussianBlur(sigma)),
        "scipy.ndimage.gaussian_filter": lambda: scipy.ndimage.gaussian_filter(
            image, (sigma, sigma, 0)),
        "skimage.filters.gaussian": lambda: skimage.filters.gaussian(
            image, sigma, channel_axis=-1, preserve_range=True),
        "albumentations.GaussianBlur": lambda: augmentation(image=image)["image"],
        "torchvision gaussian_blur": lambda: gaussian_blur(
            tensor, [side, side], [sigma, sigma]).permute(1, 2, 0),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sigma", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    sigma = arguments.sigma
    image = picture()
    runs = contestants(image, sigma)
    times = {name: [] for name in runs}
    margin = int(6 * sigma) + 1
    part = image[:600 + 2 * margin, :600 + 2 * margin, :3].astype("float64")
    truth = scipy.ndimage.gaussian_filter(part, (sigma, sigma, 0), truncate=6)
    inside = slice(margin, margin + 600)
    errors = {}
    for number in range(arguments.rounds + 1):
        for name, run in runs.items():
            # The slow ones take fewer turns, the slowest one.
            if number > 3 and statistics.median(times[name]) > 2 or times[name][:1] > [20]:
                continue
            begun = time.perf_counter()
            result = run()
            taken = time.perf_counter() - begun
            if number or taken > 20:
                times[name].append(taken)
            if not number:
                found = np.asarray(result)[inside, inside, :3].astype("float64")
                errors[name] = np.abs(found - truth[inside, inside]).max()
    own = statistics.median(times["libfrostglass, fg_plan_run"])
    print(f"sigma {sigma:g}, {WIDTH}×{HEIGHT} RGBA, {cv2.getNumThreads()} threads for OpenCV")
    print("| | ms | times the library's | largest error, levels of 255 |\n|---|---:|---:|---:|")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"| {name} | {median * 1000:.1f} | {median / own:.3f} | {errors[name]:.2f} |")


if __name__ == "__main__":
    main()
