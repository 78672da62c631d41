"""How much of a run is done: by processor time or by decisions, over all its interruptions.

Processor time is what a clock shows on a machine that nobody shares, and means the same on one that is shared.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from card_baselines.run_folder import RunFolder


class Budget:
    """Seconds and decisions that a run may use; it ends when either is used up."""

    def __init__(self, minutes: float, steps: int, decisions: Callable[[], int], before: float) -> None:
        """Count on from the seconds used `before`; `minutes` 0 sets no limit, `decisions` returns those made so far."""
        self._minutes, self._steps, self._decisions, self._before = minutes, steps, decisions, before
        self._start: float | None = None

    def begin(self) -> None:
        """Start the clock, if it does not run yet; compiling and loading came before."""
        if self._start is None:
            self._start = time.process_time()

    def seconds(self) -> float:
        """Return the seconds of training so far."""
        return self._before + (time.process_time() - self._start if self._start is not None else 0.0)

    def fraction(self) -> float:
        """Return the used share of the budget, 0 .. 1."""
        by_time = self.seconds() / (60.0 * self._minutes) if self._minutes else 0.0
        return min(1.0, max(by_time, self._decisions() / self._steps))


class Every:
    """An alarm that rings each time that so many seconds of a run have passed."""

    def __init__(self, seconds: float, budget: Budget) -> None:
        """Ring for the first time `seconds` from now."""
        self._seconds, self._budget = seconds, budget
        self._next = budget.seconds() + seconds

    def is_due(self) -> bool:
        """Return True if it rings now; it is then set anew."""
        if self._budget.seconds() < self._next:
            return False
        self._next = self._budget.seconds() + self._seconds
        return True


def seconds_used(run: RunFolder) -> float:
    """Return the seconds of training that the metrics of a run speak of."""
    rows = run.metrics()
    return rows[-1]["seconds"] if rows else 0.0
