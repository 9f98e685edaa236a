"""What Frostglass set out to reach, and whether it did.

Unless a goal says otherwise: 3840×2160, RGBA of 8 bits, two threads, in the same rounds.
"""
from dataclasses import dataclass
from typing import Any

from results import by_size

OURS = "Frostglass"
GAUSSIAN, BOXES = "OpenCV GaussianBlur", "OpenCV box ×3"
PYRAMID = "OpenCV pyramid by hand"
LARGE = "3840x2160"
#: σ: times faster than OpenCV's GaussianBlur, at least.
FASTER = {2: 2, 5: 8, 10: 20, 20: 55, 50: 200, 100: 700}
#: σ: times the price of a copy, at most.
COPIES = {2: 5, 5: 4, 10: 2.7, 20: 2, 50: 1.9, 100: 2}
#: Filters: times the price of a copy, at most.
PRICES = {
    "pixelate(16px)": 2.5,
    "triple-box(10px)": 6,
    "kawase(10px)": 6,
    "motion(60px, 30deg)": 12,
    "lens(12px)": 40,
    "lens(60px)": 20,
    "progressive-blur(20px)": 8,
    "tilt-shift(20px)": 10,
    "selective-blur(20px)": 12,
    "zoom()": 40,
    "spin()": 40,
    "grain()": 8,
    "dither()": 4,
    "gaussian(20px), in a quarter": 1.9,
    "gaussian(20px), in a sixteenth": 1.5,
    "gaussian(20px), in 1/64": 1.3,
    "gaussian(20px), confined by an ellipse": 5,
}
#: Filters: whom they are faster than, and how many times at least.
PEERS = {
    "motion(60px, 30deg)": ("OpenCV filter2D", 20),
    "lens(12px)": ("OpenCV filter2D", 5),
    "lens(60px)": ("OpenCV filter2D", 30),
    "median(3)": ("OpenCV medianBlur", 5),
    "median(15)": ("OpenCV medianBlur", 5),
    "bilateral(5px)": ("OpenCV bilateralFilter", 5),
    "bilateral-separable(5px)": ("OpenCV bilateralFilter", 50),
}
#: Other samples: the price of one against that of one of RGBA of 8 bits, at most.
SAMPLES = {
    name: 1.3 for name in (
        "8 bits, gray", "8 bits, RGB", "16 bits, premultiplied", "8 bits, in linear light")
}


@dataclass
class Goal:
    """A goal as asked, as measured, and whether it is reached."""

    what: str
    asked: str
    measured: str
    reached: bool


def at_most(what: str, value: float, limit: float, unit: str = "×", more: str = "") -> Goal:
    return Goal(what, f"≤ {limit:g} {unit}", f"{value:.2f} {unit}{more}", value <= limit)


def at_least(what: str, value: float, limit: float) -> Goal:
    return Goal(what, f"≥ {limit:g} ×", f"{value:.3g} ×", value >= limit)


def copies(what: str, value: float, limit: float, row: dict[str, Any]) -> Goal:
    """A price in copies, with what a copy took and what there was of the processors, neither always the same."""
    more = f" of {row['copy_ms']:.2f} ms"
    # Older results say nothing of that.
    if "clock_ghz" in row:
        more += f"; {row['clock_ghz']:.1f} GHz, {row['additions_per_cycle']:.1f} additions a cycle"
    return at_most(what, value, limit, "copies", more)


def of_gaussians(data: dict[str, Any]) -> list[Goal]:
    """Goals of Gaussians and of samples of other kinds."""
    found = []
    for size, points in by_size(data["sweeps"]):
        for point in points:
            sigma, rows = point["sigma"], {row["name"]: row for row in point["rows"]}
            ours, place = rows[OURS], f"{size}, σ {point['sigma']:g}"
            found += [
                copies(place, ours["ratio"], COPIES[sigma], point),
                at_least(
                    f"{place}: faster than {GAUSSIAN}", rows[GAUSSIAN]["ms"] / ours["ms"],
                    FASTER[sigma])]
    for row in data["formats"]:
        if row["name"] in SAMPLES:
            what = f"{row['name']}, σ {row['sigma']:g}: price of a sample against RGBA of 8 bits"
            found.append(at_most(what, row["per_sample"], SAMPLES[row["name"]]))
    return found


def of_filters(rows: list[dict[str, Any]]) -> list[Goal]:
    """Goals of other filters, in the order of the page."""
    found = []
    for row in rows:
        if row["size"] != LARGE:
            continue
        name = row["filter"]
        if name in PRICES:
            found.append(copies(
                f"`{name}`", row["beside"]["copy"]["ratio"], PRICES[name], row))
        if name in PEERS:
            peer, times = PEERS[name]
            found.append(at_least(
                f"`{name}`: faster than {peer}", row["peers"][peer] / row["ms"], times))
    return found


def of_others(data: dict[str, Any]) -> list[Goal]:
    """What was asked of Gaussians before: beside other ways to blur, and of whole commands."""
    found = []
    for size, points in by_size(data["sweeps"]):
        for point in points:
            rows = {row["name"]: row for row in point["rows"]}
            for name in (BOXES, PYRAMID):
                if name in rows:
                    found += beside(f"{size}, σ {point['sigma']:g}", rows[OURS], rows[name])
    return found + commands(data)


def beside(place: str, ours: dict[str, Any], other: dict[str, Any]) -> list[Goal]:
    name, faster = other["name"], other["ms"] / ours["ms"]
    found = [Goal(f"{place}: faster than {name}", "> 1 ×", f"{faster:.3g} ×", faster > 1)]
    if "error" in ours:
        mine, theirs = (row["error"]["interior_max"] for row in (ours, other))
        found.append(Goal(
            f"{place}: smaller error than {name}", f"< {theirs:.2f}", f"{mine:.2f}", mine < theirs))
    return found


def commands(data: dict[str, Any]) -> list[Goal]:
    runs = {run["name"]: run for run in data["whole"]}
    ours = runs.pop("frostglass blur")
    copy = runs.pop("vips copy (no blur)")
    best = min(runs.values(), key=lambda run: run["seconds"])
    # A peer that is 30 levels off has not done the same work.
    right = [run for run in runs.values() if data["command_errors"][run["name"]]["interior_max"] < 10]
    best_right = min(right, key=lambda run: run["seconds"])
    found = [
        at_most("12-megapixel JPEG: time against vips copy",
                ours["seconds"] / copy["seconds"], 1.15),
        at_least(f"12-megapixel JPEG: faster than the best peer ({best['name']})",
                 best["seconds"] / ours["seconds"], 1.6),
        at_least(f"12-megapixel JPEG: … the best within 10 levels ({best_right['name']})",
                 best_right["seconds"] / ours["seconds"], 1.6),
        at_most("12-megapixel JPEG: peak memory", ours["peak"] / 1e6, 80, "MB"),
    ]
    for run in data["huge"]:
        found.append(at_most(f"20000×20000 {run['name']}: peak memory", run["peak"] / 1e6, 400, "MB"))
    return found
