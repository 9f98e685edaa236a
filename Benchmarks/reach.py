"""What Frostglass set out to reach, and whether it did."""
from dataclasses import dataclass
from typing import Any

OURS = "Frostglass"
GAUSSIAN, BOXES = "OpenCV GaussianBlur", "OpenCV box ×3"
PYRAMID = "OpenCV pyramid by hand"
#: σ: times faster than OpenCV's GaussianBlur, at least.
FASTER = {2: 2, 5: 8, 10: 20, 20: 55, 50: 200, 100: 700}
#: σ: times the price of a copy, at most.
COPIES = {2: 7, 5: 4.5, 10: 3, 20: 2.7, 50: 2.5, 100: 2.5}


@dataclass
class Goal:
    """A goal as asked, as measured, and whether it is reached."""

    what: str
    asked: str
    measured: str
    reached: bool


def at_most(what: str, value: float, limit: float, unit: str = "×") -> Goal:
    return Goal(what, f"≤ {limit:g} {unit}", f"{value:.2f} {unit}", value <= limit)


def at_least(what: str, value: float, limit: float) -> Goal:
    return Goal(what, f"≥ {limit:g} ×", f"{value:.3g} ×", value >= limit)


def goals(data: dict[str, Any]) -> list[Goal]:
    """All goals that the measurement can judge."""
    found = []
    for size, points in data["sweeps"].items():
        for point in points:
            found += speed(size, point)
    for row in data["formats"]:
        if row["limit"]:
            what = f"{row['name']} against 8 bits, σ {row['sigma']:g}"
            found.append(at_most(what, row["factor"], row["limit"]))
    return found + commands(data)


def speed(size: str, point: dict[str, Any]) -> list[Goal]:
    sigma, rows = point["sigma"], {row["name"]: row for row in point["rows"]}
    ours = rows[OURS]
    place = f"{size}, σ {sigma:g}"
    found = []
    if sigma in FASTER:
        found.append(at_least(
            f"{place}: faster than {GAUSSIAN}", rows[GAUSSIAN]["ms"] / ours["ms"], FASTER[sigma]))
        found.append(at_most(f"{place}: price in copies", ours["ratio"], COPIES[sigma]))
    for name in (BOXES, PYRAMID):
        if name not in rows:
            continue
        other = rows[name]
        faster = other["ms"] / ours["ms"]
        found.append(Goal(f"{place}: faster than {name}", "> 1 ×", f"{faster:.3g} ×", faster > 1))
        if "error" in ours:
            mine, theirs = (row["error"]["interior_max"] for row in (ours, other))
            found.append(Goal(
                f"{place}: smaller error than {name}", f"< {theirs:.2f}", f"{mine:.2f}",
                mine < theirs))
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
