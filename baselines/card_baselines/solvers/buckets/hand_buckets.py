"""Buckets by the distribution of equity, an imperfect-recall abstraction of Texas hold'em.

Before the flop the buckets are the 169 starting hands. On flop and turn, hands with similar distributions of their
equity on the river share a bucket; the distance is the Euclidean distance of cumulative histograms. On the river,
hands with similar equities against eight groups of starting hands share one (opponent cluster hand strength). Johanson,
Burch, Valenzano and Bowling (AAMAS 2013), Evaluating state-space abstractions in extensive-form games, compare such
abstractions.

Flop hands are looked up in a table with a row for each canonical flop. Turn and river hands go to the nearest centre of
a tree of two levels; their features are exact, so a hand is always in the same bucket. `clustering` computes them.
`BoardBuckets` has the buckets of all hands on a board of five cards, on every street, for solvers that draw boards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.suit_isomorphism import board_number, canonical_boards, rename_suit
from card_baselines.solvers.hands import (
    HAND_CARDS,
    RANKED,
    rank_hands,
    sum_folds_by_column,
    sum_showdowns,
    sum_showdowns_by_column,
)
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.hands import BOARD_SIZE, NUM_HANDS, hand_number
from card_envs.poker.starting_hands import starting_hand

NUM_STARTING_HANDS = 169
CANONICAL_FLOPS = 1755
"""Number of flops that differ in more than the names of suits."""
NUM_BINS = 20
"""Number of bins of the histograms of equity."""
NUM_GROUPS = 8
"""Number of groups of starting hands against which the equity of river hands is computed."""
MAX_WIDTH = 256
"""Largest square root of the number of buckets on a street: tables hold the numbers of buckets in 16 bits."""
_ONES: NDArray[np.float32] = np.ones(NUM_GROUPS, np.float32)
_OPPONENTS = 990  # hands that an opponent can hold on the river, given the own hand

STARTING_HANDS: NDArray[np.int64] = np.array([starting_hand(a, b) for a, b in HAND_CARDS.tolist()], np.int64)
"""(1326,) the starting hand (0..168) of every hand."""
PREFLOP, FLOP, TURN, RIVER = range(4)


@dataclass(frozen=True, eq=False)
class HandBuckets:
    """Tables that assign hands to buckets."""

    flop: NDArray[np.uint16]
    """(1755, 1326): bucket of each hand on each canonical flop; 0 where they share a card."""
    turn: NDArray[np.float32]
    """(1 + width, features, width): tree of centres. If centre k of row 0 is nearest, row 1 + k holds its children."""
    river: NDArray[np.float32]
    """(1 + width, NUM_GROUPS, width): tree of centres, as for the turn."""
    groups: NDArray[np.int64]
    """(169,): group of each starting hand."""

    def __post_init__(self) -> None:
        """Raise ValueError for arrays of other types, shapes or ranges: kernels look things up without checks."""
        width = self.turn.shape[2] if self.turn.ndim == 3 else 0
        wanted = {
            "flop": (np.uint16, (CANONICAL_FLOPS, len(HAND_CARDS))),
            "turn": (np.float32, (1 + width, NUM_BINS - 1, width)),
            "river": (np.float32, (1 + self.river.shape[-1], NUM_GROUPS, self.river.shape[-1])),
            "groups": (np.int64, (NUM_STARTING_HANDS,)),
        }
        for name, (dtype, shape) in wanted.items():
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != shape or not array.size:
                raise ValueError(
                    f"buckets: {name} is {array.dtype} of shape {array.shape}, not {dtype.__name__} of {shape}"
                )
        if (widest := max(width, self.river.shape[-1])) > MAX_WIDTH:
            raise ValueError(f"buckets: width {widest} is larger than {MAX_WIDTH}")
        if not (np.isfinite(self.turn).all() and np.isfinite(self.river).all()):
            raise ValueError("buckets: centres of the turn or the river are NaN or infinite")
        if self.groups.min() < 0 or self.groups.max() >= NUM_GROUPS:
            raise ValueError(f"buckets: groups must be 0 .. {NUM_GROUPS - 1}")

    @property
    def hands_by_street(self) -> list[int]:
        """Number of buckets on each street."""
        return [NUM_STARTING_HANDS, int(self.flop.max()) + 1, *(tree.shape[2] ** 2 for tree in (self.turn, self.river))]


def sort_buckets(buckets: HandBuckets) -> HandBuckets:
    """Return the same turn and river buckets, numbered by strength: strategies then compress better."""
    return replace(buckets, turn=_sort_centres(buckets.turn), river=_sort_centres(buckets.river))


def _sort_centres(tree: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a tree of centres (1 + width, features, width) in the order of the sums of their features."""
    groups = np.argsort(tree[0].sum(axis=0), kind="stable")
    below = [tree[1 + group][:, np.argsort(tree[1 + group].sum(axis=0), kind="stable")] for group in groups]
    return np.stack([tree[0][:, groups], *below])


@kernel
def nearest(tree: Any, features: Any, row: Any, distances: Any) -> Any:
    """Return the bucket of `features[row]`; `distances` (width,) is scratch space."""
    group = _nearest_centre(tree, np.int64(0), features, row, distances)
    return group * tree.shape[2] + _nearest_centre(tree, group + 1, features, row, distances)


@kernel
def _nearest_centre(tree: Any, node: Any, features: Any, row: Any, distances: Any) -> Any:
    """Return the index of the nearest centre of one node of the tree."""
    for k in range(tree.shape[2]):
        distances[k] = 0
    for d in range(tree.shape[1]):
        feature = features[row, d]
        for k in range(tree.shape[2]):
            apart = tree[node, d, k] - feature
            distances[k] += apart * apart
    best = np.int64(0)
    for k in range(1, tree.shape[2]):
        if distances[k] < distances[best]:
            best = np.int64(k)
    return best


