"""Callbacks of matches, such as play statistics, control variates and recorded hands."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables
from card_envs.typing import Rows


@dataclass(frozen=True, eq=False)
class MatchBatch:
    """Hands of a match that are played at the same time, one per table.

    The tables change during the hands. Callbacks must not write to them.
    """

    game: Game
    tables: Tables
    """(n,): records of the tables, with nothing hidden."""
    hands: Rows
    """(n,): index of each hand in the match."""
    table_ids: Rows
    """(n,): ids of the tables, the same as in `Decisions.table_ids`."""
    plays: int
    """Number of times each deal is played in a row: once for each seating in a duplicate match, else 1."""
    seatings: Rows = field(default_factory=lambda: np.empty((0, 0), np.int64))
    """(k, num_seats): agent at each seat, by seating; hand h has seating h % k. By default `rotations`."""

    @property
    def deals(self) -> Rows:
        """(n,): index of each hand's deal in the match."""
        return self.hands // self.plays

    @cached_property
    def agents(self) -> Rows:
        """(n, num_seats): the agent at each seat, an index in the order of `play_match`'s argument."""
        seatings = self.seatings if len(self.seatings) else rotations(self.game.num_seats)
        return seatings[self.hands % len(seatings)]

    @cached_property
    def seats(self) -> Rows:
        """(n, num_seats): the seat of each agent."""
        return np.argsort(self.agents, axis=1)

    def agent_indices(self, rows: Rows, seats: Rows) -> Rows:
        """Return the agents at some seats.

        Args:
            rows: (k,) indices of tables in the batch.
            seats: (k,) a seat at each of these tables.

        Returns:
            (k,) indices of agents, in the order of `play_match`'s argument.
        """
        return self.agents[rows, seats]

    @property
    def payoffs(self) -> Rows:
        """(n, num_seats): chips or points won by each agent in each hand, zero until the hand is over."""
        return self.order_by_agent(self.tables["payoff"][:, : self.game.num_seats].astype(np.int64))

    def order_by_agent(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return values (n, num_seats), given with a column per seat, with a column per agent."""
        return np.take_along_axis(values, self.seats, axis=1)


def rotations(num_seats: int) -> Rows:
    """Return the seatings (num_seats, num_seats) in which agent j sits at seat (j + h) % num_seats in hand h."""
    return (np.arange(num_seats) - np.arange(num_seats)[:, None]) % num_seats


class MatchCallback(Protocol):
    """Observer of a match, for `play_match(..., callbacks=[...])`.

    Each hand is reported exactly once; batch sizes vary. Subclasses inherit methods that do nothing.

    Example:
        >>> from card_envs import make_game
        >>> from card_envs.agent import RandomAgent
        >>> from card_envs.match import play_match
        >>> class CountActions:
        ...     num_actions = 0
        ...     def on_deal(self, batch): ...
        ...     def on_actions(self, batch, rows, actions):
        ...         self.num_actions += len(actions)
        ...     def on_end(self, batch): ...
        >>> counter, game = CountActions(), make_game("kuhn_poker-v0")
        >>> result = play_match(game, [RandomAgent(), RandomAgent()], hands=10, seed=0, callbacks=[counter])
        >>> counter.num_actions >= 20
        True
    """

    def on_deal(self, batch: MatchBatch) -> None:
        """Called after the hands of `batch` are dealt. Some may already be over."""
        return

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Called before actions are applied.

        Args:
            batch: The hands; their tables are still as they were when the actors decided.
            rows: (k,) indices of the tables at which an action is taken.
            actions: (k,) legal actions of these tables' actors.
        """
        return

    def on_end(self, batch: MatchBatch) -> None:
        """Called when all hands of `batch` are over."""
        return
