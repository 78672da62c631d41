"""The interface of a format of hand histories: `HistoryFormat`, and its writer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from card_envs.game import Game
from card_envs.history.errors import HandHistoryError
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.recording import PlayedHands
from card_envs.history.replay import HandSteps, ParsedHand, play_through

__all__ = ["HistoryFormat", "HistoryWriter"]


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


class HistoryFormat(ABC):
    """A format of hand histories, which writes the hands of a match and reads the hands of a file.

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
    def load_hands(self, file: Path) -> Sequence[ParsedHand]:
        """Return the hands of a file; HandHistoryError for a file that cannot be read or understood."""

    def steps(self, file: Path, number: int, rules: object = None) -> HandSteps:
        """Return hand `number`, counted from 1, of a file decision by decision.

        Raises:
            HandHistoryError: For a file that cannot be read or understood, and for a hand that it lacks.
            ValueError: With the reason, if the hand cannot be replayed, see `replay_hand`.
        """
        hands = self.load_hands(file)
        if not 1 <= number <= len(hands):
            raise HandHistoryError(f"{file}: there is no hand {number}: it has hands 1 to {len(hands)}")
        hand = hands[number - 1]
        frames = [(index, replay, replay.tables.copy()) for index, replay in play_through(hand, rules)]
        replay, tables = frames[0][1], np.concatenate([table for *_, table in frames])
        return HandSteps(replay.game, hand.source, replay.names, tables, tuple(replay.texts[i] for i, *_ in frames[1:]))

    def load_recorded_hands(self, file: Path) -> Iterator[RecordedHand | str]:
        """Yield the hands of a file in the form that a table plays, and the reason for each hand that cannot be played.

        Raises HandHistoryError for a file that cannot be read or understood.
        """
        for hand in self.load_hands(file):
            try:
                *_, (_, replay) = play_through(hand)
                yield replay.recorded_hand()
            except ValueError as error:
                yield str(error)
