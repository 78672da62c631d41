"""The error of all formats of recorded hands."""

from __future__ import annotations

_LONGEST = 600
"""Characters of a message: a damaged file can be one line of many megabytes."""


class HandHistoryError(ValueError):
    """Raised for a text that is not a hand history; names the file, the place in it, what came and what is allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message))


def shorten(text: str, longest: int = _LONGEST) -> str:
    """Return a text, its middle left out if it is longer than `longest` characters."""
    if len(text) <= longest:
        return text
    part = longest // 2
    return f"{text[:part]} ... ({len(text) - 2 * part:,} characters) ... {text[-part:]}"
