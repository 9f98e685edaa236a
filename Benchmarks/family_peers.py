"""OpenCV's functions beside filters of the family, and how far a filter is from its definition."""
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

import definitions
from contestants import EDGE


@dataclass(frozen=True)
class Peer:
    """What OpenCV has for a filter."""

    name: str
    run: Callable[[np.ndarray], np.ndarray]


def line(length: float, degrees: float) -> np.ndarray:
    """The taps of a mean along a line: an impulse's, by definition."""
    side = 2 * (int(length) // 2 + 2) + 1
    impulse = np.zeros((side, side, 1))
    impulse[side // 2, side // 2] = 1
    return definitions.motion(impulse, length, degrees)[..., 0]


def taps(kernel: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """cv2.filter2D with a kernel."""
    return lambda frame: cv2.filter2D(frame, -1, kernel.astype(np.float32), borderType=EDGE)


def median(radius: int) -> Peer:
    return Peer("medianBlur", lambda frame: cv2.medianBlur(frame, 2 * radius + 1))


# OpenCV's window is the disc in the square, and it adds up differences of colors, not their squares.
BILATERAL = Peer(
    "bilateralFilter",
    lambda frame: cv2.bilateralFilter(frame, 31, 0.1 * 255 * 3**0.5, 5, borderType=EDGE))

PEERS = {
    "gaussian(10px)": Peer(
        "GaussianBlur", lambda frame: cv2.GaussianBlur(frame, (0, 0), 10, borderType=EDGE)),
    "motion(60px, 30deg)": Peer("filter2D", taps(line(60, 30))),
    "lens(12px)": Peer("filter2D", taps(definitions.disc(12))),
    "lens(60px)": Peer("filter2D", taps(definitions.disc(60))),
    **{f"median({radius})": median(radius) for radius in (1, 2, 3, 15)},
    "bilateral(5px)": BILATERAL,
    # Not the same filter, but what is there where that takes too long.
    "bilateral-separable(5px)": BILATERAL,
}

# Pictures are as large as a definition takes seconds for.
DEFINITIONS = {
    "motion(60px, 30deg)": ((240, 320), lambda picture: definitions.motion(picture, 60, 30)),
    "lens(12px)": ((240, 320), lambda picture: definitions.lens(picture, 12)),
    "lens(60px)": ((180, 240), lambda picture: definitions.lens(picture, 60)),
    "zoom()": ((360, 480), lambda picture: definitions.zoom(picture, 0.15)),
    "spin()": ((360, 480), lambda picture: definitions.spin(picture, 10)),
    "bilateral(5px)": ((120, 160), lambda picture: definitions.bilateral(picture, 5)),
    "bilateral-separable(5px)": ((120, 160), lambda picture: definitions.bilateral(picture, 5)),
    **{
        f"median({radius})": (
            (96, 128), lambda picture, radius=radius: definitions.median(picture, radius))
        for radius in (1, 2, 3, 15)
    },
}


def milliseconds(peer: Peer, frame: np.ndarray) -> float:
    """One run, or the second of two where one takes under half a second."""
    for _ in range(2):
        start = time.perf_counter()
        peer.run(frame)
        taken = (time.perf_counter() - start) * 1000
        if taken > 500:
            break
    return taken


class PeerTimes:
    """Runs of peers, some in each round."""

    def __init__(self, chains: list[str], frame: np.ndarray) -> None:
        self.frame = frame
        self.times: dict[str, list[float]] = {chain: [] for chain in chains if chain in PEERS}

    def round(self) -> None:
        """Runs each peer once, though it may be beside several chains."""
        taken: dict[Peer, float] = {}
        for chain, times in self.times.items():
            peer = PEERS[chain]
            if peer not in taken:
                taken[peer] = milliseconds(peer, self.frame)
            times.append(taken[peer])

    def median(self, chain: str) -> float | None:
        return statistics.median(self.times[chain]) if chain in self.times else None


def error(command: Path, chain: str, frame: np.ndarray, work: Path) -> tuple[float, float] | None:
    """The most and the mean that a filter is off, in levels of 255; rounding alone costs up to 0.5.

    Of a picture's middle, from a file to a file.
    """
    if chain not in DEFINITIONS:
        return None
    (height, width), defined = DEFINITIONS[chain]
    top, left = (frame.shape[0] - height) // 2, (frame.shape[1] - width) // 2
    picture = np.ascontiguousarray(frame[top:top + height, left:left + width, :3])
    before, after = work / "family.png", work / "family-blurred.png"
    cv2.imwrite(str(before), picture[..., ::-1])
    after.unlink(missing_ok=True)
    subprocess.run(
        [command, "blur", before, after, "--filter", chain, "--backend", "fast"], check=True,
        capture_output=True)
    result = cv2.imread(str(after), cv2.IMREAD_COLOR)[..., ::-1].astype(np.float64)
    for path in (before, after):
        path.unlink()
    difference = np.abs(result - defined(picture.astype(np.float64)))
    return float(difference.max()), float(difference.mean())
