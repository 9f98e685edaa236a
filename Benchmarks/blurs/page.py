"""The page of results, in Markdown."""
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import reach
from results import by_size

NOTES = """## How it was measured

- Every number is a median of interleaved rounds: each contestant once per round, each round beginning with another one, after a run that does not count unless it took over 2 seconds. Runs of under 0.1 s are done twice and the second counts, so that everyone finds the cache as itself left it. Slow ones take part in fewer rounds.
- In process: one premultiplied RGBA frame of photographs, noise, hard edges and soft holes; everyone computes its four channels alike. Everyone extends the border pixels outward (OpenCV is told to with `BORDER_REPLICATE`; libvips and Pillow do so by themselves). OpenCV and Frostglass write to memory that was used before; libvips and Pillow make new memory, as their interfaces do.
- Copies are `memcpy` of the same frame by as many threads, after each of our blurs, in the same process. A ratio is a time divided by that.
- Frostglass runs in a process of its own, `frostglass bench --interactive`, and times itself; the others are timed around the call.
- The pyramid by hand shrinks with `INTER_AREA` by the power of two that leaves σ / factor at 2…4, blurs with what is left of σ, and grows with `INTER_LINEAR`. The triple box takes the sizes from CSS's filter effects.
- The truth is the Gaussian in double precision, cut beyond 6σ, before rounding: a perfect result is off by 0.5 levels of 255. *Inside* leaves out a border of 4σ, where contestants may extend pictures differently.
- Whole commands are processes from start to exit, files in the page cache, `peak` their largest resident set. JPEG quality 90 (ffmpeg: `-q:v 2`), colors not subsampled. Their errors are measured on a PNG of 1920×1080.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, all columns but the first to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def goals_table(goals: Sequence[reach.Goal], title: str = "Goals") -> str:
    """Goals as they were asked, and whether each is reached."""
    reached = sum(goal.reached for goal in goals)
    return f"## {title}: {reached} of {len(goals)} reached\n\n" + table(
        ("goal", "asked", "measured", "reached"),
        ((goal.what, goal.asked, goal.measured, "yes" if goal.reached else "**no**")
         for goal in goals))


def page(data: dict[str, Any]) -> str:
    """The whole page."""
    name = data["slug"]
    parts = [
        f"# Benchmarks: {data['machine']['CPU']}\n",
        f"Made by `make bench`; medians of this one run. [Every filter]({name}-filters.md) has a page "
        f"of its own, [{name}.json]({name}.json) has all numbers.\n",
        "".join(f"- {name}: {value}\n" for name, value in data["machine"].items()),
        copies(data["sweeps"]),
        "## In short: 3840×2160\n",
        in_short(data["sweeps"]["3840×2160"]),
        f"![Time and error over σ]({name}.png)\n",
        goals_table(reach.of_gaussians(data)),
        goals_table(reach.of_others(data), "What was asked before"),
    ]
    for size, points in by_size(data["sweeps"]):
        parts.append(f"## {size} RGBA, 8 bits\n")
        parts += sweep(points)
    parts += [formats(data["formats"]), whole(data), starts(data["starts"]), NOTES]
    return "\n".join(parts)


def copies(sweeps: dict[str, list[dict[str, Any]]]) -> str:
    """How long copies took, which all multiples of them hang on."""
    lines = []
    for size, points in by_size(sweeps):
        low = min(point["copy_range"][0] for point in points)
        high = max(point["copy_range"][1] for point in points)
        middle = statistics.median(point["copy_ms"] for point in points)
        lines.append(f"- a copy of {size}: {middle:.2f} ms, from {low:.2f} to {high:.2f}\n")
    return (
        "".join(lines) + "\nCopies of one size take different times for minutes on a host that others "
        "use; prices in copies are to be read with what a copy took then. Beside a goal stands also what there was of "
        "the processors, of the slowest thread: the clock, by operations that wait for each other, and vectors added "
        "in a cycle by additions that do not. A core of this kind adds four where nobody has its other half, and "
        "arithmetic takes longer where it adds fewer.\n")


def in_short(points: list[dict[str, Any]]) -> str:
    """The table that docs/use/how-fast.md repeats, and README.md in part."""
    rows = [{row["name"]: row for row in point["rows"]} for point in points]
    ours = [of[reach.OURS] for of in rows]
    theirs = [of[reach.GAUSSIAN] for of in rows]
    faster = [other["ms"] / mine["ms"] for other, mine in zip(theirs, ours)]
    return table(["σ", *(f"{point['sigma']:g}" for point in points)], [
        ["milliseconds (a copy of the frame beside them, two threads)", *(
            f"{row['ms']:.1f} ({point['copy_ms']:.1f})" for row, point in zip(ours, points))],
        ["times that copy", *(f"{row['ratio']:.1f}" for row in ours)],
        ["times faster than OpenCV's GaussianBlur", *(
            f"{times:.0f}" if times >= 10 else f"{times:.1f}" for times in faster)],
        ["largest error inside, levels of 255 (0.5 is perfect rounding)",
         *(f"{row['error']['interior_max']:.2f}" for row in ours)],
        ["OpenCV's", *(f"{row['error']['interior_max']:.2f}" for row in theirs)]])


def sweep(points: list[dict[str, Any]]) -> list[str]:
    """Tables of time, time in copies, and error, a column per σ."""
    names = list(dict.fromkeys(row["name"] for point in points for row in point["rows"]))
    head = ["", *(f"σ {point['sigma']:g}" for point in points)]

    def grid(cell: Any) -> Iterable[list[str]]:
        for name in names:
            rows = [
                next((row for row in point["rows"] if row["name"] == name), None)
                for point in points
            ]
            yield [name, *(cell(row) if row else "–" for row in rows)]

    copies = ["*a copy* (from, to)", *(
        "{:.2f} ({:.2f}, {:.2f})".format(point["copy_ms"], *point["copy_range"]) for point in points)]
    numpy = ["*a copy by NumPy, 1 thread*", *(f"{point['numpy_ms']:.2f}" for point in points)]
    parts = [
        "Milliseconds (rounds):\n",
        table(head, [*grid(lambda row: f"{number(row['ms'])} ({row['runs']})"), copies, numpy]),
        "Times a copy:\n", table(head, grid(lambda row: number(row["ratio"]))),
    ]
    if any("error" in row for point in points for row in point["rows"]):
        parts += [
            "Largest (mean) error inside, in levels of 255:\n", table(head, grid(inside)),
            "Largest (mean) error with the border:\n", table(head, grid(with_border)),
        ]
    return parts


def inside(row: dict[str, Any]) -> str:
    return f"{row['error']['interior_max']:.2f} ({row['error']['interior_mean']:.3f})"


def with_border(row: dict[str, Any]) -> str:
    return f"{row['error']['whole_max']:.2f} ({row['error']['whole_mean']:.3f})"


def number(value: float) -> str:
    """Three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def formats(rows: list[dict[str, Any]]) -> str:
    head = (
        "", "σ", "ms", "times a copy of itself", "times 8 bits premultiplied", "the same per sample")
    cells = (
        (row["name"], f"{row['sigma']:g}", number(row["ms"]), number(row["ratio"]),
         f"{row['factor']:.2f}", f"{row['per_sample']:.2f}")
        for row in rows)
    return "## Other samples: Frostglass, 3840×2160\n\n" + table(head, cells)


