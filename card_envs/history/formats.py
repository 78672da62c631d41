"""What a format of recorded hands can do, and which formats there are: those that the registered environments name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from card_envs.envs import ENVS
from card_envs.game import Game
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.recording import PlayedHands
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps
from card_envs.locations import load_object


class HistoryWriter(Protocol):
    """Writes the hands of one match; `header` is called last, when the number of hands is known."""

    def header(self, num_hands: int) -> str:
        """Return the text before the hands."""
        ...

    def hands(self, played: PlayedHands) -> Iterator[str]:
        """Yield each hand as text; called with all hands of the match, some at a time, in order."""
        ...

    def footer(self) -> str:
        """Return the text after the hands."""
        ...


class HistoryFormat(Protocol):
    """A format of recorded hands: writes those of a match, and plays the hands of a file again.

    Processes that replay are sent the object: it must be possible to pickle it.
    """

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of its files, with the dot: the first for matches, any others for a single hand."""
        ...

    @property
    def suffixes_if_named(self) -> tuple[str, ...]:
        """Further endings of files that are read if they are named, but not looked for in folders."""
        ...

    def why_not(self, game: Game) -> str | None:
        """Return why a game's hands cannot be written in this format, in words, None if they can."""
        ...

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> HistoryWriter:
        """Return a writer for a match.

        Args:
            game: The game of the match.
            names: Names of the agents; in hand h, agent j sits at seat (j + h) % n.
            seed: Seed of the match; None for deals that follow from no seed.
        """
        ...

    def replay(self, file: Path, rules: object = None) -> list[ReplayResult]:
        """Replay the hands of a file.

        Args:
            file: The file.
            rules: Rules profile or its name, for games that have some; None for those that the file names.

        Raises:
            HandHistoryError: For a file that cannot be read or understood.
        """
        ...

    def steps(self, file: Path, number: int, rules: object = None) -> HandSteps:
        """Return a hand of a file decision by decision, counted from 1; ValueError where it cannot be played."""
        ...

    def load_recorded_hands(self, file: Path) -> Iterator[RecordedHand | str]:
        """Yield the hands of a file as tables play them again; a reason in words for one that cannot be shown."""
        ...


def formats() -> tuple[HistoryFormat, ...]:
    """Return the formats of all registered environments, each once, in the order in which they are named."""
    locations = dict.fromkeys(location for entry in ENVS.values() for location in entry.histories)
    return tuple(map(load_object, locations))


def formats_of(game: Game) -> tuple[HistoryFormat, ...]:
    """Return the formats in which hands of a game can be written, the usual one first."""
    return tuple(each for each in formats() if each.why_not(game) is None)


def format_of_file(file: Path) -> HistoryFormat:
    """Return the format of a file by its ending; the first one of all for endings that nobody knows."""
    known = formats()
    return next((each for each in known if file.suffix in (*each.suffixes, *each.suffixes_if_named)), known[0])


def load_recorded_hands(file: Path) -> Iterator[RecordedHand | str]:
    """Yield the hands of a file of any format; a reason in words for one that is not shown.

    Raises HandHistoryError for a file that cannot be read.
    """
    return format_of_file(file).load_recorded_hands(file)


def search_suffixes() -> tuple[str, ...]:
    """Return the endings of the files that are looked for in folders."""
    return tuple(suffix for each in formats() for suffix in sorted(each.suffixes))
