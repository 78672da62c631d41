"""Computation of the tables behind `poker.percentiles`, which ship as one file.

All counts are exact. Hands of five, six and seven cards are enumerated. Every starting hand is compared with every
other one on every board. Boards that a permutation of the suits turns into each other are evaluated once and weighted
by their number: 134,459 of 2,598,960 boards remain.

`python -m card_envs.poker.percentile_tables` computes the tables in about twenty seconds and writes the file.
"""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, RANKS
from card_envs.compiler import kernel
from card_envs.poker.hands import BOARD_SIZE
from card_envs.poker.pinned_tables import load_pinned, write_pinned
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, WORST_RANK, rank_of

TABLE_FILE = Path(__file__).with_suffix(".npz")
TABLE_SHA256 = "c21dc835a05a6bac1c5b6c5e4661d3bc70200833d10be4b62ec0d897e470a5cc"
"""Hash of the content of `TABLE_FILE`. It is part of the source so that new tables also start a new kernel cache."""

HAND_SIZES = (5, 6, 7)
NUM_RANKS = len(RANKS)
MATCHUPS = comb(DECK_SIZE - 2, BOARD_SIZE) * comb(DECK_SIZE - 2 - BOARD_SIZE, 2)
"""Number of boards times opponent's hands for one starting hand: 2,097,572,400."""

_PAIRS = comb(DECK_SIZE - BOARD_SIZE, 2)
_PAIR_BITS = 12  # enough to number a board's 1,081 starting hands, two cards of six bits each


class Tables(NamedTuple):
    """Lookup tables of `poker.percentiles`. A starting hand has the index [first rank, second rank], 0..12 = 2..A.

    Suited hands have the higher rank first, others the lower rank (13 pairs, 78 suited, 78 offsuit).
    """

    hand_counts: NDArray[np.int64]
    """(3, 7463) number of hands of 5, 6 and 7 cards that have each rank; [:, 0] is 0."""
    starting_wins: NDArray[np.int64]
    """(13, 13) number of the `MATCHUPS` that a starting hand wins, all-in before the flop against a random hand."""
    starting_ties: NDArray[np.int64]
    """(13, 13) number of the `MATCHUPS` that it ties."""


def load() -> Tables:
    """Return the shipped tables; ValueError if the file is not the one that this version was built with."""
    return load_pinned(Tables, TABLE_FILE, TABLE_SHA256, "card_envs.poker.percentile_tables")


def build() -> Tables:
    """Compute the tables. Without compiled kernels this would take days."""
    hand_counts = np.zeros((len(HAND_SIZES), WORST_RANK + 1), np.int64)
    for counts, size in zip(hand_counts, HAND_SIZES, strict=True):
        count_ranks(counts, np.arange(size))
    wins, ties = np.zeros((2, NUM_RANKS, NUM_RANKS), np.int64)
    boards, occurrences = different_boards()
    play_boards(boards, occurrences, np.empty(_PAIRS, np.int64), wins, ties)
    combos = np.where(np.eye(NUM_RANKS, dtype=bool), 6, np.where(np.tri(NUM_RANKS, dtype=bool), 4, 12))
    return Tables(hand_counts, wins // combos, ties // combos)


@kernel
def count_ranks(counts: Any, hand: Any) -> None:
    """Add to counts[rank] the number of hands of len(hand) cards with this rank.

    `hand` is scratch space that must hold the first hand: cards 0, 1, 2 and so on.
    """
    last = len(hand) - 1
    while True:
        key, bits = np.int64(0), np.int64(0)
        for k in range(last):
            key += CARD_KEYS[hand[k]]
            bits |= CARD_BITS[hand[k]]
        for card in range(hand[last - 1] + 1, DECK_SIZE):
            counts[rank_of(key + CARD_KEYS[card], bits | CARD_BITS[card])] += 1
        k = last - 1
        while k >= 0 and hand[k] == DECK_SIZE - 1 - (last - k):
            k -= 1
        if k < 0:
            return
        hand[k] += 1
        for j in range(k + 1, last):
            hand[j] = hand[j - 1] + 1


def different_boards() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return boards (N, 5) that no permutation of suits turns into each other, and how many boards each represents."""
    cards = chain.from_iterable(combinations(range(DECK_SIZE), BOARD_SIZE))
    boards = np.fromiter(cards, np.int64).reshape(-1, BOARD_SIZE)
    ranks_of_suit = np.zeros((len(boards), 4), np.int64)
    for card in boards.T:
        ranks_of_suit[np.arange(len(boards)), card % 4] |= 1 << (card // 4)
    ranks_of_suit.sort(axis=1)
    names = ranks_of_suit @ (1 << (NUM_RANKS * np.arange(4)))
    _, firsts, occurrences = np.unique(names, return_index=True, return_counts=True)
    return boards[firsts], occurrences


@kernel
def play_boards(boards: Any, occurrences: Any, order: Any, wins: Any, ties: Any) -> None:
    """Add to `wins` and `ties` the number of opponents' hands that each starting hand beats and ties on `boards`.

    `order` is scratch space for the hands of two cards that a board leaves, sorted by rank, the best first.
    """
    below_with, equal_with = np.zeros(DECK_SIZE, np.int64), np.zeros(DECK_SIZE, np.int64)
    for i in range(len(boards)):
        _rank_starting_hands(boards[i], order)
        order.sort()
        below_with[:] = 0
        below, end = 0, _PAIRS
        while end > 0:
            rank = order[end - 1] >> _PAIR_BITS
            begin = end
            while begin > 0 and order[begin - 1] >> _PAIR_BITS == rank:
                begin -= 1
                equal_with[_first(order[begin])] += 1
                equal_with[_second(order[begin])] += 1
            for k in range(begin, end):
                a, b = _first(order[k]), _second(order[k])
                place = _place(a, b)
                # hands that share a card with this one are not opponents; the hand itself is among the equal ones
                wins[place] += occurrences[i] * (below - below_with[a] - below_with[b])
                ties[place] += occurrences[i] * (end - begin - equal_with[a] - equal_with[b] + 1)
            below += end - begin
            below_with += equal_with
            equal_with[:] = 0
            end = begin


@kernel
def _rank_starting_hands(board: Any, order: Any) -> None:
    key, bits = np.int64(0), np.int64(0)
    for card in board:
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    count = 0
    for a in range(DECK_SIZE):
        for b in range(a):
            if (CARD_BITS[a] | CARD_BITS[b]) & bits == 0:
                rank = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
                order[count] = rank << _PAIR_BITS | a << 6 | b
                count += 1


@kernel
def _first(entry: Any) -> Any:
    return (entry >> 6) & 63


@kernel
def _second(entry: Any) -> Any:
    return entry & 63


@kernel
def _place(a: Any, b: Any) -> Any:
    high, low = max(a >> 2, b >> 2), min(a >> 2, b >> 2)
    return (high, low) if a & 3 == b & 3 else (low, high)


if __name__ == "__main__":
    write_pinned(TABLE_FILE, build())
