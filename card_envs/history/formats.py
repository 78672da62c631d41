"""Formats of hand histories: the base classes, and the formats that the registered environments name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from card_envs.envs import ENVS
from card_envs.game import Game
from card_envs.history import replay
from card_envs.history.errors import HandHistoryError
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.recording import PlayedHands
from card_envs.history.registry import BUILT_IN
from card_envs.history.replay import Replay
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps
from card_envs.locations import load_object

Recorded = TypeVar("Recorded")
"""Type of one hand of a format, as `HistoryFormat.load_hands` returns it."""


class HistoryWriter(ABC):
    """Writes the hands of one match as text."""

    def header(self, num_hands: int) -> str:
        """Return the text before the hands; called after the last hand, when their number is known."""
        return ""

    @abstractmethod
    def hands(self, played: PlayedHands) -> Iterator[str]:
        """Yield the text of each hand; called with the hands of the match batch by batch, in order."""

    def footer(self) -> str:
        """Return the text after the hands."""
        return ""


class HistoryFormat(ABC, Generic[Recorded]):
    """A format of hand histories, which writes the hands of a match and replays the hands of a file.

    Objects are pickled for the processes that replay.
    """

    suffixes: tuple[str, ...]
    """Suffixes of its files, with the dot: the first for matches, any others for a single hand."""
    suffixes_if_named: tuple[str, ...] = ()
    """Suffixes of files that are read if a path names the file, but not searched for in folders."""

    @abstractmethod
    def why_not(self, game: Game) -> str | None:
        """Return the reason why a game's hands cannot be written in this format; None if they can."""

    @abstractmethod
    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> HistoryWriter:
        """Return a writer for a match.

        Args:
            game: The game of the match.
            names: Names of the agents; in hand h, agent j sits at seat (j + h) % n.
            seed: Seed of the match; None if the deals do not depend on a seed.
        """

    @abstractmethod
    def load_hands(self, file: Path) -> Sequence[Recorded]:
        """Return the hands of a file; HandHistoryError for a file that cannot be read or understood."""

    def begin(self, hand: Recorded, rules: object) -> Replay:
        """Return the replay of a hand, dealt but not played; `results.Stop` for a hand that cannot be played.

        Args:
            hand: The hand.
            rules: Rules profile or its name, for games with profiles; None for the rules that the file names.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method `begin`")

    def replay_hand(self, hand: Recorded, rules: object) -> ReplayResult:
        """Replay a hand, see `begin`."""
        return replay.replay_hand(_source(hand), lambda: self.begin(hand, rules))

    def hand_steps(self, hand: Recorded, rules: object) -> HandSteps:
        """Return a hand decision by decision; ValueError if it cannot be played under `rules`, see `begin`."""
        return replay.hand_steps(_source(hand), lambda: self.begin(hand, rules))

    def to_recorded_hand(self, hand: Recorded) -> RecordedHand:
        """Return a hand in the form that a table plays; ValueError if it is not legal or cards are missing."""
        return replay.recorded_hand(_source(hand), lambda: self.begin(hand, None))

    def replay(self, file: Path, rules: object = None) -> list[ReplayResult]:
        """Replay the hands of a file; see `load_hands` and `replay_hand`."""
        return [self.replay_hand(hand, rules) for hand in self.load_hands(file)]

    def steps(self, file: Path, number: int, rules: object = None) -> HandSteps:
        """Return hand `number`, counted from 1, of a file decision by decision; see `load_hands` and `hand_steps`."""
        hands = self.load_hands(file)
        if not 1 <= number <= len(hands):
            raise HandHistoryError(f"{file}: there is no hand {number}: it has hands 1 to {len(hands)}")
        return self.hand_steps(hands[number - 1], rules)

    def load_recorded_hands(self, file: Path) -> Iterator[RecordedHand | str]:
        """Yield the hands of a file in the form that a table plays, and the reason for each hand that cannot be played.

        Raises HandHistoryError for a file that cannot be read or understood.
        """
        for hand in self.load_hands(file):
            try:
                yield self.to_recorded_hand(hand)
            except ValueError as error:
                yield str(error)


def _source(hand: Any) -> str:
    return str(getattr(hand, "source", ""))


def formats() -> tuple[HistoryFormat[Any], ...]:
    """Return the formats of this package, then those that other environments name, in the order of registration."""
    others = (location for entry in ENVS.values() for location in entry.histories)
    return tuple(map(load_object, dict.fromkeys((*BUILT_IN, *others))))


def formats_of(game: Game) -> tuple[HistoryFormat[Any], ...]:
    """Return the formats in which hands of a game can be written, the default first."""
    return tuple(each for each in formats() if each.why_not(game) is None)


def format_of_file(file: Path) -> HistoryFormat[Any]:
    """Return the format that a file's suffix belongs to; the first format for an unknown suffix."""
    known = formats()
    return next((each for each in known if file.suffix in (*each.suffixes, *each.suffixes_if_named)), known[0])


def load_recorded_hands(file: Path) -> Iterator[RecordedHand | str]:
    """Yield the hands of a file of any format; see `HistoryFormat.load_recorded_hands`."""
    return format_of_file(file).load_recorded_hands(file)


def all_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all files that are read."""
    return tuple(suffix for each in formats() for suffix in (*each.suffixes, *each.suffixes_if_named))


def search_suffixes() -> tuple[str, ...]:
    """Return the suffixes of the files that are searched for in folders."""
    return tuple(suffix for each in formats() for suffix in sorted(each.suffixes))
