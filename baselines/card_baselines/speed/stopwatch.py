"""Comparable measurements of speed: CPU time of one core, all works in turns, medians over the rounds.

The speed of a machine varies, so all works run within seconds of each other, in every round. CPU time excludes the time
of other programs. `run_python_loop` measures the speed of the machine.
"""

from __future__ import annotations

import contextlib
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

Work = Callable[[], int]
"""Function that does some milliseconds of work, and returns the number of its units (decisions, hands)."""


@dataclass(frozen=True)
class Speed:
    """Units of work per second of CPU time."""

    rates: tuple[float, ...]
    """Rate of each round."""

    @property
    def median(self) -> float:
        """Median of the rates, the speed that is reported."""
        return statistics.median(self.rates)

    @property
    def spread(self) -> float:
        """Difference between the fastest and the slowest round, as a share of the median."""
        return (max(self.rates) - min(self.rates)) / self.median

    def times(self, other: Speed) -> float:
        """Return the ratio of this speed to another: the median of the ratios in each round."""
        return statistics.median(mine / theirs for mine, theirs in zip(self.rates, other.rates, strict=True))


def measure(
    works: Mapping[str, Work],
    seconds: float,
    rounds: int,
    finished: Callable[[int], None] | None = None,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, Speed]:
    """Return the speed of each work.

    Args:
        works: Name -> work. Each is called once before the measurement, which compiles kernels.
        seconds: CPU time of each work in each round; at least one call.
        rounds: Number of rounds.
        finished: Called with 1 after each work of each round, and after each first call.
        clock: Function that returns the CPU time so far, in seconds.
    """
    report = finished or (lambda count: None)
    for work in works.values():
        work()
        report(1)
    rates: dict[str, list[float]] = {name: [] for name in works}
    gc.collect()
    gc.freeze()  # otherwise each work pays for garbage collection over the objects of all others
    try:
        for _ in range(rounds):
            for name, work in works.items():
                rates[name].append(_measure_rate(work, seconds, clock))
                report(1)
    finally:
        gc.unfreeze()
    return {name: Speed(tuple(rates_of_work)) for name, rates_of_work in rates.items()}


def _measure_rate(work: Work, seconds: float, clock: Callable[[], float]) -> float:
    done, used, start = 0, 0.0, clock()
    while used == 0.0 or used < seconds:  # a coarse clock may show no time at first
        done += work()
        used = clock() - start
    return done / used


def run_python_loop() -> int:
    """Run a fixed loop of plain Python and return its iterations: a measure of the machine's speed."""
    total, iterations = 0, 100_000
    for number in range(iterations):
        total += number & 3
    return iterations


@contextlib.contextmanager
def one_core() -> Iterator[int | None]:
    """Keep this process on one of its cores; yields the number of the core, or None where that is impossible."""
    if not hasattr(os, "sched_setaffinity"):  # macOS, Windows
        yield None
        return
    before = os.sched_getaffinity(0)
    core = max(before)
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)


def machine() -> dict[str, str | int | None]:
    """Return the description of this machine: processor, cores, system, Python."""
    return {
        "processor": _processor_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor_name() -> str:
    info = Path("/proc/cpuinfo")  # Linux; platform.processor() is empty there
    for line in info.read_text(encoding="utf-8").splitlines() if info.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
