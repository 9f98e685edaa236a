"""Frostglass as a contestant: `frostglass bench --interactive` in a process of its own."""
import json
import subprocess
from pathlib import Path

import numpy as np

from frames import ROOT

COMMAND = ROOT / ".build" / "release" / "frostglass"


class Frostglass:
    """Blurs a frame, and copies it with as many threads after each blur."""

    def __init__(
        self, frame: np.ndarray, threads: int, work: Path, name: str = "Frostglass",
        alpha: str = "premultiplied", options: tuple[str, ...] = (),
    ) -> None:
        self.name, self.shape, self.dtype = name, frame.shape, frame.dtype
        height, width = frame.shape[:2]
        layout = {1: "gray", 3: "rgb", 4: "rgba"}[frame[0, 0].size]
        self.samples = frame.size
        samples = work / "frame.raw"
        frame.tofile(samples)
        self.output = work / "result.raw"
        self.copies: list[float] = []
        self.clocks: list[float] = []
        self.additions: list[float] = []
        self.sigma = 0.0
        self.process = subprocess.Popen(
            [
                COMMAND, "bench", "--interactive", "--backend", "fast",
                "--threads", str(threads), "--size", f"{width}x{height}",
                *(["--alpha", alpha] if layout == "rgba" else []),
                "--format", f"{layout}{8 * frame.itemsize}", "--frame", samples, *options,
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # The first answer comes when the frame has been read.
        self.ask("1")
        samples.unlink()

    def ask(self, request: str) -> dict[str, float]:
        """Sends a line and reads the answer."""
        print(request, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"frostglass ended at the request {request!r}")
        return json.loads(answer)

    def suits(self, sigma: float) -> bool:
        return True

    def run(self, sigma: float) -> float:
        answer = self.ask(f"{sigma:g}")
        self.sigma = sigma
        self.copies.append(answer["copy_ms"])
        self.clocks.append(answer["clock_ghz"])
        self.additions.append(answer["additions_per_cycle"])
        return answer["blur_ms"]

    def result(self) -> np.ndarray:
        self.output.unlink(missing_ok=True)
        self.ask(f"{self.sigma:g} {self.output}")
        result = np.fromfile(self.output, self.dtype).reshape(self.shape)
        self.output.unlink()
        return result

    def close(self) -> None:
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait()
