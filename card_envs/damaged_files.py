"""Reading files that may be damaged, with errors that name the file."""

from __future__ import annotations

import json
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np


class DamagedFileError(ValueError):
    """Raised for a file with a content that this program never writes; the message names the file."""


_SYMPTOMS = (LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, EOFError, MemoryError)
"""Errors of code that reads a file with missing entries, entries of other types, or numbers that are too large."""
_UNREADABLE = (UnicodeDecodeError, json.JSONDecodeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)
"""Errors of code that decodes a file."""


@contextmanager
def explain_damage(path: Path | str) -> Iterator[None]:
    """Turn the errors that the content of a damaged file causes within the block into a `DamagedFileError`.

    ValueErrors that name the file pass; the file is added to the message of others.
    """
    try:
        yield
    except _SYMPTOMS as error:
        problem = f"it lacks {error}" if isinstance(error, KeyError) else f"{type(error).__name__}, {error}"
        raise DamagedFileError(f"{path} is damaged, or of another version: {problem}") from error
    except _UNREADABLE as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise DamagedFileError(f"{path}: {error}") from error


def read_json_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; `DamagedFileError` for any other content."""
    with explain_damage(path):
        content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise DamagedFileError(f"{path} is damaged: it holds no JSON object")
    return content


@contextmanager
def open_arrays(path: Path, max_bytes: float) -> Iterator[Any]:
    """Open an .npz file; within the block, the errors of a damaged one are `DamagedFileError`, and it is closed.

    Args:
        path: The file.
        max_bytes: Maximum size of all arrays, uncompressed; a small file may hold zeros that fill the memory.
    """
    with path.open("rb") as file, explain_damage(path):
        if not zipfile.is_zipfile(file):
            raise DamagedFileError(f"{path} is damaged: it is no .npz file")
        try:
            require_size(file, max_bytes)
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                yield arrays
        except OSError as error:  # the directory of the archive points nowhere
            raise DamagedFileError(f"{path} is damaged: {error}") from error


def require_size(file: IO[bytes] | Path, max_bytes: float) -> None:
    """Raise a ValueError if the entries of a .zip file take more than `max_bytes` when they are decompressed."""
    with zipfile.ZipFile(file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())  # no more is read of an entry than it tells here
    if size > max_bytes:
        raise ValueError(
            f"its content takes {size:,} bytes uncompressed, more than the {max_bytes:,.0f} that it may take: "
            "it is damaged, or made for another game"
        )


def decompress_bytes(packed: bytes, max_bytes: int) -> bytes:
    """Return the content of `lzma.compress`; reads at most `max_bytes`, raises ValueError for more."""
    decompressor = lzma.LZMADecompressor()
    content = decompressor.decompress(packed, max_length=max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError(f"a compressed entry holds more than the {max_bytes:,} bytes that belong there")
    if not decompressor.eof:
        raise lzma.LZMAError("compressed data ends too early")
    return content
