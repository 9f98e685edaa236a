"""How long peers take in the rounds of the filters, and a fixed piece of arithmetic as a yardstick."""
import statistics
import time
from collections import defaultdict
from typing import Any

import cv2
import numpy as np

import frames
from catalog import SIZES, named
from contestants import EDGE
from family_peers import Peer, Run
from family_table import PEERS

#: In larger sizes only those take part that are at most so many times as slow as the fastest.
CLOSE = 3
#: What takes longer is run once in all.
LONG_MS = 500
#: What would take longer is left out, unless a goal is about it.
TOO_LONG_MS = 4000


def milliseconds(run: Run, once: bool = False) -> float:
    """One run, or the second of two where one takes under half a second."""
    taken = 0.0
    for _ in range(1 if once else 2):
        start = time.perf_counter()
        own = run()
        taken = own if isinstance(own, float) else (time.perf_counter() - start) * 1000
        if taken > LONG_MS:
            break
    return taken


class Arithmetic:
    """OpenCV's Gaussian of 1920×1080, σ 10: the same work beside every row."""

    def __init__(self) -> None:
        self.frame = frames.opaque(1920, 1080)
        self.output = np.empty_like(self.frame)

    def run(self) -> float:
        """Milliseconds of the second of two."""
        return milliseconds(lambda: cv2.GaussianBlur(
            self.frame, (0, 0), 10, dst=self.output, borderType=EDGE))


class PeerTimes:
    """Runs of peers, in each round beside ours."""

    def __init__(self) -> None:
        self.times: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(
            lambda: defaultdict(list))
        #: Of this turn: a peer that is beside several rows is run once for them.
        self.turn: dict[Peer, float] = {}

    def run(self, label: str, frame: np.ndarray, size: tuple[int, int]) -> None:
        """Runs the peers of a row once each, where that is worth it."""
        for peer in PEERS.get(label, []):
            times = self.times[label, named(size)][peer.name]
            if peer not in self.turn:
                if not self.worth(label, peer, size, times):
                    continue
                self.turn[peer] = milliseconds(peer.prepare(frame), peer.once)
            times.append(self.turn[peer])

    def worth(self, label: str, peer: Peer, size: tuple[int, int], times: list[float]) -> bool:
        if times and (peer.once or times[0] > LONG_MS):
            return False
        small = SIZES[0]
        if size == small or peer.asked:
            return True
        known = {name: statistics.median(all)
                 for name, all in self.times[label, named(small)].items() if all}
        if peer.name not in known:
            return True
        larger = size[0] * size[1] / (small[0] * small[1])
        return known[peer.name] <= CLOSE * min(known.values()) and (
            known[peer.name] * larger <= TOO_LONG_MS)

    def end_turn(self) -> None:
        self.turn.clear()

    def medians(self, label: str, size: str) -> dict[str, float]:
        """Milliseconds by the names of peers, the fastest first."""
        found = {name: statistics.median(all)
                 for name, all in self.times[label, size].items() if all}
        return dict(sorted(found.items(), key=lambda one: one[1]))


def fastest(row: dict[str, Any]) -> tuple[str, float] | None:
    """A row's fastest peer and its milliseconds."""
    return min(row["peers"].items(), key=lambda one: one[1], default=None)
