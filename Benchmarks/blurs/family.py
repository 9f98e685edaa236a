"""Measures every filter in every size class beside a copy, a fixed piece of arithmetic, and its peers.

Each round goes through all sizes and groups, so that the rounds of a row lie minutes apart and their
spread is that of the machine. A row is a multiple of a copy of the same frame by as many threads.
"""
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import frames
import guard
from catalog import Group, every, named, with_rest
from ours import COMMAND
from peer_times import Arithmetic, PeerTimes

#: What a group's runs in a round take together, and how many they are at most.
ROUND_MS, MOST_RUNS = 400, 15

#: Frames by the names of their samples: of width and height.
FRAMES = {
    "rgba8": frames.opaque,
    "holes": frames.rgba,
    "rgb8": frames.mosaic,
    "gray8": lambda width, height: np.ascontiguousarray(frames.mosaic(width, height)[..., 1:2]),
    "rgba16": lambda width, height: frames.deep(frames.opaque(width, height)),
}


def listed() -> list[dict[str, str]]:
    """Every filter that the command knows."""
    output = subprocess.run(
        [COMMAND, "filters", "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(output)


class Frame:
    """A frame in memory and in a file."""

    def __init__(self, kind: str, size: tuple[int, int], work: Path) -> None:
        self.size, self.format = size, "rgba8" if kind == "holes" else kind
        self.samples = FRAMES[kind](*size)
        self.path = work / f"{kind}-{named(size)}.raw"
        self.samples.tofile(self.path)


class Family:
    """All rows of some groups, measured round by round."""

    def __init__(
        self, groups: Sequence[Group], sizes: Sequence[tuple[int, int]], work: Path, threads: int,
        peers: bool = True,
    ) -> None:
        self.sizes, self.groups, self.threads = sizes, groups, threads
        self.frames = {
            (kind, size): Frame(kind, size, work)
            for size in sizes for kind in dict.fromkeys(group.frame for group in groups)
        }
        self.arithmetic = Arithmetic()
        self.peers = PeerTimes() if peers else None
        self.rounds: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)

    def round(self, number: int) -> None:
        """Everyone once; peers in every second round, from the first one on."""
        for size in self.sizes:
            print(f"bench: filters, round {number + 1}, {named(size)}", file=sys.stderr, flush=True)
            for group in self.groups:
                self.turn(group, size)
                if self.peers and number % 2 == 0:
                    samples = self.frames[group.frame, size].samples
                    for chain in group.chains:
                        self.peers.run(group.label(chain), samples, size)
                    self.peers.end_turn()

    def turn(self, group: Group, size: tuple[int, int]) -> None:
        """Our part of a round, of one group."""
        frame = self.frames[group.frame, size]
        runs = self.runs(group, size)
        steps = self.arithmetic.run()
        command = [
            COMMAND, "bench", "--backend", "fast", "--threads", str(self.threads), "--size",
            named(size), "--frame", frame.path, "--format", frame.format, "--runs", str(runs),
            "--filter", "; ".join(group.chains), "--json", *group.options]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        steps = (steps + self.arithmetic.run()) / 2
        for chain, line in zip(group.chains, output.splitlines(), strict=True):
            row = json.loads(line)
            self.rounds[group.label(chain), named(size)].append({
                "ms": row["median_ms"], "copy": row["copy_ms"], "arithmetic": steps,
                "clock": row["clock_ghz"], "additions": row["additions_per_cycle"]})

    def runs(self, group: Group, size: tuple[int, int]) -> int:
        """How often a group's chains run in a round: once in the first, then by what they took."""
        before = [self.rounds.get((group.label(chain), named(size))) for chain in group.chains]
        taken = sum(rounds[0]["ms"] for rounds in before if rounds)
        return min(MOST_RUNS, max(1, int(ROUND_MS / taken))) if taken else 1

    def close(self) -> None:
        """Removes the files."""
        for frame in self.frames.values():
            frame.path.unlink()

    def rows(self) -> list[dict[str, Any]]:
        """What was measured: a row for each label and size."""
        rows = []
        for (label, size), rounds in self.rounds.items():
            beside = {
                yard: guard.beside([one["ms"] / one[yard] for one in rounds])
                for yard in guard.YARDSTICKS
            }
            rows.append({
                "filter": label, "size": size,
                "ms": statistics.median(one["ms"] for one in rounds),
                "copy_ms": statistics.median(one["copy"] for one in rounds),
                "clock_ghz": statistics.median(one["clock"] for one in rounds),
                "additions_per_cycle": statistics.median(one["additions"] for one in rounds),
                "beside": beside,
                "peers": self.peers.medians(label, size) if self.peers else {},
            })
        return rows

    def copies(self) -> dict[str, list[float]]:
        """How long copies of RGBA of 8 bits took, by size: the lowest, the median, the highest."""
        found = {}
        usual = {group.label(chain) for group in self.groups
                 if self.frames[group.frame, self.sizes[0]].format == "rgba8"
                 for chain in group.chains}
        for size in map(named, self.sizes):
            times = [one["copy"] for (label, of), rounds in self.rounds.items()
                     if of == size and label in usual for one in rounds]
            if times:
                found[size] = [min(times), statistics.median(times), max(times)]
        return found


def measure(
    sizes: Sequence[tuple[int, int]], rounds: int, work: Path, threads: int
) -> tuple[list[dict[str, Any]], dict[str, list[float]]]:
    """All rows, and how long copies took."""
    family = Family(every(listed()), sizes, work, threads)
    for number in range(rounds):
        family.round(number)
    family.close()
    return family.rows(), family.copies()


def again(
    suspects: set[tuple[str, str]], rounds: int, work: Path, threads: int
) -> list[dict[str, Any]]:
    """Those rows once more, of label and size, without peers."""
    rows = []
    for size in dict.fromkeys(size for _, size in suspects):
        labels = {label for label, of in suspects if of == size}
        groups = [only for group in with_rest(labels) if (only := group.only(labels)).chains]
        width, height = map(int, size.split("x"))
        family = Family(groups, [(width, height)], work, threads, peers=False)
        for number in range(rounds):
            family.round(number)
        family.close()
        rows += family.rows()
    return rows
