"""Interleaved measurement: in each round everyone once, each round beginning with another one."""
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from contestants import Contestant


@dataclass(frozen=True)
class Budget:
    """How long a contestant goes on: at least `least` rounds, then until a time is used up."""

    least: int
    most: int
    seconds: float

    def allows(self, rounds: int, seconds: float) -> bool:
        if rounds < self.least:
            return True
        return rounds < self.most and seconds < self.seconds


@dataclass
class Timing:
    """The median of some rounds, in milliseconds."""

    ms: float
    runs: int


def interleave(
    contestants: Sequence[Contestant], sigma: float, budget: Budget
) -> dict[str, Timing]:
    """Measures everyone at one σ; who is slow takes part in fewer rounds.

    One run of each before the first round does not count, unless it took over two seconds: then
    memory touched for the first time does not show. A run of under a tenth of a second is done twice,
    and the second counts: it finds the cache as itself left it, not as the one before did.
    """
    times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    warm = set()
    turn = 0
    while True:
        active = [
            contestant for contestant in contestants
            if budget.allows(len(times[contestant.name]), sum(times[contestant.name]) / 1000)
        ]
        if not active:
            break
        first = turn % len(active)
        for contestant in active[first:] + active[:first]:
            if contestant.name not in warm:
                warm.add(contestant.name)
                first_time = timed(contestant, sigma)
                if first_time > 2000:
                    times[contestant.name].append(first_time)
                    continue
            time_taken = timed(contestant, sigma)
            if time_taken < 100:
                time_taken = timed(contestant, sigma)
            times[contestant.name].append(time_taken)
        turn += 1
    return {name: Timing(statistics.median(all), len(all)) for name, all in times.items()}


def timed(contestant: Contestant, sigma: float) -> float:
    """Milliseconds of one run, by the contestant's own clock where it has one."""
    start = time.perf_counter()
    own = contestant.run(sigma)
    return own if own is not None else (time.perf_counter() - start) * 1000
