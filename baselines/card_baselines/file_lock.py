"""Files that lock something for one process at a time."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl


class LockedError(ValueError):
    """Raised when another process holds a lock; `holder` describes it."""

    def __init__(self, path: Path, holder: str) -> None:
        self.holder = holder
        super().__init__(f"{path} is held by {holder}")


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold a lock, a file that describes its holder and is deleted in the end. Without effect on Windows.

    A lock ends with its process, even if that is killed.

    Raises:
        LockedError: Another process holds it.
        OSError: The file cannot be written.
    """
    with _open_alone(path) as file:
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}, since {time.strftime('%Y-%m-%d %H:%M:%S')}")
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _open_alone(path: Path) -> IO[str]:
    """Return the file, open and held by this process alone."""
    while True:
        file = path.open("a+", encoding="utf-8")
        if sys.platform == "win32":
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read() or "another process"
            file.close()
            raise LockedError(path, holder) from None
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()  # its holder has removed it in the meantime
