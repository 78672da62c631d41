"""Progress on the error stream: a bar on a terminal; without a terminal, lines for training and leagues."""

from __future__ import annotations

import sys
import time
from typing import Any, Self

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


class LongProgress:
    """Progress of something long: a bar on a terminal, otherwise lines on the error stream, later one a minute.

    Args:
        label: Text before the bar or in each line.
        total: Value of `show` at which the bar is full.
        enabled: False to show nothing.
        delay: Seconds before the bar appears.
    """

    def __init__(self, label: str, total: float, enabled: bool = True, delay: float = _DELAY_SECONDS) -> None:
        self._label, self._bar = label, ProgressBar(label, total, enabled, delay)
        self._prints = enabled and not sys.stderr.isatty()
        self._next = time.monotonic() + _FIRST_LINE_SECONDS

    def show(self, done: float, text: str, line: str = "") -> None:
        """Show a text beside the bar, or if a line is due, that line, by default the text."""
        self._bar.update(done, text)
        if self._prints and time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_SECONDS
            self.say(line or text)

    def say(self, text: str) -> None:
        """Print a line with the time and the label, if the error stream is not a terminal."""
        if self._prints:
            print(f"{time.strftime('%H:%M:%S')} {self._label}: {text}", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()


class StepsProgress(LongProgress):
    """Progress by number of steps, `counts`, such as rounds."""

    def __init__(self, label: str, total: int, counts: str) -> None:
        super().__init__(label, max(1, total))
        self._total, self._done, self._counts = total, 0, counts

    def advance(self, text: str) -> None:
        """Count one more step, and show a short text beside it."""
        self._done += 1
        of = f"{self._done:,} of {self._total:,} {self._counts}"
        self.show(self._done, text, f"{of}, {100 * self._done / max(1, self._total):.0f} %, {text}")
