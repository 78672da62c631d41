"""The interface of a format of hand histories: `HistoryFormat`, and its writer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from card_envs.game import Game
from card_envs.history import replay
from card_envs.history.errors import HandHistoryError
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.recording import PlayedHands
from card_envs.history.replay import Replay
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps

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
