"""The lookup tables behind `poker.ranks`: computed here from the rules of poker, shipped as one file, pinned by a hash.

Every rank of cards has a key, and the sum of the keys tells which ranks a hand of five, six or seven cards holds: keys
are chosen so that no two hands have the same sum. The sums are too sparse for a plain array, so they are cut into rows
(the low bits) and columns (the high bits), and the rows are slid over each other until no two entries collide (row
displacement: Tarjan and Yao, "Storing a sparse table", Communications of the ACM 22, 1979). Flushes have a table
of their own.

`python -m card_envs.poker.rank_tables` computes the tables in about a second and writes the file.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from card_envs.poker.pinned_tables import load_pinned, write_pinned
from card_envs.typing import Integers

Strength: TypeAlias = tuple[int, ...]

TABLE_FILE = Path(__file__).with_suffix(".npz")
TABLE_SHA256 = "8f7d3dbbd99b4523d6c6551cae2df81a0a862ed5d12c8072606531fe5ff86d1d"
"""Names the content of `TABLE_FILE`. It stands in the source so that new tables also start a new kernel cache."""

SMALLEST_HAND, LARGEST_HAND = 5, 7
RANK_KEYS = (1, 4, 16, 67, 295, 1334, 5734, 23800, 60883, 208450, 509982, 1304151, 2967844)
"""Found by `find_rank_keys`; rank 0..12 = 2..A."""
SUM_BITS = 24
"""Bits of the largest sum of keys: four aces and three kings, 15,783,829."""
ROW_BITS = 13
"""Low bits of a sum that name its row. Of 8 to 13 bits, 13 gave the shortest table."""

_NUM_RANKS, _NUM_SUITS = 13, 4
_ACE, _FIVE = 12, 3
_WHEEL = {_ACE, 0, 1, 2, _FIVE}
_PATTERNS = ((1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), "straight", "flush", (3, 2), (4, 1), "straight flush")
"""Kinds of hands from weakest to strongest; numbers say how many cards share a rank."""


class Tables(NamedTuple):
    """Look-up tables of `poker.ranks`; ranks of hands are 1 (royal flush) to 7462."""

    flush_ranks: NDArray[np.uint16]
    """(8192,) rank of the hand by the 13-bit set of ranks in the flush suit; 0 where the set is not of 5 to 7 ranks."""
    row_offsets: NDArray[np.int32]
    """(8192,) where a row of sums begins in `sum_ranks`."""
    sum_ranks: NDArray[np.uint16]
    """Rank of the hand at [row offset + column] of its sum of keys; 0 where no hand has its place. So long that row and
    column of any 24-bit number stay inside."""


def load() -> Tables:
    """Return the shipped tables; ValueError if the file is not the one that this version was built with."""
    return load_pinned(Tables, TABLE_FILE, TABLE_SHA256, "card_envs.poker.rank_tables")


def build() -> Tables:
    """Return the tables, computed from the rules alone; takes about a second."""
    class_ranks = rank_classes()
    sums, ranks = ranks_by_sum(class_ranks)
    row_offsets, places = displace_rows(sums)
    sum_ranks = np.zeros(row_offsets.max() + (1 << (SUM_BITS - ROW_BITS)), np.uint16)
    sum_ranks[places] = ranks
    return Tables(flush_ranks_by_set(class_ranks), row_offsets, sum_ranks)


def strength(ranks: tuple[int, ...], same_suit: bool) -> Strength:
    """Return a tuple that is greater for the better of two five-card hands and equal for equal ones."""
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
    """Return the rank of each of the 7462 strengths that five cards can have, the best first: 1 = royal flush."""
    offsuit = {strength(ranks, same_suit=False) for ranks in _hands(SMALLEST_HAND)}
    suited = {strength(ranks, same_suit=True) for ranks in combinations(range(_NUM_RANKS), SMALLEST_HAND)}
    return {found: place for place, found in enumerate(sorted(offsuit | suited, reverse=True), start=1)}


def ranks_by_sum(class_ranks: dict[Strength, int]) -> tuple[Integers, Integers]:
    """Return the sums of keys of all hands of 5, 6 and 7 cards, and the ranks of these hands without a flush."""
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
    """Return `Tables.flush_ranks`: with a flush in seven cards neither four of a kind nor a full house is possible."""
    table = np.zeros(1 << _NUM_RANKS, np.uint16)
    for size in range(SMALLEST_HAND, LARGEST_HAND + 1):
        for ranks in combinations(range(_NUM_RANKS), size):
            fives = combinations(ranks, SMALLEST_HAND)
            table[sum(1 << rank for rank in ranks)] = min(class_ranks[strength(five, same_suit=True)] for five in fives)
    return table


def displace_rows(sums: Integers) -> tuple[NDArray[np.int32], Integers]:
    """Return an offset for every row and the place of every sum, such that no two sums share a place.

    First fit, fullest row first. The set of taken places is one long integer: `taken >> column` has a bit at each
    offset where that column would collide, so a row costs one shift per entry and no search.
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
    """Return keys whose sums differ for all hands of 5, 6 and 7 cards: greedily, each the smallest that works.

    Takes half a minute. A key k fails when a hand with d cards more of the new rank than another one has the same sum:
    d * k = difference of the sums of their other cards. Four aces must fit into `SUM_BITS`, so larger keys
    are not tried.
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
    """Return for 0 to 7 cards the sums of keys of all hands of so many cards."""
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
    """Return the ranks of all hands of `size` cards, without their suits."""
    hands = combinations_with_replacement(range(_NUM_RANKS), size)
    return [hand for hand in hands if max(Counter(hand).values()) <= _NUM_SUITS]


if __name__ == "__main__":
    write_pinned(TABLE_FILE, build())
