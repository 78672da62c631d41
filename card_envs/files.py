"""Writing files atomically: readers find the old content or the new one, never a part."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def require_parent(path: Path) -> None:
    """Raise a ValueError, with the command that makes the folder, if the folder of a file to be written is missing."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {folder}; make it with `mkdir -p {folder}`")


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename that file to `path` if the block ends without an error.

    After an error the old file is unchanged.
    """
    temporary = path.with_name(f".{secrets.token_hex(4)}-{path.name}")  # same suffix: some libraries append their own
    try:
        temporary.touch()
        mode = temporary.stat().st_mode
        yield temporary
        temporary.chmod(mode)  # safetensors makes files that only the owner can read
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with replace_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
