"""Speeds that can be compared: CPU time of one core, everything in turns, medians over the rounds.

Turns, because a machine is not equally fast all the time: what is compared runs within seconds of each other, in every
round. CPU time, because other programs take turns too. `plain_python` tells how fast the machine was.
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
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

Work = Callable[[], int]
"""Does some work, milliseconds of it if that is possible, and returns how many units (decisions, hands) it was."""


@dataclass(frozen=True)
class Speed:
    """Units of work per second of CPU time."""

    rates: tuple[float, ...]
    """One for each round."""

    @property
    def median(self) -> float:
        """The speed that is reported."""
        return statistics.median(self.rates)

    @property
    def spread(self) -> float:
        """Difference between the fastest and the slowest round, as a share of the median."""
        return (max(self.rates) - min(self.rates)) / self.median

    def times(self, other: Speed) -> float:
        """Return how many times as fast as `other` this is: the median of the ratios round by round."""
        return statistics.median(mine / theirs for mine, theirs in zip(self.rates, other.rates, strict=True))


def measure(
    works: Mapping[str, Work], seconds: float, rounds: int, finished: Callable[[int], None] | None = None
) -> dict[str, Speed]:
    """Return the speed of each work, timed for `seconds` of CPU time (at least one call) in each of `rounds` rounds.

    Each is called once before: that compiles, and does not count. `finished` is called with 1 after every turn.
    """
    for work in works.values():
        work()
        _report(finished)
    rates: dict[str, list[float]] = {name: [] for name in works}
    gc.collect()
    gc.freeze()  # else everybody pays for looking through the objects of all others
    try:
        for _ in range(rounds):
            for name, work in works.items():
                rates[name].append(_rate(work, seconds))
                _report(finished)
    finally:
        gc.unfreeze()
    return {name: Speed(tuple(found)) for name, found in rates.items()}


def _rate(work: Work, seconds: float) -> float:
    done, used, start = 0, 0.0, time.process_time()
    while used == 0.0 or used < seconds:  # a coarse clock may show no time at first
        done += work()
        used = time.process_time() - start
    return done / used


def _report(finished: Callable[[int], None] | None) -> None:
    if finished is not None:
        finished(1)


def plain_python() -> int:
    """Run a fixed loop of plain Python and return its iterations: how fast the machine is at the moment."""
    total, iterations = 0, 100_000
    for number in range(iterations):
        total += number & 3
    return iterations


@contextlib.contextmanager
def one_core() -> Iterator[int | None]:
    """Keep this process on one of its cores for a while; the number of the core, or None where that is impossible."""
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


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor_name() -> str:
    info = Path("/proc/cpuinfo")  # Linux; platform.processor() is empty there
    for line in info.read_text(encoding="utf-8").splitlines() if info.exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
