"""The formats of hand histories that are known, and which one a file has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from card_envs.envs import ENVS
from card_envs.game import Game
from card_envs.history.history_format import HistoryFormat
from card_envs.history.replay import RecordedHand, play_through
from card_envs.locations import load_object

BUILT_IN = (
    "card_envs.history.phh.files:PHH",
    "card_envs.history.acpc.format:ACPC",
    "card_envs.history.pokerstars.files:POKERSTARS",
    "card_envs.history.big2.format:BIG2",
)
"""Each "module:NAME"; of the formats that describe a game, the first is the default. A format of another package is
named beside its environment, see `register_env`."""


def formats() -> tuple[HistoryFormat, ...]:
    """Return the formats of this package, then those that other environments name, in the order of registration."""
    others = (location for entry in ENVS.values() for location in entry.histories)
    return tuple(map(load_object, dict.fromkeys((*BUILT_IN, *others))))


def formats_of(game: Game) -> tuple[HistoryFormat, ...]:
    """Return the formats in which hands of a game can be written, the default first."""
    return tuple(each for each in formats() if each.why_not(game) is None)


def format_of_file(file: Path) -> HistoryFormat:
    """Return the format that a file's suffix belongs to; the first format for an unknown suffix."""
    known = formats()
    return next((each for each in known if file.suffix in (*each.suffixes, *each.suffixes_if_named)), known[0])


def load_recorded_hands(file: Path) -> Iterator[RecordedHand | str]:
    """Yield the hands of a file in the form that a table plays, and the reason for each hand that cannot be played.

    Raises HandHistoryError for a file that cannot be read or understood.
    """
    for hand in format_of_file(file).load_hands(file):
        try:
            *_, (_, replay) = play_through(hand)
            yield replay.recorded_hand()
        except ValueError as error:
            yield str(error)


def search_suffixes() -> tuple[str, ...]:
    """Return the suffixes of the files that are searched for in folders."""
    return tuple(suffix for each in formats() for suffix in sorted(each.suffixes))
