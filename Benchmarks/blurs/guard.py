"""Names rows of the benchmark that got slower by more than noise.

    make bench-guard        the results in the working tree beside those of the last commit
    guard.py [--before FILE|REVISION] [--after FILE]

A row's time is held against two yardsticks of the same rounds: a copy of the frame, which is memory
alone, and OpenCV's Gaussian of a fixed frame, which is mostly arithmetic. A host that other machines
share gets slower in either; what a filter does lies between both, so it is slower where it is beside
both. Noise is how far the rounds of both runs spread, at least 3 %. Ends with 1 where rows are slower.
"""
import argparse
import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
RESULTS = HERE / "results"
YARDSTICKS = ("copy", "arithmetic")
#: What is noise even where all rounds agree.
LEAST_NOISE = 0.03
#: Where noise is more than this beside a yardstick, a row says little.
MUCH_NOISE = 0.2

Row = dict[str, Any]


def beside(ratios: list[float]) -> dict[str, float]:
    """The rounds' median, and their spread as a share of it: from the first quartile to the third.

    Of three rounds that is from the lowest to the highest.
    """
    middle = statistics.median(ratios)
    spread = 0.0
    if len(ratios) > 1:
        low, _, high = statistics.quantiles(ratios, n=4)
        low, high = max(low, min(ratios)), min(high, max(ratios))
        spread = (high - low) / middle
    return {"ratio": middle, "spread": spread}


@dataclass(frozen=True)
class Change:
    """What became of a row beside one yardstick."""

    filter: str
    size: str
    yardstick: str
    before: float
    after: float
    noise: float

    @property
    def by(self) -> float:
        return self.after / self.before - 1

    def __str__(self) -> str:
        unit = {"copy": "copies", "arithmetic": "× OpenCV's Gaussian"}[self.yardstick]
        return (
            f"{self.filter}, {self.size}: {100 * self.by:.0f} % slower, {self.before:.3g} to "
            f"{self.after:.3g} {unit}; noise {100 * self.noise:.0f} %")


def key(row: Row) -> tuple[str, str]:
    return row["filter"], row["size"]


def changes(before: list[Row], after: list[Row]) -> list[list[Change]]:
    """Of each row that both have: how it changed beside each yardstick."""
    known = {key(row): row for row in before}
    found = []
    for row in after:
        if key(row) in known:
            pairs = [(yard, known[key(row)]["beside"][yard], row["beside"][yard])
                     for yard in YARDSTICKS]
            found.append([
                Change(*key(row), yard, then["ratio"], now["ratio"],
                       max(LEAST_NOISE, then["spread"] + now["spread"]))
                for yard, then, now in pairs])
    return found


def slower(before: list[Row], after: list[Row]) -> list[Change]:
    """The rows of `after` that are slower than in `before` beside every yardstick; the worst first."""
    found = [
        min(row, key=lambda change: change.by) for row in changes(before, after)
        if all(change.by > change.noise for change in row)]
    return sorted(found, key=lambda change: -change.by)


def together(first: list[Row], again: list[Row]) -> list[Row]:
    """Rows of which some were measured again: the second time counts, and the first as noise."""
    second = {key(row): row for row in again}
    rows = []
    for row in first:
        if key(row) in second:
            other = second[key(row)]
            row = {**row, "ms": other["ms"], "copy_ms": other["copy_ms"], "beside": {
                yard: both(row["beside"][yard], other["beside"][yard]) for yard in YARDSTICKS}}
        rows.append(row)
    return rows


def both(first: dict[str, float], again: dict[str, float]) -> dict[str, float]:
    apart = abs(first["ratio"] / again["ratio"] - 1)
    return {"ratio": again["ratio"], "spread": max(first["spread"], again["spread"], apart)}


def comparable(before: dict[str, Any], after: dict[str, Any]) -> str | None:
    """Why two runs cannot be held against each other, where they cannot."""
    for name in ("CPU", "threads", "OpenCV"):
        then, now = (data["machine"].get(name) for data in (before, after))
        if then != now:
            return f"{name} was {then} and is {now}"
    return None


def report(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, bool]:
    """What changed, in words, and whether rows are slower."""
    reason = comparable(before, after)
    if reason:
        return f"guard: not compared: {reason}", False
    found = slower(before["rows"], after["rows"])
    lines = [f"guard: {change}" for change in found]
    names = [{key(row) for row in data["rows"]} for data in (before, after)]
    lines += [f"guard: {', '.join(gone)}: no longer measured" for gone in sorted(names[0] - names[1])]
    new = len(names[1] - names[0])
    lines.append(
        f"guard: {len(found)} of {len(names[0] & names[1])} rows got slower by more than noise"
        + (f"; {new} are new" if new else ""))
    unsure = sum(
        any(change.noise > MUCH_NOISE for change in row)
        for row in changes(before["rows"], after["rows"]))
    if unsure:
        lines.append(f"guard: of {unsure} the noise is over {100 * MUCH_NOISE:.0f} %: they say little")
    return "\n".join(lines), bool(found)


def committed(path: Path, revision: str = "HEAD") -> dict[str, Any] | None:
    """A file of results as it was in a revision; nothing where there is none."""
    shown = subprocess.run(
        ["git", "show", f"{revision}:./{path.name}"], cwd=path.parent, capture_output=True, text=True)
    return json.loads(shown.stdout) if shown.returncode == 0 else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default="HEAD", help="a file of results, or a revision (HEAD)")
    parser.add_argument("--after", type=Path, help="a file of results (each in Benchmarks/results)")
    arguments = parser.parse_args()
    files = [arguments.after] if arguments.after else sorted(RESULTS.glob("*.json"))
    if not files:
        print("guard: there are no results; make bench measures", file=sys.stderr)
        return 1
    worse = False
    for path in files:
        if Path(arguments.before).is_file():
            before = json.loads(Path(arguments.before).read_text(encoding="utf-8"))
        else:
            before = committed(path, arguments.before)
        if before is None:
            print(f"guard: {path.name} is new")
            continue
        words, slow = report(before, json.loads(path.read_text(encoding="utf-8")))
        print(words)
        worse = worse or slow
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
