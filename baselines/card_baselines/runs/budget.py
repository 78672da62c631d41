"""How much of a run is done: by processor time or by what the learner has done, over all its interruptions.

Processor time is what a clock shows on a machine that nobody shares, and means the same on one that is shared.
"""

from __future__ import annotations

import time
from collections.abc import Callable


class Budget:
    """Seconds and steps (decisions, episodes, iterations) that a run may use; it ends when either is used up."""

    def __init__(self, minutes: float, steps: int, done: Callable[[], int], before: float = 0.0) -> None:
        """Count on from the seconds used `before`; `minutes` 0 sets no limit, `done` returns the steps so far."""
        self.minutes, self.steps, self._done, self.before = minutes, steps, done, before
        self._start: float | None = None

    def begin(self) -> None:
        """Start the clock, if it does not run yet; compiling and loading came before."""
        if self._start is None:
            self._start = time.process_time()

    def seconds(self) -> float:
        """Return the seconds of training so far."""
        return self.before + (time.process_time() - self._start if self._start is not None else 0.0)

    def fraction(self) -> float:
        """Return the used share of the budget, 0 .. 1."""
        by_time = self.seconds() / (60.0 * self.minutes) if self.minutes else 0.0
        return min(1.0, max(by_time, self._done() / self.steps))


class Periodic:
    """Something that is due each time that a clock has gone on by a period."""

    def __init__(self, period: float, clock: Callable[[], float], aligned: bool = False) -> None:
        """Start: due for the first time a period from now, or if `aligned` at the next multiple of the period."""
        self._period, self._clock, self._aligned = period, clock, aligned
        self._next = self._next_time()

    def is_due(self) -> bool:
        """Return True if it is due now; the next time is then a period later."""
        if self._clock() < self._next:
            return False
        self._next = self._next_time()
        return True

    def _next_time(self) -> float:
        now = self._clock()
        return (now // self._period + 1) * self._period if self._aligned else now + self._period
