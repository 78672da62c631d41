"""The betting of a two-player no-limit or pot-limit game with a bet menu as a tree of decisions.

The tree is that of `solvers.tree`. A table record does not hold the
whole betting of long hands: it has the last eight decisions, the amounts put in and the number of raises. Decisions
that a record cannot distinguish share an *information state*, that is, their rows in tables of strategies: the
abstraction has imperfect recall.

Decisions are in depth-first order. A *player* is a position at the table: 0 is the seat left of the button, 1 the
button.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.tree import NUM_PLAYERS, deal_first, find_keys, find_sorted, grow
from card_envs.game import NOBODY, Tables
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MENU_CHIPS, MENU_POT

MAX_ACTIONS = 8
"""Largest number of actions of a menu."""
DECISION, FOLDED, SHOWDOWN = 0, 1, 2
"""Results of an action: another decision, the end of the hand by a fold, or by a showdown."""

DECISIONS = np.dtype(
    (
        np.record,
        [
            ("player", np.int64),
            ("street", np.int64),
            ("num_legal", np.int64),
            ("end", np.int64),  # number of the decision after the subtree of this one
            ("state", np.int64),  # information state
            ("offset", np.int64),  # start in tables of strategies of num_legal blocks, each with a number per bucket
            ("action", np.int64, (MAX_ACTIONS,)),  # ids of the legal actions; their index is called place below
            ("kind", np.int64, (MAX_ACTIONS,)),  # result of the action at each place
            ("child", np.int64, (MAX_ACTIONS,)),  # number of the next decision
            ("stake", np.float32, (MAX_ACTIONS,)),  # at the end of the hand: chips that the loser pays
            ("size", np.float32, (MAX_ACTIONS,)),  # size of a raise, as a fraction of the pot after calling
        ],
    )
)


@dataclass(frozen=True, eq=False)
class MenuTree:
    """The decisions of a game, and the layout of tables of strategies."""

    decisions: np.ndarray[Any, np.dtype[Any]]
    """(decisions,) of `DECISIONS`."""
    num_buckets: NDArray[np.int64]
    """(streets,): number of buckets on each street."""
    keys: NDArray[np.uint64]
    """(states,): the `tree.hash_betting` of each information state, ascending."""
    first: NDArray[np.int64]
    """(states,): a decision of each information state."""
    size: int
    """Length of a table of strategies."""
    early_size: int
    """Length of its first part, which holds the decisions before the last street."""
    depth: int
    """Largest number of decisions in a hand."""

    @property
    def last_street(self) -> int:
        """Number of the last street."""
        return len(self.num_buckets) - 1

    def find_states(self, views: Tables) -> NDArray[np.int64]:
        """Return the information states (n,) of the actors of tables or views, -1 where the tree has none."""
        return find_sorted(self.keys, find_keys(views))


def is_two_player_menu(config: Any) -> bool:
    """Return True if `grow_menu_tree` accepts a game: two players with equal stacks and a menu of at most 8 actions."""
    return (
        isinstance(config, HoldemConfig)
        and config.structure in ("no_limit", "pot_limit")
        and config.num_players == NUM_PLAYERS
        and len(set(config.stack_list)) == 1
        and config.menu.kind in (MENU_POT, MENU_CHIPS)
        and config.num_actions <= MAX_ACTIONS
        and config.profile.button_owes_small_blind
        and not config.profile.last_actor_opens
    )


def grow_menu_tree(config: HoldemConfig, num_buckets: Sequence[int]) -> MenuTree:
    """Return the tree of a game for which `is_two_player_menu` holds, with num_buckets[s] buckets on street s."""
    grown, keys, depth = _grow(config)
    decisions, buckets = grown.copy(), np.asarray(num_buckets, np.int64)
    _, first, states = np.unique(keys, return_index=True, return_inverse=True)
    decisions["state"] = states
    blocks = (decisions["num_legal"] * buckets[decisions["street"]])[first]
    is_last = (decisions["street"] == len(buckets) - 1)[first]
    order = np.lexsort((first, is_last))
    offsets = np.empty(len(first), np.int64)
    offsets[order] = np.cumsum(blocks[order]) - blocks[order]
    decisions["offset"] = offsets[states]
    return MenuTree(
        decisions, buckets, keys[first], first, int(blocks.sum()), int(blocks[~is_last].sum()),
        depth,
    )  # fmt: skip


@cache
def _grow(config: HoldemConfig) -> tuple[np.ndarray[Any, np.dtype[Any]], NDArray[np.uint64], int]:
    """Return the decisions without states and offsets, their keys, and the largest number of decisions in a hand."""
    tree = grow(deal_first(config.new_tables(1), config), config.num_actions)
    nodes = tree.decisions
    number_of = np.full(len(tree.player) + 1, len(nodes))
    number_of[:-1] = np.searchsorted(nodes, np.arange(len(tree.player)))
    found = np.zeros(len(nodes), DECISIONS)
    bets = tree.read("actor", "current_bet", "street_commit", "hand_commit", "pot")
    found["player"], found["street"], found["end"] = tree.player[nodes], tree.street[nodes], number_of[tree.end[nodes]]
    depth = np.ones(len(nodes), np.int64)
    for action in range(config.num_actions):
        rows = np.flatnonzero(tree.child[nodes, action] >= 0)
        after, place = tree.child[nodes[rows], action], found["num_legal"][rows]
        is_over, is_fold = tree.player[after] == NOBODY, tree.folded[after] != NOBODY
        found["action"][rows, place] = action
        found["kind"][rows, place] = np.where(is_over, np.where(is_fold, FOLDED, SHOWDOWN), DECISION)
        found["stake"][rows, place] = np.where(is_over, tree.stake[after], 0)
        found["child"][rows, place] = np.where(is_over, 0, number_of[after])
        if action >= FIRST_RAISE_ACTION:
            found["size"][rows, place] = raise_sizes(bets[nodes[rows]], bets[after])
        found["num_legal"][rows] += 1
    for number, parent in enumerate(number_of[tree.parent[nodes[1:]]].tolist(), 1):
        depth[number] = depth[parent] + 1
    keys = np.concatenate([find_keys(level) for level in tree.levels])[np.argsort(tree.level_order)]
    return found, keys[nodes], int(depth.max())


def raise_sizes(tables: Tables, after: Tables) -> NDArray[np.float64]:
    """Return the sizes (n,) of raises, as fractions of the pot after calling; `after` are the tables after them."""
    seats = tables["actor"].astype(np.int64)
    owed = tables["current_bet"] - tables["street_commit"][np.arange(len(tables)), seats]
    paid = after["hand_commit"] - tables["hand_commit"]
    return np.asarray((paid[np.arange(len(tables)), seats] - owed) / (tables["pot"] + owed), np.float64)
