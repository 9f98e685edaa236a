"""The picture of the σ sweep: time beside error."""
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen first)

COLORS = {
    "Frostglass": "#d6006c",
    "OpenCV GaussianBlur": "#1f5fa8",
    "OpenCV box ×3": "#5b9bd5",
    "OpenCV pyramid by hand": "#00a0a0",
    "libvips": "#2e8b3d",
    "libvips, min_ampl 0.01": "#8fc31f",
    "Pillow, 1 thread": "#e08a00",
}


def draw(points: list[dict[str, Any]], title: str, path: Path) -> None:
    """Draws one line per contestant over σ: time as a multiple of a copy, and largest error."""
    figure, (times, errors) = plt.subplots(1, 2, figsize=(13, 5.6), layout="constrained")
    for name, color in COLORS.items():
        found = [
            (point["sigma"], row["ratio"], row["error"]["interior_max"])
            for point in points for row in point["rows"] if row["name"] == name
        ]
        if not found:
            continue
        sigmas, ratios, distances = zip(*found)
        ours = name == "Frostglass"
        style = {
            "color": color, "marker": "o", "markersize": 6 if ours else 4,
            "linewidth": 3 if ours else 1.6, "label": name, "zorder": 3 if ours else 2,
        }
        times.plot(sigmas, ratios, **style)
        errors.plot(sigmas, distances, **style)
    times.axhline(1, color="#777777", linestyle="--", linewidth=1)
    times.annotate(
        "a copy", (points[0]["sigma"], 1), xytext=(0, -4), textcoords="offset points",
        color="#777777", va="top")
    errors.axhline(0.5, color="#777777", linestyle="--", linewidth=1)
    errors.annotate(
        "perfect rounding", (points[0]["sigma"], 0.5), xytext=(0, -4),
        textcoords="offset points", color="#777777", va="top")
    finish(times, points, "Time, as a multiple of a two-thread copy")
    finish(errors, points, "Largest error inside, levels of 255")
    errors.set_ylim(bottom=0.3)
    times.set_ylim(bottom=0.6)
    handles, labels = times.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(title)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def finish(axes: Any, points: list[dict[str, Any]], title: str) -> None:
    """Logarithmic axes with plain numbers."""
    sigmas = [point["sigma"] for point in points]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sigmas, [f"{sigma:g}" for sigma in sigmas])
    axes.minorticks_off()
    axes.yaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5), numticks=30))
    axes.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("σ, pixels")
    axes.set_title(title, fontsize=11)
