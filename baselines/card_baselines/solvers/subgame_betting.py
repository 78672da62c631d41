"""The betting of a heads-up hand, from a given table on, as a tree that does not depend on the cards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_envs.game import ILLEGAL, NOBODY, Game
from card_envs.records import Tables

MAX_NODES = 4_000
"""Maximum number of nodes, with which the arrays of a response take about 100 MB."""
NUM_PLAYERS = 2

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Betting:
    """A tree of betting. Nodes are in depth-first order, so children come after their parents."""

    tables: Tables
    """(nodes,): a table at each node."""
    player: Numbers
    """(nodes,): the seat to act, NOBODY at terminal nodes."""
    child: Numbers
    """(nodes, actions): the node after each action, -1 where it is illegal."""
    folded: Numbers
    """(nodes,): at terminal nodes, the seat that folded, NOBODY at a showdown."""
    stake: NDArray[np.float64]
    """(nodes,): at terminal nodes, chips that the loser pays."""

    @property
    def street(self) -> Numbers:
        """(nodes,): the street of each node; at terminal nodes that of the last decision."""
        return np.asarray(self.tables["street"], np.int64)

    @property
    def decisions(self) -> Numbers:
        """(decisions,): nodes at which a seat acts."""
        return np.flatnonzero(self.player != NOBODY)


def grow_betting(game: Game, first: Tables) -> Betting:
    """Return the betting from a table (1,) on, which may hold any cards.

    Raises:
        ValueError: If the tree has more than `MAX_NODES` nodes.
    """
    tables: list[Tables] = []
    children: list[list[int]] = []

    def visit(table: Tables) -> int:
        number = len(tables)
        if number == MAX_NODES:
            raise ValueError(
                f"{game.name} has more than {MAX_NODES:,} betting sequences with these settings, the most that exact "
                "best responses and re-solving go through: choose a smaller bet_menu or smaller stacks (or, to measure "
                "an agent, --method local or learned)"
            )
        tables.append(table)
        children.append([-1] * game.num_actions)
        for action in range(game.num_actions if not table["is_over"][0] else 0):
            after = table.copy()
            if game.step(after, 0, action) != ILLEGAL:
                children[number][action] = visit(after)
        return number

    visit(first)
    records = np.concatenate(tables)
    stays = np.array([[int(seats) >> seat & 1 for seat in range(NUM_PLAYERS)] for seats in records["in_hand"]], bool)
    folded = np.where(stays.all(axis=1) | (records["is_over"] == 0), NOBODY, stays.argmin(axis=1))
    stake = records["hand_commit"][:, :NUM_PLAYERS].min(axis=1).astype(np.float64)
    return Betting(records, records["actor"].astype(np.int64), np.array(children), folded.astype(np.int64), stake)
