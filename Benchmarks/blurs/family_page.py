"""The page of filters, in Markdown."""
from typing import Any

import reach
from catalog import SIZES, named, with_rest
from page import goals_table, number
from peer_times import CLOSE, fastest
from results import by_size

NOTES = f"""## How it was measured

- A row's time is the median of its rounds, and a copy is `memcpy` of the same frame by as many threads, after each of our runs, in the same process. Each round goes through all sizes and filters, so that a row's rounds lie minutes apart; `Benchmarks/results` has their spread beside each row, and `make bench-guard` names rows that got slower by more than that.
- Frames are photographs, RGBA of 8 bits, opaque, unless a group says otherwise; what needs transparency has soft holes.
- Beside a filter stand those who have it, on as many threads where they have threads, on the same frame, in every second round: OpenCV, libvips, Pillow and scikit-image in process, by their own functions or by hand with several of them; ImageMagick and ffmpeg as commands, less what the same command takes without a filter. All are measured at {'×'.join(map(str, SIZES[0]))}; at larger sizes only those that are at most {CLOSE} times as slow as the fastest, and OpenCV's functions that goals are about. What takes over half a second is run once, as commands are.
- Not all peers make the same picture. libvips is told to look at what it would leave out of a kernel; Pillow's Gaussian is boxes; OpenCV's `filter2D` has the line and the disc without highlights, its `bilateralFilter` the disc in the same square; by hand, looks are boxes or a Gaussian and a matrix of colors, and blurs that vary are a cross-fade; ffmpeg's `varblur` is squares whose size varies.
- Errors are of a small picture, in levels of 255, the largest and the mean, to what a filter is by definition (`definitions.py`, `variable_definitions.py`, `color_definitions.py` in `Benchmarks/blurs`, in 64-bit floats). Rounding alone is up to 0.5. `kawase` is held against a Gaussian of its σ and `bilateral-separable` against the exact filter, which neither claims to be; zooms and spins soften by up to ¼ square pixel a pass, which fine detail shows (docs/contribute/kernel-blurs.md).
"""


def page(data: dict[str, Any]) -> str:
    """The whole page."""
    parts = [
        f"# Filters on {data['machine']['CPU']}\n",
        f"Every filter in three sizes, {data['machine']['threads']} threads: milliseconds, and how "
        "many copies of the frame that is. Made by `make bench`, "
        f"{data['machine']['date']}; the Gaussian beside others, with whole commands, is on "
        "[a page of its own]"
        f"({data['slug']}.md).\n",
        copies(data["copies"]),
        goals_table(reach.of_filters(data["rows"])),
        "## Filters\n", *table(data), "", NOTES]
    return "\n".join(parts)


def shown(size: str) -> str:
    return size.replace("x", "×")


def copies(found: dict[str, list[float]]) -> str:
    """How long a copy took, which all multiples of it hang on."""
    lines = ["| a copy of RGBA, 8 bits | median, ms | from | to |", "|---|---:|---:|---:|"]
    lines += [
        f"| {shown(size)} | {middle:.3f} | {low:.3f} | {high:.3f} |"
        for size, (low, middle, high) in by_size(found)]
    words = (
        "Copies of one size take different times for minutes on a host that others use, and rows "
        "that are arithmetic do not follow: their multiples of a copy are then others. Beside a goal stands what there "
        "was of the processors, of the slowest thread: the clock, by operations that wait for each other, and "
        "vectors added in a cycle by additions that do not, four on a core of this kind that nobody shares.\n")
    return words + "\n" + "\n".join(lines) + "\n"


def table(data: dict[str, Any]) -> list[str]:
    """A row for each filter, the largest size first."""
    rows = {(row["filter"], row["size"]): row for row in data["rows"]}
    sizes = [named(size) for size in reversed(SIZES)]
    sizes = [size for size in sizes if any(size == of for _, of in rows)]
    heads = [f"{shown(size)}: ms (copies)" for size in sizes]
    lines = [
        "| filter | " + " | ".join(heads) + " | best of the others | times as fast as that, "
        + ", ".join(map(shown, sizes)) + " | off by at most (in the mean) |",
        "|---|" + "---:|" * len(heads) + "---|---:|---:|"]
    for group in with_rest(label for label, _ in rows):
        if group.title:
            lines.append(f"| **{group.title}** |" + " |" * (len(heads) + 3))
        for chain in group.chains:
            of = [rows[group.label(chain), size] for size in sizes]
            cells = [f"{number(row['ms'])} ({row['beside']['copy']['ratio']:.1f})" for row in of]
            name, faster = others(of)
            error = data["errors"].get(group.label(chain))
            off = f"{error[0]:.2f} ({error[1]:.3f})" if error else ""
            words = f", {group.words}" if group.words else ""
            cells = [f"`{chain}`{words}", *cells, name, faster, off]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def others(rows: list[dict[str, Any]]) -> tuple[str, str]:
    """The fastest peers of a filter, and how many times as fast we are, size by size."""
    best = [fastest(row) for row in rows]
    names = list(dict.fromkeys(one[0] for one in best if one))
    if not names:
        return "", ""
    cells = [
        number(one[1] / row["ms"]) if one else "–" for one, row in zip(best, rows, strict=True)]
    if len(names) == 1:
        return names[0], ", ".join(cells)
    return "; ".join(one[0] if one else "–" for one in best), ", ".join(cells)
