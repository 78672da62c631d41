"""Reconstruction of a seat's earlier decisions in the same deal, in heads-up limit games.

The betting of a deal is a path in a small tree, and a view determines the path. At every node of the path at which the
seat acted, its observation is computed from a table with its cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.tree import grow_game, is_two_player_limit
from card_envs.agent import Decisions, decisions_at
from card_envs.game import Game


class EarlierDecisions(NamedTuple):
    """Decisions of seats earlier in their deals."""

    rows: NDArray[np.int64]
    """(m,): index of the later decision of the same seat and deal."""
    decisions: Decisions
    """(m,): the earlier decisions."""
    actions: NDArray[np.int64]
    """(m,): the actions of the seats there."""


class OwnHistory:
    """Finds the earlier decisions of seats in a heads-up limit game."""

    def __init__(self, game: Game) -> None:
        """Grow the tree of the betting; ValueError for games other than those of `has_own_history`."""
        if not has_own_history(game):
            raise ValueError(f"{game.name} with these settings is no heads-up limit game: its betting is no small tree")
        self._tree = grow_game(game.config)

    def earlier(self, decisions: Decisions) -> Iterator[EarlierDecisions]:
        """Yield the earlier decisions of the same seats, from the latest to the earliest."""
        views = decisions.views
        tree, nodes = self._tree, self._tree.find(views)
        players = tree.player[nodes]
        rows = np.arange(len(decisions))
        while len(rows):
            actions, nodes = tree.action[nodes], tree.parent[nodes]
            keep = nodes >= 0
            rows, actions, nodes = rows[keep], actions[keep], nodes[keep]
            own = tree.player[nodes] == players[rows]
            if own.any():
                yield self._decisions_at(decisions, views, players, rows[own], nodes[own], actions[own])

    def _decisions_at(
        self, decisions: Decisions, views: Any, players: NDArray[Any], rows: NDArray[np.int64], nodes: NDArray[Any],
        actions: Any,
    ) -> EarlierDecisions:  # fmt: skip
        """Return the decisions at nodes of the tree, with the cards in the views of `rows`."""
        tables = self._tree.tables_at(nodes)
        later = views[rows]
        num_cards, num_seats = decisions.game.config.num_hole_cards, decisions.game.num_seats
        seats = np.asarray(later["actor"], np.int64)
        for k in range(num_cards):
            hole_cards = later["deck"][np.arange(len(rows)), seats * num_cards + k]
            tables["deck"][np.arange(len(rows)), players[rows].astype(np.int64) * num_cards + k] = hole_cards
        board = slice(num_seats * num_cards, None)
        tables["deck"][:, board] = later["deck"][:, board]
        numbers, unused = np.arange(len(rows)), np.full(len(rows), 0.5)
        earlier = decisions_at(decisions.game, tables, numbers, numbers, unused, encoder=decisions.encoder)
        return EarlierDecisions(rows, earlier, actions)


def has_own_history(game: Game) -> bool:
    """Return True for heads-up limit games."""
    return is_two_player_limit(game.config)
