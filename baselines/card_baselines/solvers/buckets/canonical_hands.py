"""Hands of flop hold'em up to suit isomorphism: buckets that lose nothing.

Before the flop they are the 169 starting hands. On the flop, hands of different flops are in different buckets, and two
hands on one flop share a bucket if suits can be renamed so that the flop stays the same and one hand becomes the other:
1,286,792 buckets in all, numbered by flop and strength.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import NUM_STARTING_HANDS, STARTING_HANDS
from card_baselines.solvers.buckets.suit_isomorphism import SUIT_ORDERS, canonical_boards, rename_suits
from card_baselines.solvers.hands import FIRST_BOARD_CARD, HAND_CARDS, BoardHands, find_own_cards
from card_envs.cards import DECK_SIZE
from card_envs.game import Tables
from card_envs.poker.hands import HOLE_CARDS, NUM_HANDS, hand_numbers
from card_envs.typing import Integers

NUM_FLOP_HANDS = 1_286_792
"""Number of hands on all flops up to suit isomorphism."""
_FLOP_CARDS = 3


class FlopHands(NamedTuple):
    """The hands on all canonical flops."""

    bucket: NDArray[np.int32]
    """(flops, 1326): bucket of each hand; 0 where they share a card."""
    flop: Integers
    """(buckets,): flop of each bucket."""
    hand: Integers
    """(buckets,): number of one of its hands."""
    num_hands: Integers
    """(buckets,): number of its hands."""


class CanonicalHands:
    """The buckets, and their lookup at tables and on boards."""

    @property
    def hands_by_street(self) -> list[int]:
        """Number of buckets on each street."""
        return [NUM_STARTING_HANDS, NUM_FLOP_HANDS]

    def find(self, views: Tables) -> Integers:
        """Return the buckets (n,) of the actors' hands."""
        deck = views["deck"][:, : FIRST_BOARD_CARD + _FLOP_CARDS].astype(np.int64)
        hands = find_own_cards(views, HOLE_CARDS)
        buckets, late = STARTING_HANDS[hand_numbers(hands)], np.flatnonzero(views["street"])
        if len(late):
            classes, suits = canonical_boards(_FLOP_CARDS).find(deck[late, FIRST_BOARD_CARD:])
            buckets[late] = list_flop_hands().bucket[classes, hand_numbers(rename_suits(hands[late], suits))]
        return buckets

    def hands_on(self, board: Integers) -> Integers:
        """Return the bucket (1326,) of each hand on a board; those of hands that share a card with it are undefined."""
        if not len(board):
            return STARTING_HANDS
        classes, suits = canonical_boards(_FLOP_CARDS).find(board[None])
        return np.asarray(
            list_flop_hands().bucket[classes[0], hand_numbers(rename_suits(HAND_CARDS, suits[0]))], np.int64
        )


@cache
def list_flop_hands() -> FlopHands:
    """Return the hands on all canonical flops up to suit isomorphism, which takes some seconds."""
    flops, deck = canonical_boards(_FLOP_CARDS).boards, np.arange(DECK_SIZE)
    renamed = np.array([hand_numbers(rename_suits(HAND_CARDS, suits)) for suits in SUIT_ORDERS])
    bucket, begin = np.zeros((len(flops), NUM_HANDS), np.int32), 0
    parts: list[tuple[Integers, ...]] = []
    for k, flop in enumerate(flops):
        keeps = [np.array_equal(np.sort(rename_suits(flop, suits)), flop) for suits in SUIT_ORDERS]
        hands = BoardHands(flop, deck).numbers
        lowest = renamed[keeps][:, hands].min(axis=0)  # of all hands that each becomes
        found, first, which, count = np.unique(lowest, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first)
        bucket[k, hands] = begin + np.argsort(order)[which]
        begin += len(found)
        parts.append((np.full(len(found), k), found[order], count[order]))
    return FlopHands(bucket, *(np.concatenate(each) for each in zip(*parts, strict=True)))
