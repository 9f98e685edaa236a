#!/usr/bin/env python3
"""Writes what plans would take on a GPU of a given memory rate, by their own numbers: nothing is run.

    Benchmarks/gpu_prediction.py [--command .build/release/frostglass] [--bandwidth 4.8] [--fetches 1.0]

--bandwidth is the device's memory rate in 10^12 bytes a second, --fetches its texels in 10^12 a second;
the defaults are those of an H200's data sheet: 4.8, and 132 multiprocessors with four texels each at
1.98 GHz.
"""
import argparse
import datetime
import itertools
import json
import os
import struct
import subprocess
import tempfile
import zlib

SIZES = [(1920, 1080), (3840, 2160), (7680, 4320)]
SIGMAS = [1, 2, 5, 10, 20, 50, 100]
STAGES = ["blocked", "tiled"]


def png(path, width, height, channels):
    """A black picture of three channels or, opaque, of four: plans depend on no pixel."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    pixel = b"\0\0\0\xff"[:channels]
    rows = zlib.compress((b"\0" + pixel * width) * height, 1)
    with open(path, "wb") as file:
        color = 2 if channels == 3 else 6
        header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows)
                   + chunk(b"IEND", b""))


def plan(command, picture, sigma, stage):
    environment = dict(os.environ, FROSTGLASS_GL_STAGE=stage)
    text = subprocess.run(
        [command, "plan", picture, "--sigma", str(sigma), "--backend", "gl", "--json"],
        check=True, capture_output=True, text=True, env=environment).stdout
    return json.loads(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--command", default=".build/release/frostglass")
    parser.add_argument("--bandwidth", type=float, default=4.8)
    parser.add_argument("--fetches", type=float, default=1.0)
    options = parser.parse_args()
    print(f"""# Predicted: Gaussians on an H200-class GPU

{datetime.date.today()}; written by `Benchmarks/gpu_prediction.py` from the plans' own numbers (`frostglass plan --backend gl --json`, stages `blocked` and `tiled`, 8 bits a sample, on the device from start to end). **Nothing on this page was measured.**

*RGB* has no alpha, and takes four bytes a texel all the same; frames on a device whose alpha is premultiplied are drawn alike. Of *RGBA* alpha is straight, as in files: colors are multiplied by it first.

*moved*: each texel that a draw needs is read once from the device's memory, and each one that it makes is written once. *fetches*: texels that invocations ask for, most of them from caches; what `tiled` reads of memory that groups share is not among them. *by bytes*: moved at {options.bandwidth} TB/s. *by fetches*: at {options.fetches} × 10¹² texels a second. The larger of the two is the least that the frame can take; *copies* is what is moved beside reading and writing a frame once.

| size | | σ | stage | draws | moved, MB | fetches, millions | by bytes, µs | by fetches, µs | copies |
|---|---|---:|---|---:|---:|---:|---:|---:|---:|""")
    with tempfile.TemporaryDirectory() as folder:
        for (width, height), (kind, channels) in itertools.product(
                SIZES, [("RGB", 3), ("RGBA", 4)]):
            picture = os.path.join(folder, f"{kind}{width}.png")
            png(picture, width, height, channels)
            for sigma, stage in itertools.product(SIGMAS, STAGES):
                draws = plan(options.command, picture, sigma, stage)["gl"]["draws"]
                moved = sum(draw["readBytes"] + draw["writtenBytes"] for draw in draws)
                fetches = sum(draw["fetches"] for draw in draws)
                copy = 2 * 4 * width * height
                print(f"| {width}×{height} | {kind} | {sigma} | {stage} | {len(draws)} "
                      f"| {moved / 1e6:.1f} | {fetches / 1e6:.1f} | {moved / options.bandwidth / 1e6:.1f} "
                      f"| {fetches / options.fetches / 1e6:.1f} | {moved / copy:.2f} |")
    print("""
## What is not known

- the share of the memory's and the texture units' rates that these programs reach, and what a texel of 16-bit integers or of floats costs beside one of bytes
- what a dispatch takes to begin and to end, and what the driver takes to hand one over: of the 22 to 32 µs of processor time that a frame takes (docs/gpu.md), none is a GPU driver's
- which stage is the fastest there: it is measured on the device, once
- transfers: host to host, with pinned and mapped buffers
- whether drivers other than Mesa's give the same bytes""")


if __name__ == "__main__":
    main()
