"""Measures filters beside the Gaussian, and writes results/CPU-filters.md.

    make bench              runs this, too

Chains of one group take turns within each round; each row is a multiple of a copy of the same frame
by as many threads, and of the group's first row.
"""
import json
import subprocess
import sys

import machine
from frames import ROOT

COMMAND = ROOT / ".build" / "release" / "frostglass"
RESULTS = ROOT / "Benchmarks" / "results"
SIZE, THREADS = "3840x2160", 2

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
        "gaussian(10px)", "motion(60px, 30deg)", "lens(12px)", "lens(60px)", "pixelate(16px)",
        "grain()"], []),
    ("Medians of 3×3, 5×5, 7×7 and 31×31", [
        "gaussian(10px)", "median(1)", "median(2)", "median(3)", "median(15)"], []),
    ("A Gaussian of σ 20 px in a part: all of the frame", ["gaussian(20px)"], []),
    ("a quarter", ["gaussian(20px)"], ["--region", "25%,25%,50%,50%"]),
    ("a sixteenth", ["gaussian(20px)"], ["--region", "37.5%,37.5%,25%,25%"]),
    ("1/64", ["gaussian(20px)"], ["--region", "43.75%,43.75%,12.5%,12.5%"]),
    ("an ellipse, a quarter of the frame's sides, feathered", ["gaussian(20px)"],
     ["--region", "ellipse(37.5%,37.5%,25%,25%)", "--feather", "40"]),
    ("all but that ellipse, confined", ["gaussian(20px)"],
     ["--region", "ellipse(37.5%,37.5%,25%,25%)", "--invert", "--mask-use", "confine"]),
]


def measure(chains: list[str], options: list[str]) -> list[dict]:
    """A row for each chain."""
    command = [
        COMMAND, "bench", "--backend", "fast", "--threads", str(THREADS), "--size", SIZE,
        "--filter", "; ".join(chains), "--json", *options]
    print(f"bench: {'; '.join(chains)} {' '.join(options)}", file=sys.stderr, flush=True)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def main() -> None:
    processor = machine.cpu()
    lines = [
        f"# Filters on {processor}", "",
        f"{SIZE} RGBA, 8 bits, premultiplied, {THREADS} threads, medians. Written by "
        "`Benchmarks/family.py`.", "",
        "| filter | times a copy | times the first of its group |", "|---|---:|---:|"]
    for title, chains, options in GROUPS:
        rows = measure(chains, options)
        if title:
            lines.append(f"| **{title}** | | |")
        for chain, row in zip(chains, rows):
            relative = row["median_ms"] / rows[0]["median_ms"]
            lines.append(f"| `{chain}` | {row['ratio']:.1f} | {relative:.2f} |")
    page = RESULTS / f"{machine.slug()}-filters.md"
    page.write_text("\n".join(lines) + "\n")
    print(page)


if __name__ == "__main__":
    main()
