"""The error that all formats of recorded hands raise, and the reading of their files."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

SUFFIXES = (".phhs", ".phh", ".acpc", ".log", ".pokerstars", ".txt", ".big2")
"""Suffixes of the files that the formats of this package read."""
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")
"""A whole number of a text; longer ones are no amounts, and Python does not read those of thousands of digits."""
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


def with_line_feeds(text: str) -> str:
    """Return a text whose lines all end with a line feed, without a byte order mark at its beginning."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def load_text(path: str | Path, encoding: str) -> str:
    """Return the text of a file; HandHistoryError if it cannot be read or decoded, or is of a kind that is not read.

    A byte order mark is dropped, and all lines end with a line feed.
    """
    if "\0" in str(path):
        raise HandHistoryError(f"{str(path)!r}: cannot be read: no path has the character 0")
    try:
        text = Path(path).read_bytes().removeprefix(codecs.BOM_UTF8).decode(encoding)
    except OSError as error:
        raise HandHistoryError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        name = encoding.upper()
        raise HandHistoryError(f"{path}: byte {error.start} is not {name} text; save the file as {name}") from error
    text = with_line_feeds(text)
    kind = detect_foreign_format(text)
    if kind is not None:
        raise HandHistoryError(f"{path}: is {kind}, which is not read; the formats of {', '.join(SUFFIXES)} are read")
    return text


_OTHERS = (
    (re.compile(r"<(?:\?xml|!|[A-Za-z])"), "XML or HTML, as iPoker and OnGame write"),
    (re.compile(r'\{|\[\s*[\[{"]'), "JSON, as Open Hand History"),
    (
        re.compile(r"(?!#)[^\n=:,;\t]*[,;\t][^\n=:,;\t]*[,;\t][^\n=:]*\n"),
        "CSV, as PokerNow and trackers write",
    ),
    (re.compile(r"(?:Poker Hand|Game Hand|Hand) #"), "a hand of another site, such as GGPoker or ACR"),
    (re.compile(r"Winamax Poker - "), "a hand of Winamax"),
    (re.compile(r"\*{5} Hand History [Ff]or Game"), "a hand of PartyPoker"),
    (re.compile(r"Full Tilt Poker Game #"), "a hand of Full Tilt"),
    (re.compile(r"(?:Ignition|Bovada|Bodog)[ \w]* Hand #"), "a hand of Ignition"),
    (re.compile(r"#Game No|888poker"), "a hand of 888poker"),
)
"""Beginning of a text -> what it is, for kinds of files that are not read."""


def detect_foreign_format(text: str) -> str | None:
    """Return which unsupported format a text has; None if it may have a supported one."""
    beginning = text[:2000].lstrip("\ufeff \t\r\n")
    return next((kind for pattern, kind in _OTHERS if pattern.match(beginning)), None)
