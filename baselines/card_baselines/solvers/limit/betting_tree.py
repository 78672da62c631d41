"""The betting of a two-player limit game as a tree, which does not depend on the cards.

Nodes are in depth-first order, so children come after their parents. A *player* is a position at the table: 0 is the
seat left of the button, 1 the button.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import ILLEGAL, Tables
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY

NUM_PLAYERS = 2
NUM_ACTIONS = 3
"""Fold, call, raise."""

NODE = np.dtype(
    (
        np.record,
        [
            ("player", np.int8),  # the player to act, NOBODY at a terminal node
            ("street", np.int8),
            ("folded", np.int8),  # at a terminal node: the player who folded, NOBODY at a showdown
            ("num_legal", np.int8),
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
    """Return the nodes without `first_row`; the tree of limit hold'em takes half a second."""
    nodes: list[np.ndarray[Any, np.dtype[Any]]] = []
    _grow(_first_table(config), nodes)
    return np.concatenate(nodes)


def tables_at_nodes(config: HoldemConfig) -> Tables:
    """Return a table at each node of `grow_tree`, in their order; player p sits at seat p."""
    tables = _first_table(config)
    found: list[Tables] = []

    def visit(table: Tables) -> None:
        found.append(table)
        for action in range(NUM_ACTIONS):
            after = table.copy()
            if not table[0].is_over and kernels.step(after, 0, action) != ILLEGAL:
                visit(after)

    visit(tables)
    return np.concatenate(found)


def _first_table(config: HoldemConfig) -> Tables:
    """Return one table before its first decision, at which player p sits at seat p."""
    tables = config.new_tables(1)
    tables[0].button = NUM_PLAYERS - 1
    tables[0].deck[: config.num_dealt] = config.deck_cards[: config.num_dealt]
    kernels.deal_known(tables, 0, config.num_dealt)
    return tables


def num_rows(tree: np.ndarray[Any, np.dtype[Any]], hands: Sequence[int]) -> int:
    """Return the number of rows of a table of strategies for the tree."""
    return int(np.asarray(hands)[tree["street"][tree["player"] != NOBODY]].sum())


def _grow(tables: Any, nodes: list[np.ndarray[Any, np.dtype[Any]]]) -> int:
    """Append the node of the betting at tables[0] and all nodes below it; return its number."""
    number, t = len(nodes), tables[0]
    node = np.zeros(1, NODE)
    nodes.append(node)
    node["player"], node["street"], node["folded"], node["child"] = t.actor, t.street, NOBODY, -1
    if t.is_over:
        folded = [seat for seat in range(NUM_PLAYERS) if not has(t.in_hand, seat)]
        node["folded"] = folded[0] if folded else NOBODY
        node["stake"] = min(t.hand_commit[:NUM_PLAYERS])
        return number
    for action in range(NUM_ACTIONS):
        after = tables.copy()
        if kernels.step(after, 0, action) != ILLEGAL:
            node["child"][0, action] = _grow(after, nodes)
            node["num_legal"] += 1
    return number


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
