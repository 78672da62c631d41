"""Ctrl-C and SIGTERM during training: the update in progress is finished, so that its result can be saved."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """Raised by `Interruption` on SIGTERM; on SIGINT it raises a plain KeyboardInterrupt."""

    exit_code = 128 + signal.SIGTERM
    """Exit code of the process, as shells report it."""


class Interruption:
    """Signal handlers for the time of a `with` block, in the main thread; in other threads it has no effect.

    A signal raises KeyboardInterrupt at once, or if it comes within `finish_first`, at the end of that block. The
    second signal always raises at once.
    """

    def __init__(self, announces: bool = True) -> None:
        """Print what a signal waits for on the error stream, if `announces`."""
        self._announces = announces
        self._waits = False
        self._signal = 0
        self._before: dict[signal.Signals, Any] = {}
        self.is_cut_off = False
        """Whether a block of `finish_first` ended with an exception."""

    def __enter__(self) -> Self:
        """Install the handlers."""
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Put back the handlers that were there before; whatever KeyboardInterrupt SIGTERM led to is `Terminated`."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
        if self._signal == signal.SIGTERM and isinstance(error, KeyboardInterrupt):
            raise Terminated from error

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        is_first, self._signal = not self._signal, number
        if not (self._waits and is_first):
            raise KeyboardInterrupt
        if self._announces:
            print("\nfinishing this update, then saving; once more to stop at once", file=sys.stderr)

    @contextmanager
    def finish_first(self) -> Iterator[None]:
        """Within the block, the first signal waits for its end."""
        self._waits, self.is_cut_off = True, True
        try:
            yield
            self.is_cut_off = False
        finally:
            self._waits = False
        if self._signal:
            raise KeyboardInterrupt
