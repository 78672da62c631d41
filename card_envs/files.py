"""Files that are written whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def require_parent(path: Path) -> None:
    """Raise ValueError, with the command that makes it, if the folder of a file that is to be written is missing."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {folder}; make it with `mkdir -p {folder}`")


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and give it that name when the block ends without an error.

    Readers and other writers find the old file or the new one, never a part of it. After an error the old one stands.
    """
    temporary = path.with_name(f".{secrets.token_hex(4)}-{path.name}")  # same ending: some libraries append their own
    try:
        temporary.touch()
        mode = temporary.stat().st_mode
        yield temporary
        temporary.chmod(mode)  # safetensors makes files that their owner alone can read
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replace_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
