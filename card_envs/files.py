"""Writing files atomically: readers find the old content or the new one, never a part."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def require_parent(path: Path) -> None:
    """Raise a ValueError if a file cannot be written: it is a folder, or its folder is missing or write-protected."""
    folder = path.absolute().parent
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file in it")
    if not folder.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {folder}; make it with `mkdir -p {folder}`")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{path} cannot be written: you may not write in the folder {folder}")


_TEMPORARY = re.compile(r"\.[0-9a-f]{8}-.+")
"""Names of the temporary files of `replace_file`."""


@contextmanager
def replace_file(path: Path, survives_power_loss: bool = True) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename that file to `path` if the block ends without an error.

    After an error the old file is unchanged. A killed process leaves a temporary file, see `delete_temporaries`. With
    `survives_power_loss`, the end of the block waits some milliseconds until the disk holds the file and its name.
    Without, a loss of power may leave an empty file, which is acceptable for files that are checked when they are read.
    """
    temporary = path.with_name(f".{secrets.token_hex(4)}-{path.name}")  # same suffix: some libraries append their own
    try:
        temporary.touch()
    except OSError as error:  # which names the temporary file
        raise type(error)(error.errno, error.strerror, str(path)) from error
    try:
        mode = temporary.stat().st_mode
        yield temporary
        temporary.chmod(mode)  # safetensors makes files that only the owner can read
        if survives_power_loss:
            _sync(temporary, os.O_RDWR)
        temporary.replace(path)
        if survives_power_loss and os.name != "nt":  # Windows opens no folders; NTFS logs the change of the name
            _sync(path.parent, os.O_RDONLY)
    finally:
        temporary.unlink(missing_ok=True)


def _sync(path: Path, flags: int) -> None:
    """Wait until the disk holds the content of a file, or the names in a folder."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def delete_temporaries(folder: Path) -> None:
    """Delete the temporary files that killed processes left below a folder, to which no other process may write."""
    for path in folder.rglob(".*"):
        if _TEMPORARY.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            path.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with replace_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
