#!/usr/bin/env python3
"""Faces that stay visible after `frostglass find` and after deface, as a page: Benchmarks/results/find.md.

    Benchmarks/find/find_table.py --pictures DIR [--seed N] [--program PATH] [--page PATH] [--no-times]

Both look at the same films in turns, effort by effort. deface 1.5.0 is called as its program calls itself: each frame
by itself, score 0.2, ellipses 1.3 times its boxes. The page is rewritten, and keeps what was seen even when it got
worse. Ends with 1 where `find` fails. --no-times leaves frames a second out, for builds that were not made to be fast.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["OMP_NUM_THREADS"] = "2"

import cv2
import numpy as np
from deface.centerface import CenterFace
from deface.deface import scale_bb

import find_films

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pixels of frames for each of the masks by which excess is counted.
STEP = 4
LEAST_HEIGHT = 10


class Peak:
    """The most memory that this process's children hold together, in MB, shared pages counted once."""

    def __init__(self):
        self.megabytes, self.ends = 0.0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    def watch(self):
        while not self.ends.wait(0.1):
            self.megabytes = max(self.megabytes, sum(map(self.held, self.below(os.getpid()))) / 1000)

    def below(self, parent: int) -> list[int]:
        """The processes below one."""
        try:
            children = [int(child) for task in pathlib.Path(f"/proc/{parent}/task").iterdir()
                        for child in (task / "children").read_text().split()]
        except OSError:
            return []
        return children + [process for child in children for process in self.below(child)]

    @staticmethod
    def held(process: int) -> float:
        """The kilobytes that a process holds."""
        try:
            lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            return 0
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def frames(film: pathlib.Path):
    """The frames of a film."""
    reader = cv2.VideoCapture(str(film))
    while True:
        there, frame = reader.read()
        if not there:
            return
        yield frame


def by_deface(film: pathlib.Path):
    """The ellipses that deface covers, in each frame: left, top, right, bottom."""
    detector, covers = CenterFace(in_shape=None, backend="onnxrt"), []
    for frame in frames(film):
        found, _ = detector(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB), threshold=0.2)
        boxes = []
        for left, top, right, bottom, _ in found:
            boxes.append(("ellipse", *scale_bb(left, top, right, bottom, 1.3)))
        covers.append(boxes)
    return covers


