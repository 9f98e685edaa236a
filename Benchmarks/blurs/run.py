"""Measures Frostglass and its peers in the same run, and writes pages, a plot and results/CPU.json.

    make bench              about a quarter of an hour
    make bench QUICK=1      about three, less exact, into Benchmarks/.work
    make bench FULL=1       and pictures of 20000×20000 pixels
    make bench FILTERS=1    the filters alone, into Benchmarks/.work

Where there are results of a last commit, rows that are slower than in them are measured again and named.
"""
import argparse
import os
import statistics
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

THREADS = 2
# libvips reads it when it starts, OpenBLAS when NumPy is imported.
os.environ["VIPS_CONCURRENCY"] = str(THREADS)

import numpy as np  # noqa: E402

import catalog  # noqa: E402
import commands  # noqa: E402
import contestants  # noqa: E402
import family  # noqa: E402
import family_errors  # noqa: E402
import family_page  # noqa: E402
import frames  # noqa: E402
import guard  # noqa: E402
import machine  # noqa: E402
import page  # noqa: E402
import plot  # noqa: E402
import results  # noqa: E402
import truth  # noqa: E402
from ours import Frostglass  # noqa: E402
from rounds import Budget, interleave  # noqa: E402

HERE = Path(__file__).resolve().parents[1]
WORK = HERE / ".work"
RESULTS = HERE / "results"
SIGMAS = (2, 5, 10, 20, 50, 100)
UHD, HD = (3840, 2160), (1920, 1080)
#: Of the filters.
ROUNDS = 5


class NumPyCopy:
    """A copy of the frame by one thread, for comparison with ours by several."""

    name = "copy"

    def __init__(self, frame: np.ndarray) -> None:
        self.frame, self.output = frame, np.empty_like(frame)

    def suits(self, sigma: float) -> bool:
        return True

    def run(self, sigma: float) -> None:
        np.copyto(self.output, self.frame)

    def result(self) -> np.ndarray:
        return self.output


def say(words: str) -> None:
    print(f"bench: {words}", file=sys.stderr, flush=True)


def sweep(
    frame: np.ndarray, peers: list[contestants.Contestant], sigmas: tuple[int, ...],
    budget: Budget, checked: bool,
) -> list[dict[str, Any]]:
    """Times for each σ, and errors where `checked`."""
    ours, copy = Frostglass(frame, THREADS, WORK), NumPyCopy(frame)
    points = []
    for sigma in sigmas:
        say(f"{frame.shape[1]}×{frame.shape[0]}, σ {sigma}")
        active = [ours, *(peer for peer in peers if peer.suits(sigma))]
        ours.copies.clear()
        ours.clocks.clear()
        ours.additions.clear()
        times = interleave([*active, copy], sigma, budget)
        copy_ms = statistics.median(ours.copies)
        expected = truth.blurred(frame, sigma) if checked else None
        rows = []
        for one in active:
            row = {"name": one.name, **asdict(times[one.name])}
            row["ratio"] = row["ms"] / copy_ms
            if expected is not None:
                row["error"] = asdict(truth.error(one.result(), expected, sigma))
            rows.append(row)
        points.append({
            "sigma": sigma, "copy_ms": copy_ms, "copy_range": [min(ours.copies), max(ours.copies)],
            "clock_ghz": statistics.median(ours.clocks),
            "additions_per_cycle": statistics.median(ours.additions), "numpy_ms": times[copy.name].ms, "rows": rows})
    ours.close()
    return points


def formats(frame: np.ndarray, sigmas: tuple[int, ...], budget: Budget) -> list[dict[str, Any]]:
    """Frostglass on samples of other kinds, in the same rounds as on what is usual."""
    usual = Frostglass(frame, THREADS, WORK, "8 bits, premultiplied")
    color, gray = (np.ascontiguousarray(frame[..., :n]) for n in (3, 1))
    others = [
        Frostglass(frame, THREADS, WORK, "8 bits, straight", alpha="straight"),
        Frostglass(color, THREADS, WORK, "8 bits, RGB"),
        Frostglass(gray, THREADS, WORK, "8 bits, gray"),
        Frostglass(frames.deep(frame), THREADS, WORK, "16 bits, premultiplied"),
        Frostglass(frames.deep(color), THREADS, WORK, "16 bits, RGB"),
        Frostglass(frames.deep(gray), THREADS, WORK, "16 bits, gray"),
        Frostglass(frame, THREADS, WORK, "8 bits, in linear light", options=("--linear",)),
    ]
    rows = []
    for sigma in sigmas:
        say(f"formats, σ {sigma}")
        for one in [usual, *others]:
            one.copies.clear()
        times = interleave([usual, *others], sigma, budget)
        for one in [usual, *others]:
            ms = times[one.name].ms
            rows.append({
                "name": one.name, "sigma": sigma, "ms": ms,
                "ratio": ms / statistics.median(one.copies),
                "factor": ms / times[usual.name].ms,
                "per_sample": ms / times[usual.name].ms * usual.samples / one.samples})
    for one in [usual, *others]:
        one.close()
    return rows


