"""Computation of the lookup tables that ship with `card_envs.poker`, for tests and after a change of the tables.

`python -m tests.helpers.poker_tables` writes the files and prints the hashes for the modules that load them.

The sums of keys of a hand are too sparse for a plain array. They are split into rows (the low bits) and columns (the
high bits), and each row gets an offset at which none of its entries collides with another row (row displacement: Tarjan
and Yao, "Storing a sparse table", Communications of the ACM 22, 1979).
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations, combinations_with_replacement
from math import comb
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker import percentiles, rank_tables, sampled_equity
from card_envs.poker.hands import BOARD_SIZE, HANDS
from card_envs.poker.percentiles import HAND_SIZES, NUM_RANKS
from card_envs.poker.pinned_tables import fingerprint
from card_envs.poker.rank_tables import LARGEST_HAND, RANK_KEYS, ROW_BITS, SMALLEST_HAND, SUM_BITS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, WORST_RANK, rank_of
from card_envs.poker.sampled_equity import QUARTERS, write_sampled_equities
from card_envs.typing import Integers

Strength: TypeAlias = tuple[int, ...]

_NUM_SUITS = 4
_ACE, _FIVE = 12, 3
_WHEEL = {_ACE, 0, 1, 2, _FIVE}
_PATTERNS = ((1, 1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1), (3, 1, 1), "straight", "flush", (3, 2), (4, 1), "straight flush")
"""Hand categories from weakest to strongest; a number is a group of so many cards of one rank."""


def build_rank_tables() -> rank_tables.Tables:
    """Compute the tables of `poker.ranks` from the rules of poker; this takes about a second."""
    class_ranks = rank_classes()
    sums, ranks = ranks_by_sum(class_ranks)
    row_offsets, indices = displace_rows(sums)
    sum_ranks = np.zeros(row_offsets.max() + (1 << (SUM_BITS - ROW_BITS)), np.uint16)
    sum_ranks[indices] = ranks
    return rank_tables.Tables(flush_ranks_by_set(class_ranks), row_offsets, sum_ranks)


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
    suited = {strength(ranks, same_suit=True) for ranks in combinations(range(NUM_RANKS), SMALLEST_HAND)}
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
    table = np.zeros(1 << NUM_RANKS, np.uint16)
    for size in range(SMALLEST_HAND, LARGEST_HAND + 1):
        for ranks in combinations(range(NUM_RANKS), size):
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
    while len(keys) < NUM_RANKS:
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
    hands = combinations_with_replacement(range(NUM_RANKS), size)
    return [hand for hand in hands if max(Counter(hand).values()) <= _NUM_SUITS]


# --- percentiles ------------------------------------------------------------------------------------------------------

_PAIRS = comb(DECK_SIZE - BOARD_SIZE, 2)
_PAIR_BITS = 12  # enough to number a board's 1,081 starting hands, two cards of six bits each


def build_percentile_tables() -> percentiles.Tables:
    """Compute the tables of `poker.percentiles`; this takes about twenty seconds, without compiled kernels days.

    All counts are exact. Hands of five, six and seven cards are enumerated. Every starting hand is compared with every
    other one on every board. Boards that a permutation of the suits turns into each other are evaluated once and
    weighted by their number: 134,459 of 2,598,960 boards remain.
    """
    hand_counts = np.zeros((len(HAND_SIZES), WORST_RANK + 1), np.int64)
    for counts, size in zip(hand_counts, HAND_SIZES, strict=True):
        count_ranks(counts, np.arange(size))
    wins, ties = np.zeros((2, NUM_RANKS, NUM_RANKS), np.int64)
    boards, occurrences = different_boards()
    play_boards(boards, occurrences, np.empty(_PAIRS, np.int64), wins, ties)
    combos = np.where(np.eye(NUM_RANKS, dtype=bool), 6, np.where(np.tri(NUM_RANKS, dtype=bool), 4, 12))
    return percentiles.Tables(hand_counts, wins // combos, ties // combos)


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


# --- sampled equities -------------------------------------------------------------------------------------------------


def build_sampled_equities() -> sampled_equity.Tables:
    """Compute the table of the encoder `equity`."""
    rows = np.zeros(len(HANDS), np.dtype((np.record, [("values", np.float32, (1 + QUARTERS,))])))
    _sample_all(HANDS.astype(np.int64), rows)
    return sampled_equity.Tables(np.ascontiguousarray(rows["values"][:, 1:]))


@kernel
def _sample_all(hands: Any, rows: Any) -> None:
    for j in range(hands.shape[0]):
        write_sampled_equities(hands[j, 0], hands[j, 1], np.int64(0), np.int64(BOARD_SIZE), rows[j], 0)


def write_pinned(file: Path, tables: NamedTuple) -> None:
    """Write tables to a file, and print the line of source code with their hash."""
    np.savez_compressed(file, allow_pickle=False, **tables._asdict())
    print(f'{file.name}: TABLE_SHA256 = "{fingerprint(tables)}"')


if __name__ == "__main__":
    write_pinned(rank_tables.TABLE_FILE, build_rank_tables())
    write_pinned(percentiles.TABLE_FILE, build_percentile_tables())
    write_pinned(sampled_equity.TABLE_FILE, build_sampled_equities())
