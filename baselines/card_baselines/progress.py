"""Progress bars on the error stream, for whatever takes more than two seconds."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

_QUIET_SECONDS = 2.0
_FORMAT = "{desc} {percentage:3.0f} %|{bar:30}| {elapsed} < {remaining} {postfix}"


class ProgressBar:
    """A bar that appears after two seconds, and not at all where the error stream is no terminal."""

    def __init__(self, label: str, total: float, enabled: bool = True) -> None:
        """Start the clock; `total` is what `update` counts up to. Without tqdm there is no bar."""
        self._bar: Any = None
        try:
            from tqdm import tqdm
        except ModuleNotFoundError:
            return
        self._bar = tqdm(
            desc=label,
            total=total,
            delay=_QUIET_SECONDS,
            bar_format=_FORMAT,
            leave=False,
            disable=None if enabled else True,  # None: shown on terminals
        )

    @property
    def is_shown(self) -> bool:
        """Whether somebody may see the bar: the error stream is a terminal."""
        return self._bar is not None and not self._bar.disable

    def update(self, done: float, text: str = "") -> None:
        """Show that `done` of the total is done, and a few words beside it."""
        if self.is_shown:
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update(done - self._bar.n)

    def advance(self, steps: float) -> None:
        """Show that `steps` more are done."""
        if self._bar is not None:
            self._bar.update(steps)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def progress_bar(label: str, total: float, enabled: bool = True) -> ProgressBar:
    """Return a bar that is running."""
    return ProgressBar(label, total, enabled)
