"""Callbacks: they follow a match without taking part, for statistics, control variates and records of hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MatchBatch:
    """Hands of a match that are played side by side. The tables move on, and are not for callbacks to change."""

    game: Game
    tables: Tables
    """(n,): one table per hand, nothing hidden."""
    hands: Rows
    """(n,): their numbers in the match; agent j sits at seat (j + hand) % num_seats."""
    numbers: Rows
    """(n,): the numbers of the tables, which agents know."""
    plays: int
    """How often each deal is played, one hand after the other; 1 unless the match is duplicate."""

    @property
    def deals(self) -> Rows:
        """(n,): the numbers of the deals."""
        return self.hands // self.plays

    def places(self, rows: Rows, seats: Rows) -> Rows:
        """Return which agents, by their places in the match, sit at `seats` of tables[rows]."""
        return np.asarray((seats - self.hands[rows]) % self.game.num_seats, np.int64)

    def by_place(self, by_seat: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return (n, num_seats) values by seat in the order of the agents."""
        seats = (np.arange(self.game.num_seats) + self.hands[:, None]) % self.game.num_seats
        return np.take_along_axis(by_seat, seats, axis=1)


class MatchCallback(Protocol):
    """Whoever follows a match; see `play_match`. Every hand is told of once, in batches of any size."""

    def on_deal(self, batch: MatchBatch) -> None:
        """Hear that the hands of `batch` are dealt; some may be over at once."""
        ...

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Hear that the actors of batch.tables[rows], as they still are, chose legal `actions`."""
        ...

    def on_end(self, batch: MatchBatch) -> None:
        """Hear that all hands of `batch` are over."""
        ...