def whole(data: dict[str, Any]) -> str:
    rows = []
    for run in data["whole"]:
        error = data["command_errors"].get(run["name"])
        rows.append((
            f"`{run['name']}`", f"{run['seconds']:.3f}", f"{run['peak'] / 1e6:.0f}",
            f"{error['interior_max']:.2f} ({error['interior_mean']:.3f})" if error else "–",
            str(run["runs"])))
    head = ("", "seconds", "peak, MB", "largest (mean) error inside", "rounds")
    text = "## Whole commands: a JPEG of 4032×3024, σ 20, to JPEG\n\n" + table(head, rows)
    if data["huge"]:
        text += "\n`frostglass blur` on 20000×20000 pixels, σ 20:\n\n" + table(
            ("", "seconds", "peak, MB"),
            ((run["name"], f"{run['seconds']:.1f}", f"{run['peak'] / 1e6:.0f}")
             for run in data["huge"]))
    return text


def starts(runs: list[dict[str, Any]]) -> str:
    rows = (
        (f"`{run['name']}`", f"{run['seconds'] * 1000:.0f}", f"{run['peak'] / 1e6:.0f}",
         str(run["runs"]))
        for run in runs)
    return "## Cold start: a PNG of 16×16\n\n" + table(("", "ms", "peak, MB", "rounds"), rows)
