"""Progress of compilation: one line in the log, and a counter on a terminal."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Iterator

from card_envs.kernel_cache.folder import cache_folder, is_writable

_PACKAGE = __name__.partition(".")[0]


class CompileProgress:
    """Counts compiled functions and logs the first one. Loading from disk is silent."""

    def __init__(self) -> None:
        self.depth = 0
        """Number of nested compilations: above 1 while the kernels that a kernel calls are compiled."""
        self._count = 0
        self._seconds = 0.0

    @contextlib.contextmanager
    def report_function(self) -> Iterator[None]:
        """Count the function that is compiled within the block."""
        if self._count == 0:
            folder = cache_folder(_PACKAGE)
            is_kept = folder is not None and is_writable(folder)
            outlook = "cached for later runs" if is_kept else "not cached: no folder is writable"
            logging.getLogger(_PACKAGE).warning(
                "%s compiles its kernels: 5 to 15 seconds, longer on a busy machine (%s)", _PACKAGE, outlook
            )
        if self.depth == 0:
            self._start = time.monotonic()
        self.depth += 1
        self._count += 1
        _show(f"compiling: {self._count} functions, {self._seconds + time.monotonic() - self._start:.0f} s")
        try:
            yield
        finally:
            self.depth -= 1
            if self.depth == 0:
                self._seconds += time.monotonic() - self._start
                _show("")


def _show(line: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r{line:50}\r")  # the cursor goes back, so that later output replaces the line
        sys.stderr.flush()


progress = CompileProgress()
"""Compilation progress of this process."""