# --- all hands of a board -------------------------------------------------------------------------------------------


@kernel
def count_equities(ranked: Any, ones: Any, sums: Any, values: Any, counts: Any) -> None:
    """Add 1 to the bin of each hand's equity on a whole board, in `counts` (1326, NUM_BINS).

    `ones` (1326,) float32 holds ones; `sums` (53,) and `values` (1326,) are scratch space.
    """
    sum_showdowns(ranked, ranked.num_hands, ones, np.float32(1), sums, values)
    for h in range(ranked.num_hands):
        counts[ranked.number[h], equity_bin(np.int64(values[h]))] += 1


@kernel
def equity_bin(wins_less_losses: Any) -> Any:
    """Return the bin of a river hand, 0 .. NUM_BINS - 1."""
    return (wins_less_losses + _OPPONENTS) * NUM_BINS // (2 * _OPPONENTS + 1)


@kernel
def cumulate(counts: Any, row: Any, features: Any, target: Any) -> None:
    """Write the cumulative histogram of `counts[row]` to `features[target]`, without its last entry, which is 1."""
    total = np.int64(0)
    for k in range(NUM_BINS):
        total += counts[row, k]
    below = np.int64(0)
    for k in range(NUM_BINS - 1):
        below += counts[row, k]
        features[target, k] = np.float32(below) / np.float32(total)


@kernel
def compare_with_groups(ranked: Any, groups: Any, members: Any, sums: Any, values: Any, features: Any) -> None:
    """Write the equities, -1 to 1, of each ranked hand against the groups of starting hands to `features`.

    `groups` (169,) is the group of each starting hand; `members` (1326, NUM_GROUPS), `values` (2, 1326, NUM_GROUPS) and
    `sums` (53, NUM_GROUPS) are scratch space of float32.
    """
    for h in range(ranked.num_hands):
        for k in range(NUM_GROUPS):
            members[h, k] = 0
        members[h, groups[STARTING_HANDS[ranked.number[h]]]] = 1
    sum_showdowns_by_column(ranked, ranked.num_hands, members, _ONES, sums, values[0])
    sum_folds_by_column(ranked, ranked.num_hands, members, _ONES, sums, values[1])
    for h in range(ranked.num_hands):
        for k in range(NUM_GROUPS):
            met = values[1, h, k]
            features[h, k] = values[0, h, k] / met if met > 0 else np.float32(0)


class BoardBuckets:
    """The hands that can be held with a board of five cards, weakest first, and their buckets on every street."""

    def __init__(self, buckets: HandBuckets, turn: NDArray[np.uint16]) -> None:
        """Allocate arrays; `turn` (16432, 1326) is the table of `clustering.turn_table`. Call `set_board` next."""
        self.buckets, self._turn = buckets, turn
        self.ranked = np.zeros(1, RANKED)
        self.rows = np.zeros((4, NUM_HANDS), np.int64)
        """(streets, 1326): bucket of the hand at each place."""
        self._members = np.zeros((NUM_HANDS, NUM_GROUPS), np.float32)
        self._sums = np.zeros((DECK_SIZE + 1, NUM_GROUPS), np.float32)
        self._values = np.zeros((2, NUM_HANDS, NUM_GROUPS), np.float32)
        self._features = np.zeros((NUM_HANDS, NUM_GROUPS), np.float32)
        self._distances = np.zeros(buckets.river.shape[2], np.float32)

    def copy(self) -> BoardBuckets:
        """Return an object for the same buckets and other boards."""
        return BoardBuckets(self.buckets, self._turn)

    @property
    def num_buckets(self) -> list[int]:
        """Number of buckets on each street."""
        return self.buckets.hands_by_street

    @property
    def num_hands(self) -> int:
        """Number of hands that can be held with the board."""
        return int(self.ranked[0].num_hands)

    def draw(self, rng: np.random.Generator) -> None:
        """Draw a board of five cards at random."""
        self.set_board(rng.choice(DECK_SIZE, BOARD_SIZE, replace=False))

    def set_board(self, board: NDArray[np.int64]) -> None:
        """Compute ranks and buckets on a board of five cards, the first three of which are the flop."""
        rank_hands(board, self.ranked[0])
        rows, buckets = self.rows, self.buckets
        num = self.num_hands
        rows[PREFLOP, :num] = STARTING_HANDS[self.ranked[0].number[:num]]
        for street, table in ((FLOP, buckets.flop), (TURN, self._turn)):
            canonical = canonical_boards(street + 2)
            look_up(self.ranked[0], board, street + 2, canonical.class_of, canonical.suit_order, table, rows, street)
        work = self._members, self._sums, self._values, self._features
        compare_with_groups(self.ranked[0], buckets.groups, *work)
        assign_all(buckets.river, self._features, num, self._distances, rows, RIVER)


@kernel
def look_up(
    ranked: Any, board: Any, num_cards: Any, class_of: Any, suit_order: Any, table: Any, rows: Any, street: Any
) -> None:
    """Write the buckets of all hands on the first cards of a board, from a table by class of canonical boards."""
    number = board_number(board, 0, num_cards)
    row, order = class_of[number], suit_order[number]
    for h in range(ranked.num_hands):
        a, b = rename_suit(ranked.first[h], order), rename_suit(ranked.second[h], order)
        rows[street, h] = table[row, hand_number(a, b)]


@kernel
def assign_all(tree: Any, features: Any, num: Any, distances: Any, rows: Any, street: Any) -> None:
    """Write the nearest buckets of the first `num` features."""
    for h in range(num):
        rows[street, h] = nearest(tree, features, h, distances)
