"""The betting of a two-player limit game (`solvers.tree`) as records, and the node of a table.

Nodes are in depth-first order, so children come after their parents. A *player* is a position at the table: 0 is the
seat left of the button, 1 the button.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.tree import NUM_PLAYERS, BettingTree, deal_first, grow
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY

NUM_ACTIONS = 3
"""Fold, call, raise."""

NODE = np.dtype(
    (
        np.record,
        [
            ("player", np.int8),  # the player to act, NOBODY at a terminal node
            ("street", np.int8),
            ("folded", np.int8),  # at a terminal node: the player who folded, NOBODY at a showdown
            ("legal", np.int8),  # set of legal actions: bit a stands for action a
            ("child", np.int32, (NUM_ACTIONS,)),  # node after each action, -1 where it is illegal
            ("stake", np.int32),  # at a terminal node: chips that the loser pays
            ("first_row", np.int32),  # row of hand 0 in tables of strategies
        ],
    )
)
"""One node. Row first_row + h of a table of strategies belongs to hand h (a card or a bucket) at this decision."""


def is_two_player_limit(config: Any) -> bool:
    """Return True if the betting is a tree as `grow_tree` makes it, with at most three actions and no short stacks."""
    return (
        isinstance(config, HoldemConfig)
        and config.structure == "limit"
        and config.num_players == NUM_PLAYERS
        and config.max_raises is not None
        and config.profile.button_owes_small_blind
        and not config.profile.last_actor_opens
        and not config.profile.fold_when_free
    )


def grow_tree(config: HoldemConfig, hands: Sequence[int]) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the nodes (n,) of `NODE` of a game for which `is_two_player_limit` holds.

    Args:
        config: The game.
        hands: Number of hands (cards or buckets) on each street.
    """
    tree = _nodes_of(config).copy()
    rows = np.where(tree["player"] == NOBODY, 0, np.asarray(hands)[tree["street"]])
    tree["first_row"] = np.cumsum(rows) - rows
    return tree


@cache
def _nodes_of(config: HoldemConfig) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the nodes without `first_row`; the tree of limit hold'em takes some 50 ms."""
    tree = _grow(config)
    nodes = np.zeros(len(tree.player), NODE)
    for name in ("player", "street", "folded", "legal", "child"):
        nodes[name] = getattr(tree, name)
    nodes["stake"] = np.where(tree.player == NOBODY, tree.stake, 0)
    return nodes


def tables_at_nodes(config: HoldemConfig) -> Tables:
    """Return a table at each node of `grow_tree`, in their order; player p sits at seat p."""
    return _grow(config).tables


def _grow(config: HoldemConfig) -> BettingTree:
    return grow(deal_first(config.new_tables(1), config), NUM_ACTIONS)


def num_rows(tree: np.ndarray[Any, np.dtype[Any]], hands: Sequence[int]) -> int:
    """Return the number of rows of a table of strategies for the tree."""
    return int(np.asarray(hands)[tree["street"][tree["player"] != NOBODY]].sum())


def find_nodes(views: Tables, tree: np.ndarray[Any, np.dtype[Any]]) -> NDArray[np.int64]:
    """Return the numbers of the nodes (n,) at which the actors of tables or views decide."""
    nodes = np.empty(len(views), np.int64)
    write_nodes(views, tree, nodes)
    return nodes


@kernel
def write_nodes(views: Any, tree: Any, nodes: Any) -> None:
    """Write the result of `find_nodes`."""
    for j in range(views.shape[0]):
        nodes[j] = node_of(views[j], tree)


@kernel
def node_of(t: Any, tree: Any) -> Any:
    """Return the number of the node at which the actor of a table or view decides.

    A table holds no list of actions, but with two players the number of raises on each street and the seat of the first
    raise determine them: players take turns, and only a check can come before the first raise.
    """
    number = np.int64(0)
    for street in range(np.int64(t.street) + 1):
        raises = np.int64(t.street_raises[street])
        if raises > 0:
            number = _advance_to(tree, number, _player_of(t, np.int64(t.raiser[street, 0])))
            for _ in range(raises):
                number = np.int64(tree[number].child[FIRST_RAISE_ACTION])
        elif street < t.street:
            number = np.int64(tree[number].child[CALL_ACTION])
        if street < t.street:
            number = np.int64(tree[number].child[CALL_ACTION])
    return _advance_to(tree, number, _player_of(t, np.int64(t.actor)))


@kernel
def _player_of(t: Any, seat: Any) -> Any:
    """Return the player who sits at a seat."""
    return 1 if seat == t.button else 0


@kernel
def _advance_to(tree: Any, number: Any, player: Any) -> Any:
    """Return the node if it is the player's turn there, else the node after a check or call."""
    return number if tree[number].player == player else np.int64(tree[number].child[CALL_ACTION])
