"""Progress on the error stream: a bar on a terminal; without a terminal, lines for training and leagues."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, Protocol, Self

_DELAY_SECONDS = 2.0
_FIRST_LINE_SECONDS, _LINE_SECONDS = 10.0, 60.0
"""Seconds before the first line about the progress of a long run, and between two lines."""
_FORMAT = "{desc} {percentage:3.0f} %|{bar:30}| {elapsed} < {remaining} {postfix}"


def count_minutes(minutes: float) -> str:
    """Return a number of minutes in words, such as "1 minute" or "2.5 minutes"."""
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


class ProgressBar:
    """A progress bar on a terminal, if tqdm is installed.

    Args:
        label: Text before the bar.
        total: Value of `update` at which the bar is full.
        enabled: False to show no bar.
        delay: Seconds before the bar appears.
    """

    def __init__(self, label: str, total: float, enabled: bool = True, delay: float = _DELAY_SECONDS) -> None:
        self._bar: Any = None
        try:
            from tqdm import tqdm
        except ModuleNotFoundError:
            return
        self._bar = tqdm(
            desc=label,
            total=total,
            delay=delay,
            bar_format=_FORMAT,
            leave=False,
            disable=None if enabled else True,  # None: shown on terminals
        )

    @property
    def is_shown(self) -> bool:
        """Whether the bar is shown."""
        return self._bar is not None and not self._bar.disable

    def update(self, done: float, text: str = "") -> None:
        """Move the bar to `done`, and show a short text beside it."""
        if self.is_shown:
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update(done - self._bar.n)

    def advance(self, steps: float) -> None:
        """Move the bar by `steps`."""
        if self._bar is not None:
            self._bar.update(steps)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class SupportsBudget(Protocol):
    """The budget of a training run."""

    minutes: float
    """Limit of processor time; 0 for none."""
    steps: int
    """Limit of steps."""

    def seconds(self) -> float:
        """Return the seconds of processor time so far."""
        ...

    def fraction(self) -> float:
        """Return the used share of the budget, 0 .. 1."""
        ...


class _Lines:
    """Lines about a long run, printed if the error stream is not a terminal."""

    def __init__(self, label: str, enabled: bool) -> None:
        self._label, self._prints = label, enabled and not sys.stderr.isatty()
        self._next = time.monotonic() + _FIRST_LINE_SECONDS

    def are_due(self) -> bool:
        """Return True after ten seconds, then once a minute."""
        if not self._prints or time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + _LINE_SECONDS
        return True

    def say(self, text: str) -> None:
        """Print a line with the time and the label."""
        if self._prints:
            print(f"{time.strftime('%H:%M:%S')} {self._label}: {text}", file=sys.stderr, flush=True)


class StepsProgress:
    """Progress by number of steps: a bar on a terminal, otherwise lines on the error stream.

    Args:
        label: Text before the bar or in each line.
        total: Number of steps.
        counts: Name of the steps, such as rounds.
    """

    def __init__(self, label: str, total: int, counts: str) -> None:
        self._bar = ProgressBar(label, max(1, total))
        self._lines = _Lines(label, enabled=True)
        self._total, self._done, self._counts = total, 0, counts

    def advance(self, text: str) -> None:
        """Count one more step, and show a short text beside it."""
        self._done += 1
        self._bar.update(self._done, text)
        if self._lines.are_due():
            of = f"{self._done:,} of {self._total:,} {self._counts}"
            self._lines.say(f"{of}, {100 * self._done / max(1, self._total):.0f} %, {text}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()


class RunProgress:
    """Progress of a training run: a bar on a terminal, otherwise lines on the error stream.

    The first update may take minutes, because it compiles; the bar and the first line are shown before it.

    Args:
        label: Text before the bar or in each line.
        budget: The budget of the run.
        counts: Name of the unit that `update` counts, such as decisions.
        enabled: False to show nothing.
    """

    def __init__(self, label: str, budget: SupportsBudget, counts: str, enabled: bool = True) -> None:
        self._budget, self._counts = budget, counts
        self._bar = ProgressBar(label, 1.0, enabled, delay=0.0)
        self._lines = _Lines(label, enabled)
        self._results: Mapping[str, float] = {}
        self._start = time.monotonic()
        limit = f"{count_minutes(budget.minutes)} of processor time" if budget.minutes else f"{budget.steps:,} {counts}"
        self.say(f"{limit}; the first update compiles and is not counted")

    def update(self, done: int) -> None:
        """Show the progress, after `done` decisions or other units in all."""
        text = f"{done:,} {self._counts}, {self._budget.seconds():,.0f} s of processor time"
        self._bar.update(self._budget.fraction(), text)
        if self._lines.are_due():
            results = "".join(f", {name} {value:+.3g}" for name, value in self._results.items())
            clock = f"{time.monotonic() - self._start:,.0f} s by the clock"
            self.say(f"{100 * self._budget.fraction():.0f} %, {text}, {clock}{results}")

    def note(self, results: Mapping[str, float]) -> None:
        """Store the results of the latest evaluation; the next lines show them."""
        self._results = results

    def say(self, text: str) -> None:
        """Print a line if the error stream is not a terminal."""
        self._lines.say(text)

    def say_if_due(self, text: str) -> None:
        """Show what a long step does: beside the bar, or in a line if the last one is old enough."""
        self._bar.update(self._budget.fraction(), text)
        if self._lines.are_due():
            self._lines.say(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()
