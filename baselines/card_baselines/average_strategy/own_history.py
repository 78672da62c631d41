"""The earlier decisions of a seat in the same deal, made again from what it sees, in heads-up limit games.

There the betting of a deal is a path in a small tree, which a view determines. At every node of the path at which the
seat acted, a table with the seat's cards shows what it saw then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.limit.betting_tree import find_nodes, grow_tree, is_two_player_limit, tables_at_nodes
from card_envs.agent import Decisions, decisions_at
from card_envs.game import Game

_ROOT = -1
"""Parent of the first node."""


class EarlierDecisions(NamedTuple):
    """Decisions that seats took earlier in their deals."""

    rows: NDArray[np.int64]
    """(m,): the later decision, in whose deal each was taken."""
    decisions: Decisions
    """(m,): the earlier decisions."""
    actions: NDArray[np.int64]
    """(m,): what the seat did."""


class OwnHistory:
    """Finds the earlier decisions of seats in a heads-up limit game."""

    def __init__(self, game: Game) -> None:
        """Grow the tree of the betting; ValueError unless `has_own_history` accepts the game."""
        if not has_own_history(game):
            raise ValueError(f"{game.name} with these settings is no heads-up limit game: its betting is no small tree")
        config = game.config
        self._tree = grow_tree(config, [1] * len(config.board_cards))
        self._tables = tables_at_nodes(config)
        self._parent = np.full(len(self._tree), _ROOT)
        self._action = np.zeros(len(self._tree), np.int64)
        for action in range(self._tree["child"].shape[1]):
            nodes = np.flatnonzero(self._tree["child"][:, action] >= 0)
            children = self._tree["child"][nodes, action]
            self._parent[children], self._action[children] = nodes, action

    def earlier(self, decisions: Decisions) -> Iterator[EarlierDecisions]:
        """Yield the decisions before these of the same seats: parents in the tree, then theirs, and so on."""
        views = decisions.views
        nodes = find_nodes(views, self._tree)
        players = self._tree["player"][nodes]
        rows = np.arange(len(decisions))
        while len(rows):
            actions, nodes = self._action[nodes], self._parent[nodes]
            keep = nodes != _ROOT
            rows, actions, nodes = rows[keep], actions[keep], nodes[keep]
            own = self._tree["player"][nodes] == players[rows]
            if own.any():
                yield self._decisions_at(decisions.game, views, players, rows[own], nodes[own], actions[own])

    def _decisions_at(
        self, game: Game, views: Any, players: NDArray[Any], rows: NDArray[np.int64], nodes: NDArray[Any], actions: Any
    ) -> EarlierDecisions:
        """Return decisions at nodes of the tree with the cards that the views of `rows` show."""
        tables = self._tables[nodes].copy()
        seen = views[rows]
        num_cards, first_board_card = game.config.num_hole_cards, int(seen["first_board_card"][0])
        seats = _seats_of(seen)
        for k in range(num_cards):
            hole_cards = seen["deck"][np.arange(len(rows)), seats * num_cards + k]
            tables["deck"][np.arange(len(rows)), players[rows].astype(np.int64) * num_cards + k] = hole_cards
        tables["deck"][:, first_board_card:] = seen["deck"][:, first_board_card:]
        numbers = np.arange(len(rows))
        return EarlierDecisions(rows, decisions_at(game, tables, numbers, numbers, np.full(len(rows), 0.5)), actions)


def has_own_history(game: Game) -> bool:
    """Return True for heads-up limit games."""
    return is_two_player_limit(game.config)


def _seats_of(views: Any) -> NDArray[np.int64]:
    return np.asarray(views["actor"], np.int64)
