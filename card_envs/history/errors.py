"""The error that all formats of recorded hands raise, and the reading of their files."""

from __future__ import annotations

from pathlib import Path

_LONGEST = 600
"""Maximum number of characters of a message, since a damaged file can be one line of many megabytes."""


class HandHistoryError(ValueError):
    """Raised for a text that is not a hand history.

    The message names the file, the position in it, what was read and what is allowed.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message))


def shorten(text: str, longest: int = _LONGEST) -> str:
    """Return a text without its middle if it is longer than `longest` characters."""
    if len(text) <= longest:
        return text
    part = longest // 2
    return f"{text[:part]} ... ({len(text) - 2 * part:,} characters) ... {text[-part:]}"


def load_text(path: str | Path, encoding: str) -> str:
    """Return the text of a file; HandHistoryError if it cannot be read or decoded."""
    try:
        return Path(path).read_bytes().decode(encoding)
    except OSError as error:
        raise HandHistoryError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise HandHistoryError(f"{path}: byte {error.start} is not {encoding.upper()} text") from error
