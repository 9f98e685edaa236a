"""Measures filters beside the Gaussian and OpenCV, and writes results/CPU-filters.md.

    make bench              runs this, too
    family.py --quick       one round of few runs, into a page beside it

Chains of one group take turns within each round, and after them OpenCV's functions; each row is a
multiple of a copy of the same frame by as many threads, and of the group's first row.
"""
import argparse
import json
import statistics
import subprocess
import sys

import cv2
import numpy as np

import frames
import machine
from family_peers import PEERS, PeerTimes, error
from frames import ROOT

COMMAND = ROOT / ".build" / "release" / "frostglass"
WORK = ROOT / "Benchmarks" / ".work"
RESULTS = ROOT / "Benchmarks" / "results"
WIDTH, HEIGHT, THREADS = 3840, 2160, 2
ROUNDS = 3

# Title, chains (the first is what others are compared with), options.
GROUPS = [
    ("Materials beside their Gaussian, σ 22.5 and 29.5 px", [
        "gaussian(22.5px)", "ultra-thin-light(22.5px)", "chrome-dark(22.5px)"], []),
    ("", ["gaussian(29.5px)", "thin-light(29.5px)", "material-dark(29.5px)"], []),
    ("Strength that varies, σ up to 20 px", [
        "gaussian(20px)", "progressive-blur(20px)", "tilt-shift(20px)", "selective-blur(20px)"], []),
    ("Dual Kawase and three boxes, σ 10 px", [
        "gaussian(10px)", "kawase(10px)", "triple-box(10px)"], []),
    ("Lines and lenses", [
        "gaussian(10px)", "motion(60px, 30deg)", "lens(12px)", "lens(60px)", "pixelate(16px)"], []),
    ("Zooms and spins", ["gaussian(10px)", "zoom()", "spin()"], []),
    ("Noise", ["gaussian(10px)", "grain()", "dither()", "gaussian(10px) dither()"], []),
    ("Medians of 3×3, 5×5, 7×7 and 31×31", [
        "gaussian(10px)", "median(1)", "median(2)", "median(3)", "median(15)"], []),
    ("Bilateral, 31×31, of three channels",
     ["gaussian(10px)", "bilateral(5px)", "bilateral-separable(5px)"], ["--format", "rgb8"]),
    ("A Gaussian of σ 20 px in a part: all of the frame", ["gaussian(20px)"], []),
    ("a quarter", ["gaussian(20px)"], ["--region", "25%,25%,50%,50%"]),
    ("a sixteenth", ["gaussian(20px)"], ["--region", "37.5%,37.5%,25%,25%"]),
    ("1/64", ["gaussian(20px)"], ["--region", "43.75%,43.75%,12.5%,12.5%"]),
    ("an ellipse, a quarter of the frame's sides, feathered", ["gaussian(20px)"],
     ["--region", "ellipse(37.5%,37.5%,25%,25%)", "--feather", "40"]),
    ("all but that ellipse, confined", ["gaussian(20px)"],
     ["--region", "ellipse(37.5%,37.5%,25%,25%)", "--invert", "--mask-use", "confine"]),
]


def measure(
    chains: list[str], options: list[str], frame: np.ndarray, rounds: int,
) -> tuple[list[dict], PeerTimes]:
    """A row for each chain, the medians of some rounds, and the peers' times of the same rounds."""
    if "rgb8" in options:
        frame = np.ascontiguousarray(frame[..., :3])
    samples = WORK / "family.raw"
    frame.tofile(samples)
    command = [
        COMMAND, "bench", "--backend", "fast", "--threads", str(THREADS),
        "--size", f"{WIDTH}x{HEIGHT}", "--frame", samples, "--filter", "; ".join(chains), "--json",
        *options]
    print(f"bench: {'; '.join(chains)} {' '.join(options)}", file=sys.stderr, flush=True)
    peers = PeerTimes([] if "--region" in options else chains, frame)
    measured: list[list[dict]] = []
    for _ in range(rounds):
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        measured.append([json.loads(line) for line in output.splitlines()])
        peers.round()
    samples.unlink()
    rows = [
        {key: statistics.median(row[key] for row in same) for key in ("median_ms", "ratio")}
        for same in zip(*measured)
    ]
    return rows, peers


def table(groups: list, frame: np.ndarray, rounds: int) -> list[str]:
    """The lines of the page's table."""
    lines = [
        "| filter | times a copy | times the first of its group | OpenCV | times as fast | off by at "
        "most, in the mean |",
        "|---|---:|---:|---|---:|---:|"]
    for title, chains, options in groups:
        rows, peers = measure(chains, options, frame, rounds)
        if title:
            lines.append(f"| **{title}** | | | | | |")
        for chain, row in zip(chains, rows):
            relative = row["median_ms"] / rows[0]["median_ms"]
            ms, off = peers.median(chain), error(COMMAND, chain, frame, WORK)
            peer = f"`{PEERS[chain].name}` | {ms / row['median_ms']:.1f}" if ms else "|"
            errors = f"{off[0]:.2f}, {off[1]:.3f}" if off else ""
            lines.append(f"| `{chain}` | {row['ratio']:.1f} | {relative:.2f} | {peer} | {errors} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round, into a page of its own")
    quick = parser.parse_args().quick
    WORK.mkdir(exist_ok=True)
    cv2.setNumThreads(THREADS)
    frame = np.full((HEIGHT, WIDTH, 4), 255, np.uint8)
    frame[..., :3] = frames.mosaic(WIDTH, HEIGHT)
    lines = [
        f"# Filters on {machine.cpu()}", "",
        f"{WIDTH}×{HEIGHT} photographs, RGBA of 8 bits, opaque, {THREADS} threads, medians, and "
        "OpenCV's function on the same frame after each round. Errors are in levels of 255, to "
        "what a filter is by definition (`Benchmarks/definitions.py`), of a small picture; rounding "
        "alone is up to 0.5; zooms and spins soften by up to ¼ square pixel a pass, which fine detail "
        "shows (docs/kernel-blurs.md). OpenCV's `filter2D` has the same line and disc, without "
        "highlights, its `bilateralFilter` the disc in the same square. Written by "
        "`Benchmarks/family.py`.", ""]
    lines += table(GROUPS, frame, 1 if quick else ROUNDS)
    page = RESULTS / f"{machine.slug()}-filters.md"
    if quick:
        page = WORK / page.name
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
