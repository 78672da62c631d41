"""Openings: how agents begin the betting before the flop, by position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.state import Street
from card_envs.games.holdem.view import position_names, positions_of
from card_envs.statistics import Hands, Statistic, share
from card_envs.typing import Rows


def is_first_in(tables: Tables, seats: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return True where only the blinds have put chips into the pot and the seat to act may open or fold.

    Args:
        tables: (n,) records of tables of hold'em with two blinds.
        seats: (n,) the seats to act.

    Returns:
        (n,) True for seats that are first in. The big blind never is.
    """
    rows = np.arange(len(tables))
    paid = tables["street_commit"].astype(np.int64)
    largest = tables["current_bet"].astype(np.int64)
    has_blind_only = (paid == largest[:, None]).sum(axis=1) == 1  # the big blind's
    return np.asarray(
        (tables["street"] == Street.PREFLOP)
        & (tables["street_raises"][:, 0] == 0)
        & has_blind_only
        & (paid[rows, seats] < largest)
    )


class OpeningCounter:
    """Match callback that counts how often each agent folds, limps and raises when it is first in.

    Example:
        >>> from card_envs import make_game
        >>> from card_envs.agent import RandomAgent
        >>> from card_envs.statistics.holdem_openings import OpeningCounter
        >>> from card_envs.match import play_match
        >>> game = make_game("no_limit_holdem-v0", num_players=6)
        >>> counter = OpeningCounter(game)
        >>> result = play_match(game, [RandomAgent() for _ in range(6)], hands=100, seed=0, callbacks=[counter])
        >>> [statistic.name for statistic in counter.openings(agent=0)["UTG"]]
        ['fold', 'limp', 'raise']
    """

    def __init__(self, game: Game) -> None:
        """Start with no hands; ValueError for a game without blinds."""
        if not any(getattr(game.config, "blinds", ())):
            raise ValueError(f"openings are counted in hold'em with blinds, not in {game.name}")
        self.positions = position_names(game.config)
        self.counts = np.zeros((game.num_seats, game.num_seats, 3), np.int64)
        """(agents, positions, fold / limp / raise)."""

    def on_deal(self, batch: Hands) -> None:
        """Do nothing."""

    def on_actions(self, batch: Hands, rows: Rows, actions: Rows) -> None:
        """Count the decisions of seats that are first in."""
        tables = batch.tables[rows]
        seats = tables["actor"].astype(np.int64)
        first = np.flatnonzero(is_first_in(tables, seats))
        position = positions_of(self.counts.shape[1], tables[first])[np.arange(len(first)), seats[first]]
        kind = np.select([actions == FOLD_ACTION, actions == CALL_ACTION, actions >= FIRST_RAISE_ACTION], [0, 1, 2])
        np.add.at(self.counts, (batch.agent_indices(rows, seats)[first], position, kind[first]), 1)

    def on_end(self, batch: Hands) -> None:
        """Do nothing."""

    def openings(self, agent: int) -> dict[str, tuple[Statistic, ...]]:
        """Return, for each position that opened, how often an agent folded, limped and raised there.

        Args:
            agent: Index of the agent in the order of the match.

        Returns:
            Position -> the shares "fold", "limp" and "raise", with the number of occasions and Wilson's 95 % interval.
            The big blind is never first in.
        """
        return {
            name: tuple(
                share(kind, int(count), int(counts.sum()))
                for kind, count in zip(("fold", "limp", "raise"), counts, strict=True)
            )
            for name, counts in zip(self.positions, self.counts[agent], strict=True)
            if counts.sum()
        }
