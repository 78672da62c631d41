"""The betting of a two-player no-limit or pot-limit game with a bet menu as a tree of decisions.

The tree is grown by playing the game through all sequences of the menu's actions. A table record does not hold the
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

from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MENU_CHIPS, MENU_POT, RECENT_ACTIONS
from card_envs.rng import splitmix64

NUM_PLAYERS = 2
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
    """(states,): the `hash_betting` of each information state, ascending."""
    states: NDArray[np.int64]
    """(states,): information state of each key."""
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
        keys = np.empty(len(views), np.uint64)
        write_keys(views, keys)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.states[places], -1)


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
        decisions, buckets, keys[first], np.arange(len(first)), first, int(blocks.sum()), int(blocks[~is_last].sum()),
        depth,
    )  # fmt: skip


@cache
def _grow(config: HoldemConfig) -> tuple[np.ndarray[Any, np.dtype[Any]], NDArray[np.uint64], int]:
    """Return the decisions without states and offsets, their keys, and the largest number of decisions in a hand."""
    levels = _levels(config)
    sizes = _subtree_sizes(levels)
    total = int(sizes[0].sum())
    decisions, keys = np.zeros(total, DECISIONS), np.zeros(total, np.uint64)
    numbers = np.zeros(1, np.int64)
    for level, size in zip(levels, sizes, strict=True):
        here = decisions[numbers]
        for name in ("player", "street", "num_legal", "action", "kind", "stake", "size"):
            here[name] = getattr(level, name)
        here["end"] = numbers + size
        following = np.empty(len(level.parent_of_next), np.int64)
        begin = numbers[level.parent_of_next] + 1
        following[:] = begin + level.before_of_next
        here["child"][level.parent_of_next, level.place_of_next] = following
        decisions[numbers], keys[numbers] = here, level.keys
        numbers = following
    return decisions, keys, len(levels)


@dataclass(eq=False)
class _Level:
    """All decisions at one depth of the tree; fields as in `DECISIONS`."""

    player: NDArray[np.int64]
    street: NDArray[np.int64]
    num_legal: NDArray[np.int64]
    action: NDArray[np.int64]
    kind: NDArray[np.int64]
    stake: NDArray[np.float32]
    size: NDArray[np.float32]
    keys: NDArray[np.uint64]
    parent_of_next: NDArray[np.int64]
    """(n,): parent of each decision of the next level, as an index into this level."""
    place_of_next: NDArray[np.int64]
    """(n,): place of the action that leads there."""
    before_of_next: NDArray[np.int64]
    """(n,): number of decisions below the same parent that come before it."""


def _levels(config: HoldemConfig) -> list[_Level]:
    """Return all decisions, one level for each depth."""
    tables = config.new_tables(1)
    tables[0].button = NUM_PLAYERS - 1
    tables[0].deck[: config.num_dealt] = config.deck_cards[: config.num_dealt]
    kernels.deal_known(tables, 0, config.num_dealt)
    levels: list[_Level] = []
    while len(tables):
        num = len(tables)
        legal = tables["legal"].astype(np.int64)
        keys = np.empty(num, np.uint64)
        write_keys(tables, keys)
        level = _Level(
            player=tables["actor"].astype(np.int64),
            street=tables["street"].astype(np.int64),
            num_legal=np.zeros(num, np.int64),
            action=np.zeros((num, MAX_ACTIONS), np.int64),
            kind=np.zeros((num, MAX_ACTIONS), np.int64),
            stake=np.zeros((num, MAX_ACTIONS), np.float32),
            size=np.zeros((num, MAX_ACTIONS), np.float32),
            keys=keys,
            parent_of_next=np.empty(0, np.int64),
            place_of_next=np.empty(0, np.int64),
            before_of_next=np.empty(0, np.int64),
        )
        following = []
        for action in range(config.num_actions):
            rows = np.flatnonzero(legal >> action & 1)
            after = tables[rows]
            step_all(after, np.int64(action))
            place = level.num_legal[rows]
            level.action[rows, place] = action
            over, folded = after["is_over"] == 1, _is_folded(after)
            level.kind[rows, place] = np.where(over, np.where(folded, FOLDED, SHOWDOWN), DECISION)
            level.stake[rows, place] = np.where(over, after["hand_commit"][:, :NUM_PLAYERS].min(axis=1), 0)
            if action >= FIRST_RAISE_ACTION:
                level.size[rows, place] = raise_sizes(tables[rows], after)
            level.num_legal[rows] += 1
            following.append((rows[~over], place[~over], after[~over]))
        parents, places = (np.concatenate([part[k] for part in following]) for k in range(2))
        order = np.lexsort((places, parents))
        level.parent_of_next, level.place_of_next = parents[order], places[order]
        tables = np.concatenate([part[2] for part in following])[order]
        levels.append(level)
    return levels


def raise_sizes(tables: Tables, after: Tables) -> NDArray[np.float64]:
    """Return the sizes (n,) of raises, as fractions of the pot after calling; `after` are the tables after them."""
    seats = tables["actor"].astype(np.int64)
    owed = tables["current_bet"] - tables["street_commit"][np.arange(len(tables)), seats]
    paid = after["hand_commit"] - tables["hand_commit"]
    return np.asarray((paid[np.arange(len(tables)), seats] - owed) / (tables["pot"] + owed), np.float64)


def _is_folded(tables: Tables) -> NDArray[np.bool_]:
    """Return True (n,) for the tables at which all seats but one have folded."""
    left = tables["in_hand"].astype(np.int64)
    return np.asarray((left & (left - 1)) == 0)


def _subtree_sizes(levels: list[_Level]) -> list[NDArray[np.int64]]:
    """Return the subtree sizes of all decisions, by level, and write `before_of_next`."""
    sizes: list[NDArray[np.int64]] = []
    below = np.empty(0, np.int64)
    for level in reversed(levels):
        total = np.concatenate([[0], np.cumsum(below)])
        begin = np.searchsorted(level.parent_of_next, np.arange(len(level.player)))
        end = np.searchsorted(level.parent_of_next, np.arange(len(level.player)), side="right")
        level.before_of_next = total[:-1] - total[begin[level.parent_of_next]]
        below = 1 + total[end] - total[begin]
        sizes.append(below)
    return sizes[::-1]


@kernel
def step_all(tables: Any, action: Any) -> None:
    """Take an action, which must be legal, at every table."""
    for i in range(tables.shape[0]):
        kernels.step(tables, i, action)


@kernel
def write_keys(tables: Any, keys: Any) -> None:
    """Write the `hash_betting` of each table or view."""
    for j in range(tables.shape[0]):
        keys[j] = hash_betting(tables[j])


@kernel
def hash_betting(t: Any) -> Any:
    """Return a hash of the betting that a table or view holds: the last decisions, amounts and numbers of raises.

    Players are identified by the button, and cards are ignored.
    """
    button = np.int64(t.button)
    key = splitmix64(np.uint64(t.num_decisions) * np.uint64(8) + np.uint64(t.street))
    actor = 1 if t.actor == button else 0
    key = splitmix64(key ^ np.uint64(np.int64(t.legal) * 2 + actor))
    for player in range(NUM_PLAYERS):
        seat = button if player == 1 else 1 - button
        key = splitmix64(key ^ np.uint64(np.int64(t.hand_commit[seat]) << 32 | np.int64(t.street_commit[seat])))
    raises = np.int64(0)
    for street in range(4):
        raises = raises << 7 | np.int64(t.street_raises[street])
        first = np.int64(t.raiser[street, 0])
        raises = raises << 2 | (2 if first < 0 else np.int64(first == button))
    key = splitmix64(key ^ np.uint64(raises))
    kept = min(np.int64(t.num_decisions), np.int64(RECENT_ACTIONS))
    for back in range(1, kept + 1):
        ring = (np.int64(t.num_decisions) - back) % RECENT_ACTIONS
        move = np.int64(t.recent_move[ring])
        decision = (move & 3) * 2 + (1 if move >> 2 == button else 0)
        key = splitmix64(key ^ np.uint64(np.int64(t.recent_amount[ring]) << 8 | decision))
    return key
