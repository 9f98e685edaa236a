"""What a random blur costs in a worker of a DataLoader, beside what else augments pictures.

    python loader_blur.py [--side 224] [--batch 32] [--rounds 15]

Pictures of 8 bits with three channels, a new σ from 0.1 to 2 for each, one thread, as a worker has it. All take
turns in each round, a whole batch at a time; a line is the median of all rounds for one picture. Those that take
tensors are given tensors.
"""
import argparse
import contextlib
import random
import statistics
import time

import albumentations
import cv2
import frostglass
import kornia
import numpy as np
import torch

# PyPI's torchvision has operators of its own for CUDA alone, and names these when it is imported; blurs are
# torch's.
operators = torch.library.Library("torchvision", "FRAGMENT")
for operator in ("nms", "qnms"):
    with contextlib.suppress(RuntimeError):
        operators.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from torchvision.transforms import v2  # noqa: E402

LEAST, MOST = 0.1, 2.0
# The usual size of such kernels: a tenth of the picture's side, odd.
TENTH = 10


def runners(side, batch):
    """What blurs a batch, by name."""
    pictures = np.random.default_rng(1).integers(0, 256, (batch, side, side, 3), "uint8")
    tensors = torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)))
    floats = tensors.float() / 255
    size = side // TENTH | 1
    album = albumentations.Compose([albumentations.GaussianBlur(
        blur_limit=(size, size), sigma_limit=(LEAST, MOST), p=1)])
    vision = v2.GaussianBlur(size, (LEAST, MOST))
    filters = kornia.augmentation.RandomGaussianBlur((size, size), (LEAST, MOST), p=1)

    def sigmas():
        return [random.uniform(LEAST, MOST) for _ in range(batch)]

    def one_by_one(blur):
        return lambda: [blur(picture, sigma) for picture, sigma in zip(pictures, sigmas())]

    return {
        "frostglass.blur(batch, sigmas)": lambda: frostglass.blur(pictures, sigmas(), threads=1),
        "frostglass.blur(picture, sigma)": one_by_one(lambda picture, sigma: frostglass.blur(
            picture, sigma, threads=1)),
        "frostglass.blur(tensors, sigmas, layout=\"NCHW\")": lambda: frostglass.blur(
            tensors, sigmas(), layout="NCHW", threads=1),
        "frostglass.blur(floats, sigmas, layout=\"NCHW\")": lambda: frostglass.blur(
            floats, sigmas(), layout="NCHW", threads=1),
        "cv2.GaussianBlur": one_by_one(lambda picture, sigma: cv2.GaussianBlur(picture, (0, 0), sigma)),
        f"cv2.GaussianBlur, {size} × {size}": one_by_one(
            lambda picture, sigma: cv2.GaussianBlur(picture, (size, size), sigma)),
        f"albumentations, {size} × {size}": lambda: [album(image=picture)["image"] for picture in pictures],
        f"torchvision, {size} × {size}": lambda: [vision(tensor) for tensor in tensors],
        f"kornia, floats, {size} × {size}": lambda: filters(floats),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    blurs = runners(given.side, given.batch)
    taken = {name: [] for name in blurs}
    for turn in range(given.rounds + 1):
        for name, blur in blurs.items():
            begin = time.perf_counter()
            blur()
            if turn:  # The first is for what is made once.
                taken[name].append((time.perf_counter() - begin) / given.batch * 1000)
    first = taken[next(iter(taken))]
    print("| a picture of", f"{given.side} × {given.side} | ms | times the first |\n|---|---:|---:|")
    for name, times in taken.items():
        ratio = statistics.median(mine / ours for mine, ours in zip(times, first))
        print(f"| `{name}` | {statistics.median(times):.3f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
