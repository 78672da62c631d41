"""The interface of a format of hand histories: `HistoryFormat`, its writer, and the hands that it writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from card_envs.game import Game, Tables
from card_envs.history.errors import HandHistoryError
from card_envs.history.replay import HandSteps, ParsedHand, play_through
from card_envs.typing import Rows

__all__ = ["HistoryFormat", "HistoryWriter", "PlayedHands"]


@dataclass(frozen=True, eq=False)
class PlayedHands:
    """Complete hands of a batch of tables."""

    numbers: Rows
    """(n,) number of each hand in the match."""
    dealt: Tables
    """(n,) tables after the deal, before the first decision."""
    actions: list[list[int]]
    """Action ids of each hand, in the order of play."""


def number_equal_names(names: Iterable[str], separator: str) -> tuple[str, ...]:
    """Return different names: of equal ones, later ones get a number, as in "chen", "chen 2"."""
    found: list[str] = []
    for name in names:
        number, unique = 1, name
        while unique in found:
            number += 1
            unique = f"{name}{separator}{number}"
        found.append(unique)
    return tuple(found)


def names_by_seat(names: Sequence[str], hand: int) -> tuple[str, ...]:
    """Return the agents' names by seat in a hand of a match: in hand h, agent j sits at seat (j + h) % n."""
    return tuple(names[(seat - hand) % len(names)] for seat in range(len(names)))


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