def measure_gaussians(quick: bool, full: bool) -> dict[str, Any]:
    """The Gaussian in two sizes beside others, samples of other kinds, and whole commands."""
    sigmas = (5, 20, 50) if quick else SIGMAS
    budget = Budget(3, 7, 0.5) if quick else Budget(3, 25, 4)
    large, small = frames.rgba(*UHD), frames.rgba(*HD)
    data: dict[str, Any] = {}
    data["sweeps"] = {
        "3840×2160": sweep(large, contestants.peers(large), sigmas, budget, checked=True),
        "1920×1080": sweep(small, contestants.opencv(small), sigmas, budget, checked=False),
    }
    data["formats"] = formats(large, (20,) if quick else (5, 20, 50), budget)
    say("whole commands")
    photograph = WORK / "photograph.jpg"
    frames.write_photograph(photograph)
    whole = commands.whole(WORK, photograph, 20, 3 if quick else 9)
    data["whole"] = [asdict(run) for run in whole]
    errors = commands.errors(WORK, frames.mosaic(*HD), 20)
    data["command_errors"] = {name: asdict(error) for name, error in errors.items()}
    say("cold start")
    data["starts"] = [asdict(run) for run in commands.starts(WORK, 5 if quick else 15)]
    data["huge"] = [asdict(run) for run in huge()] if full else []
    return data


def measure_filters(quick: bool) -> dict[str, Any]:
    """Every filter in every size class, and how far filters are from their definitions."""
    rows, copies = family.measure(catalog.SIZES, 1 if quick else ROUNDS, WORK, THREADS)
    say("errors of filters")
    return {
        "rows": rows, "copies": copies,
        "errors": family_errors.errors(frames.opaque(*UHD), WORK)}


def huge() -> list[commands.Run]:
    """Makes the very large pictures where they are missing, and blurs them."""
    sources = [WORK / "huge.png", WORK / "huge.tiff"]
    for source in sources:
        if not source.exists():
            say(f"making {source.name}")
            frames.write_huge(source)
    say("20000×20000")
    return commands.huge(WORK, sources, 20)


def held_against(data: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The run, its rows that seem slower than before measured again."""
    if guard.comparable(before, data):
        return data
    suspects = {(row.filter, row.size) for row in guard.slower(before["rows"], data["rows"])}
    if not suspects:
        return data
    say(f"{len(suspects)} rows seem slower than before, and are measured again")
    again = family.again(suspects, ROUNDS, WORK, THREADS)
    return {**data, "rows": guard.together(data["rows"], again)}


def write(data: dict[str, Any], folder: Path) -> None:
    """The results and what is made of them, the same from what was just measured as from the file."""
    folder.mkdir(exist_ok=True)
    name = data["slug"]
    results.write(data, folder / f"{name}.json")
    data = results.read(folder / f"{name}.json")
    if "rows" in data:
        (folder / f"{name}-filters.md").write_text(family_page.page(data), encoding="utf-8")
    if "sweeps" in data:
        points = data["sweeps"]["3840×2160"]
        title = f"Gaussian blur of 3840×2160 RGBA, 2 threads, {machine.cpu()}"
        plot.draw(points, title, folder / f"{name}.png")
        (folder / f"{name}.md").write_text(page.page(data), encoding="utf-8")
    say(f"results: {folder.relative_to(HERE.parent)}/{name}*")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds and values of σ")
    parser.add_argument("--full", action="store_true", help="20000×20000 pixels, too")
    parser.add_argument("--filters", action="store_true", help="the filters alone")
    parser.add_argument(
        "--again", action="store_true", help="write the pages again from the last results")
    arguments = parser.parse_args()
    WORK.mkdir(exist_ok=True)
    committed = RESULTS / f"{machine.slug()}.json"
    if arguments.again:
        write(results.read(committed), RESULTS)
        return
    start = time.monotonic()
    contestants.prepare(THREADS)
    data: dict[str, Any] = {"machine": machine.describe(THREADS), "slug": machine.slug()}
    if arguments.quick:
        data["machine"]["note"] = "a quick run: fewer rounds and values of σ"
    if not arguments.filters:
        data |= measure_gaussians(arguments.quick, arguments.full)
    data |= measure_filters(arguments.quick)
    before = None if arguments.quick else guard.committed(committed)
    if before:
        data = held_against(data, before)
    say(f"measured in {time.monotonic() - start:.0f} s")
    write(data, WORK if arguments.quick or arguments.filters else RESULTS)
    if before:
        print(guard.report(before, data)[0])


if __name__ == "__main__":
    main()
