"""ImageMagick and ffmpeg beside filters that no library here has: commands, less the same without one."""
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from commands import imagemagick
from family_peers import Peer, Run

THREADS = "2"

#: A command for a file of samples, their width and height, without and with a filter's words.
Line = Callable[[Path, int, int, tuple[str, ...]], list[str]]


def frames(width: int, height: int) -> int:
    """How many frames ffmpeg is given at once: as many pixels as ten of 640×360 have."""
    return max(1, 10 * 640 * 360 // (width * height))


def milliseconds(line: list[str]) -> float:
    """A command from start to exit."""
    start = time.perf_counter()
    subprocess.run(line, check=True, env={**os.environ, "MAGICK_THREAD_LIMIT": THREADS})
    return (time.perf_counter() - start) * 1000


def command(
    name: str, line: Line, words: tuple[str, ...], write: Callable[[np.ndarray, Path], None],
    count: Callable[[int, int], int] = lambda width, height: 1,
) -> Peer:
    """Of a command's line, as it is without and with words, for so many frames at once."""
    def prepare(frame: np.ndarray) -> Run:
        height, width = frame.shape[:2]

        def run() -> float:
            with tempfile.TemporaryDirectory(prefix="frostglass-bench-") as folder:
                source = Path(folder) / "frame"
                write(frame, source)
                # What starting and reading take: the least of three.
                nothing = min(milliseconds(line(source, width, height, ())) for _ in range(3))
                taken = milliseconds(line(source, width, height, words))
                return (taken - nothing) / count(width, height)
        return run
    return Peer(name, prepare, once=True)


def magick(name: str, *words: str) -> Peer:
    """Of ImageMagick's options."""
    def line(source: Path, width: int, height: int, words: tuple[str, ...]) -> list[str]:
        return [
            imagemagick(), "-size", f"{width}x{height}", "-depth", "8", f"rgba:{source}", *words,
            "null:"]
    return command(
        f"ImageMagick {name}", line, words, lambda frame, source: frame.tofile(source))


def varblur(radius: int, strength: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Peer:
    """ffmpeg's blur by a mean of squares, whose radius a second picture has; of x and y from 0 to 1."""
    def write(frame: np.ndarray, source: Path) -> None:
        height, width = frame.shape[:2]
        y, x = np.mgrid[:height, :width]
        levels = np.rint(255 * strength(x / width, y / height)).astype(np.uint8)
        # Planes of green, blue, red and alpha.
        np.moveaxis(frame[..., [1, 2, 0, 3]], 2, 0).tofile(source)
        np.stack([levels] * 4).tofile(source.with_suffix(".map"))

    def line(source: Path, width: int, height: int, words: tuple[str, ...]) -> list[str]:
        raw = [
            "-f", "rawvideo", "-pix_fmt", "gbrap", "-s", f"{width}x{height}", "-stream_loop",
            str(frames(width, height) - 1)]
        return [
            "ffmpeg", "-v", "error", "-nostdin", "-filter_complex_threads", THREADS,
            *raw, "-i", str(source), *raw, "-i", str(source.with_suffix(".map")),
            *(words or ("-map", "0")), "-f", "null", "-"]
    words = ("-filter_complex", f"varblur=min_r=0:max_r={radius}")
    return command("ffmpeg varblur", line, words, write, frames)
