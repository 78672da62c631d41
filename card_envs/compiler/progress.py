"""Messages while kernels are compiled: one line in the log, and a counter on a terminal."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Iterator

from card_envs.compiler.cache_folder import cache_folder


class CompileProgress:
    """Counts functions that are compiled; the first one is reported in the log. Loading from disk is silent."""

    def __init__(self) -> None:
        self.depth = 0
        """Functions being compiled now: more than one while a kernel compiles those that it calls."""
        self._count = 0
        self._seconds = 0.0

    @contextlib.contextmanager
    def report_function(self) -> Iterator[None]:
        """Count one function, which is compiled in the block."""
        self._begin()
        try:
            yield
        finally:
            self._end()

    def _begin(self) -> None:
        if self._count == 0:
            outlook = "kept for later runs" if cache_folder("card_envs") else "not kept: no folder can be written"
            logging.getLogger("card_envs").warning(
                "card_envs compiles its kernels, 5 to 15 seconds a game, longer on a busy machine (%s)", outlook
            )
        if self.depth == 0:
            self._start = time.monotonic()
        self.depth += 1
        self._count += 1
        _show(f"compiling: {self._count} functions, {self._seconds + time.monotonic() - self._start:.0f} s")

    def _end(self) -> None:
        self.depth -= 1
        if self.depth == 0:
            self._seconds += time.monotonic() - self._start
            _show("")


def _show(line: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r{line:50}\r")  # the cursor goes back: whatever is printed next replaces the line
        sys.stderr.flush()


progress = CompileProgress()
"""Progress of this process."""
