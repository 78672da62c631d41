"""The budget of a run, in processor time and in steps of the learner, timers, and the progress that people see.

Processor time does not depend on other programs that run on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from card_baselines.progress import LongProgress, count_minutes


class Budget:
    """Processor time and steps (decisions, episodes, iterations) of a run, which ends when either is used up.

    Args:
        minutes: Limit of processor time; 0 for none.
        steps: Limit of steps.
        done: Function that returns the steps so far.
    """

    def __init__(self, minutes: float, steps: int, done: Callable[[], int]) -> None:
        self.minutes, self.steps, self._done = minutes, steps, done
        self.before = 0.0
        """Seconds that a continued run has used already."""
        self._start: float | None = None

    def begin(self) -> None:
        """Start the clock at the first call, so that compiling and loading before it are not counted."""
        if self._start is None:
            self._start = time.process_time()

    def seconds(self) -> float:
        """Return the seconds of training so far."""
        return self.before + (time.process_time() - self._start if self._start is not None else 0.0)

    def fraction(self) -> float:
        """Return the used fraction of the budget, 0 to 1."""
        by_time = self.seconds() / (60.0 * self.minutes) if self.minutes else 0.0
        return min(1.0, max(by_time, self._done() / self.steps))


class Periodic:
    """A timer that is due once in every period of a clock.

    Args:
        period: Length of a period.
        clock: Function that returns the time.
        aligned: Be due at multiples of the period; otherwise a period after the start and after each time it was due.
    """

    def __init__(self, period: float, clock: Callable[[], float], aligned: bool = False) -> None:
        self._period, self._clock, self._aligned = period, clock, aligned
        self._next = self._next_time()

    def is_due(self) -> bool:
        """Return True if the timer is due, and start the next period."""
        if self._clock() < self._next:
            return False
        self._next = self._next_time()
        return True

    def _next_time(self) -> float:
        now = self._clock()
        return (now // self._period + 1) * self._period if self._aligned else now + self._period


class RunProgress(LongProgress):
    """Progress of a training run, shown from the start: the first update may take minutes, because it compiles.

    Args:
        label: Text before the bar or in each line.
        budget: The budget of the run.
        counts: Name of the unit that `update` counts, such as decisions.
        enabled: False to show nothing.
    """

    def __init__(self, label: str, budget: Budget, counts: str, enabled: bool = True) -> None:
        super().__init__(label, 1.0, enabled, delay=0.0)
        self._budget, self._counts, self._start = budget, counts, time.monotonic()
        self._results: Mapping[str, float] = {}
        limit = f"{count_minutes(budget.minutes)} of processor time" if budget.minutes else f"{budget.steps:,} {counts}"
        self.say(f"{limit}; the first update compiles and is not counted")

    def update(self, done: int) -> None:
        """Show the progress, after `done` decisions or other units in all."""
        share = self._budget.fraction()
        text = f"{done:,} {self._counts}, {self._budget.seconds():,.0f} s of processor time"
        results = "".join(f", {name} {value:+.3g}" for name, value in self._results.items())
        clock = f"{time.monotonic() - self._start:,.0f} s by the clock"
        self.show(share, text, f"{100 * share:.0f} %, {text}, {clock}{results}")

    def note(self, results: Mapping[str, float]) -> None:
        """Store the results of the latest evaluation; the next lines show them."""
        self._results = results

    def name_step(self, text: str) -> None:
        """Show what a long step does."""
        self.show(self._budget.fraction(), text)
