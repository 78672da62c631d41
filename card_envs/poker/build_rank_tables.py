"""Computation of the lookup tables of `rank_tables`: `python -m card_envs.poker.build_rank_tables` writes the file.

The sums of keys are too sparse for a plain array. They are split into rows (the low bits) and columns (the high bits),
and each row gets an offset at which none of its entries collides with another row (row displacement: Tarjan and Yao,
"Storing a sparse table", Communications of the ACM 22, 1979). It takes about a second.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from card_envs.poker.pinned_tables import write_pinned
from card_envs.poker.rank_tables import (
    LARGEST_HAND,
    RANK_KEYS,
    ROW_BITS,
    SMALLEST_HAND,
    SUM_BITS,
    TABLE_FILE,
    Tables,
)
from card_envs.typing import Integers

Strength: TypeAlias = tuple[int, ...]

_NUM_RANKS, _NUM_SUITS = 13, 4
_ACE, _FIVE = 12, 3
_WHEEL = {_ACE, 0, 1, 2, _FIVE}
_PATTERNS = ((1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), "straight", "flush", (3, 2), (4, 1), "straight flush")
"""Hand categories from weakest to strongest; a number is a group of so many cards of one rank."""


def build() -> Tables:
    """Compute the tables from the rules of poker; this takes about a second."""
    class_ranks = rank_classes()
    sums, ranks = ranks_by_sum(class_ranks)
    row_offsets, indices = displace_rows(sums)
    sum_ranks = np.zeros(row_offsets.max() + (1 << (SUM_BITS - ROW_BITS)), np.uint16)
    sum_ranks[indices] = ranks
    return Tables(flush_ranks_by_set(class_ranks), row_offsets, sum_ranks)


def strength(ranks: tuple[int, ...], same_suit: bool) -> Strength:
    """Return a tuple that orders hands of five cards: greater for better hands, equal for equal hands."""
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    pattern: tuple[int, ...] | str = tuple(count for count, _ in groups)
    tie_break = tuple(rank for _, rank in groups)
    if len(groups) == len(ranks):
        high = _FIVE if set(ranks) == _WHEEL else max(ranks)
        straight = high == _FIVE or high - min(ranks) == len(ranks) - 1
        if straight:
            tie_break = (high,)
        if straight or same_suit:
            pattern = "straight flush" if straight and same_suit else "straight" if straight else "flush"
    return (_PATTERNS.index(pattern), *tie_break)


def rank_classes() -> dict[Strength, int]:
    """Return the rank, 1 (royal flush) to 7462, of each strength that five cards can have."""
    offsuit = {strength(ranks, same_suit=False) for ranks in _hands(SMALLEST_HAND)}
    suited = {strength(ranks, same_suit=True) for ranks in combinations(range(_NUM_RANKS), SMALLEST_HAND)}
    return {found: rank for rank, found in enumerate(sorted(offsuit | suited, reverse=True), start=1)}


def ranks_by_sum(class_ranks: dict[Strength, int]) -> tuple[Integers, Integers]:
    """Return the sums of keys of all hands of 5, 6 and 7 cards, and their ranks where no flush is possible."""
    keys = np.array(RANK_KEYS)
    hands = _hands(SMALLEST_HAND)
    sums = keys[np.array(hands)].sum(axis=1)
    ranks = np.array([class_ranks[strength(hand, same_suit=False)] for hand in hands])
    all_sums, all_ranks = [sums], [ranks]
    for size in range(SMALLEST_HAND + 1, LARGEST_HAND + 1):
        order = np.argsort(sums)
        smaller_sums, smaller_ranks = sums[order], ranks[order]
        card_keys = keys[np.array(_hands(size))]
        sums = card_keys.sum(axis=1)
        one_card_less = sums[:, np.newaxis] - card_keys
        ranks = smaller_ranks[np.searchsorted(smaller_sums, one_card_less)].min(axis=1)
        all_sums.append(sums)
        all_ranks.append(ranks)
    return np.concatenate(all_sums), np.concatenate(all_ranks)


def flush_ranks_by_set(class_ranks: dict[Strength, int]) -> NDArray[np.uint16]:
    """Return `Tables.flush_ranks`. Seven cards with a flush contain neither four of a kind nor a full house."""
    table = np.zeros(1 << _NUM_RANKS, np.uint16)
    for size in range(SMALLEST_HAND, LARGEST_HAND + 1):
        for ranks in combinations(range(_NUM_RANKS), size):
            fives = combinations(ranks, SMALLEST_HAND)
            table[sum(1 << rank for rank in ranks)] = min(class_ranks[strength(five, same_suit=True)] for five in fives)
    return table


def displace_rows(sums: Integers) -> tuple[NDArray[np.int32], Integers]:
    """Return the offset of every row and the index of every sum, such that no two sums have the same index.

    Rows with more entries are placed first, each at the lowest offset that fits. One long integer holds the set of
    taken indices: `taken >> column` has a bit at each offset where that column would collide.
    """
    rows, columns = sums & ((1 << ROW_BITS) - 1), sums >> ROW_BITS
    row_offsets = np.zeros(1 << ROW_BITS, np.int32)
    by_row = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[by_row], np.arange(len(row_offsets) + 1))
    taken = 0
    for row in np.argsort(-np.diff(starts), kind="stable"):
        entries = [int(column) for column in columns[by_row[starts[row] : starts[row + 1]]]]
        collisions = 0
        for column in entries:
            collisions |= taken >> column
        offset = (~collisions & (collisions + 1)).bit_length() - 1
        row_offsets[row] = offset
        for column in entries:
            taken |= 1 << (offset + column)
    return row_offsets, row_offsets[rows] + columns


def find_rank_keys() -> tuple[int, ...]:
    """Return keys whose sums differ for all hands of 5, 6 and 7 cards, each the smallest that is possible.

    This takes half a minute. A key k is impossible if two hands that differ by d cards of the new rank have the same
    sum: d * k is the difference between the sums of their other cards. Larger keys than a quarter of 2^`SUM_BITS` are
    not tried, because four aces must fit.
    """
    limit = (1 << SUM_BITS) // _NUM_SUITS
    keys = [1]
    while len(keys) < _NUM_RANKS:
        sums = _sums_by_size(keys)
        fails = np.zeros(limit, bool)
        for more in range(1, _NUM_SUITS + 1):
            for size in range(LARGEST_HAND - more + 1):
                for other in range(LARGEST_HAND + 1):
                    if abs(size + more - other) <= LARGEST_HAND - SMALLEST_HAND:
                        _mark_differences(fails, sums[size], sums[other], more)
        keys.append(keys[-1] + 1 + int(np.argmin(fails[keys[-1] + 1 :])))
    return tuple(keys)


def _sums_by_size(keys: list[int]) -> list[Integers]:
    """Return, for each number of cards 0 to 7, the sums of keys of all hands of so many cards."""
    sums = [np.zeros(1, np.int64)] + [np.zeros(0, np.int64)] * LARGEST_HAND
    for key in keys:
        sums = [
            np.concatenate([sums[size - count] + count * key for count in range(min(_NUM_SUITS, size) + 1)])
            for size in range(LARGEST_HAND + 1)
        ]
    return sums


def _mark_differences(fails: NDArray[np.bool_], lower: Integers, upper: Integers, divisor: int) -> None:
    """Set `fails` at every positive (upper - lower) / divisor that is an integer."""
    swap = len(lower) > len(upper)
    for outer in upper if swap else lower:
        difference = outer - lower if swap else upper - outer
        quotient = difference[(difference > 0) & (difference % divisor == 0)] // divisor
        fails[quotient[quotient < len(fails)]] = True


def _hands(size: int) -> list[tuple[int, ...]]:
    """Return the card ranks of all hands of `size` cards, without suits."""
    hands = combinations_with_replacement(range(_NUM_RANKS), size)
    return [hand for hand in hands if max(Counter(hand).values()) <= _NUM_SUITS]


if __name__ == "__main__":
    write_pinned(TABLE_FILE, build())