def by_frostglass(program: pathlib.Path, film: pathlib.Path, effort: str, count: int):
    """The boxes that found tracks cover, in each frame, and the line that is said last."""
    tracks = film.with_suffix(f".{effort}.json")
    run = subprocess.run(
        [program, "find", film, tracks, "--find-effort", effort, "--overwrite"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"find exits with {run.returncode}: {run.stderr}")
    covers = [[] for _ in range(count)]
    for track in json.loads(tracks.read_text())["tracks"]:
        for key in track["keys"]:
            if "bbox" in key:
                left, top, width, height = key["bbox"]
                covers[key["frame"]].append(("box", left, top, left + width, top + height))
    return covers, run.stderr.strip().splitlines()[-1]


def inside(points: np.ndarray, covers) -> np.ndarray:
    """Which points are covered."""
    hit = np.zeros(len(points), bool)
    for shape, left, top, right, bottom in covers:
        if shape == "box":
            hit |= (points[:, 0] >= left) & (points[:, 0] <= right) & (points[:, 1] >= top) & (points[:, 1] <= bottom)
        elif right > left and bottom > top:
            across, down = (right - left) / 2, (bottom - top) / 2
            hit |= ((points[:, 0] - left) / across - 1) ** 2 + ((points[:, 1] - top) / down - 1) ** 2 <= 1
    return hit


GRID = np.stack(np.meshgrid(
    np.arange(STEP / 2, find_films.WIDTH, STEP), np.arange(STEP / 2, find_films.HEIGHT, STEP)), -1).reshape(-1, 2)


def measure(marks, covers):
    """Sightings and those less than half covered, by kind, and the mean part of frames covered beside faces."""
    counts, excess = {}, []
    for mark, boxes in zip(marks, covers):
        allowed = [("ellipse", x - 1.7 * max(a, b), y - 1.7 * max(a, b), x + 1.7 * max(a, b), y + 1.7 * max(a, b))
                   for _, (x, y, a, b, _), _ in mark["faces"]]
        excess.append(float((inside(GRID, boxes) & ~inside(GRID, allowed)).mean()))
        for _, face, visible in mark["faces"]:
            if visible < 0.5 or 2 * face[3] < LEAST_HEIGHT:
                continue
            kinds = [mark["kind"]] + (["24 px and more"] if 2 * face[3] >= 24 else [])
            covered = inside(find_films.points(face), boxes).mean()
            for kind in kinds + ["all"]:
                row = counts.setdefault(kind, [0, 0])
                row[0] += 1
                row[1] += bool(covered < 0.5)
    return counts, 100 * float(np.mean(excess))


def page(seed: int, rows, versions: str, has_times: bool) -> str:
    """The page."""
    times = ["frames a second", "MB"] if has_times else []
    kinds = ["all", "24 px and more", *find_films.KINDS]
    lines = [
        "# Faces that stay visible", "",
        f"Written by `make find-table`, seed {seed}, {versions}. Films of {len(find_films.KINDS)} scenes of "
        f"{find_films.FRAMES} frames, {find_films.WIDTH}×{find_films.HEIGHT}; heads are pasted, so their places are known "
        "before anything looks. `low` is `good` encoded at a low quality.", "",
        "The share of sightings of which less than half is covered, in percent; lower is better. A sighting is a face of "
        f"{LEAST_HEIGHT} pixels and more in a frame of which half can be seen. Excess is the share of frames that is covered "
        "beside 1.7 times the faces. deface covers each frame by itself."
        + (" Frames a second are those of reading and looking, without encoding, with all programs on two cores; MB are "
           "what all processes hold at once at most." if has_times else ""), "",
        "| | " + " | ".join([*kinds, "excess", *times]) + " |",
        "|---|" + "---:|" * (len(kinds) + 1 + len(times)),
    ]
    for name, counts, excess, rate, megabytes in rows:
        cells = [f"{100 * counts[kind][1] / counts[kind][0]:.1f}" if kind in counts else "–" for kind in kinds]
        cells += [f"{excess:.1f}"] + ([f"{rate:.1f}", f"{megabytes:.0f}"] if has_times else [])
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    counts = rows[0][1]
    lines += ["", "Sightings: " + ", ".join(f"{kind} {counts[kind][0]}" for kind in kinds if kind in counts) + ".", "",
              "Heads that are pasted and squeezed are no faces that turn: real films are harder. No number here says how many "
              "faces stay visible in yours.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=20261128)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / ".build/release/frostglass")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "Benchmarks/results/find.md")
    parser.add_argument("--no-times", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for film, marks in find_films.make(folder, options.pictures, options.seed).items():
            path = folder / f"{film}.mp4"
            for effort in ("quick", "normal", "thorough"):
                start = time.monotonic()
                with Peak() as peak:
                    covers, said = by_frostglass(options.program, path, effort, len(marks))
                rate = len(marks) / (time.monotonic() - start)
                print(film, effort, said, flush=True)
                rows.append((f"{film}, find {effort}", *measure(marks, covers), rate,
                             peak.megabytes))
            start = time.monotonic()
            with Peak() as peak, multiprocessing.get_context("spawn").Pool(1) as pool:
                covers = pool.apply(by_deface, (path,))
            rate = len(marks) / (time.monotonic() - start)
            rows.append((f"{film}, deface 1.5.0", *measure(marks, covers), rate, peak.megabytes))
            print(*rows[-1], flush=True)
    version = subprocess.run([options.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    options.page.write_text(page(options.seed, rows, f"{version} beside deface 1.5.0", not options.no_times))
    print(f"{options.page} is written")


if __name__ == "__main__":
    main()
