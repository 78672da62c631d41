"""The buckets of all hands on a board of five cards, on every street: for solvers that draw boards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import (
    NUM_GROUPS,
    STARTING_HANDS,
    HandBuckets,
    compare_with_groups,
    nearest,
)
from card_baselines.solvers.buckets.suit_isomorphism import board_number, canonical_boards, rename_suit
from card_baselines.solvers.hands import RANKED, WHOLE_BOARD, rank_hands
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.hands import NUM_HANDS, hand_number

PREFLOP, FLOP, TURN, RIVER = range(4)


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
        self.set_board(rng.choice(DECK_SIZE, WHOLE_BOARD, replace=False))

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
