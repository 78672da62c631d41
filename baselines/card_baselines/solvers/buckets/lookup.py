"""Find the bucket (`hand_buckets`) of a hand at a table: of one hand, or of all hands on one board at once.

`to_stored_arrays` and `from_stored_arrays` are for the files of strategies, with any hand abstraction.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import board_card, hole_card
from card_baselines.solvers.buckets.canonical_hands import CanonicalHands
from card_baselines.solvers.buckets.equity_buckets import EquityBuckets
from card_baselines.solvers.buckets.hand_buckets import (
    CANONICAL_FLOPS,
    NUM_BINS,
    NUM_GROUPS,
    STARTING_HANDS,
    HandBuckets,
    compare_with_groups,
    count_equities,
    cumulate,
    equity_bin,
    nearest,
)
from card_baselines.solvers.buckets.suit_isomorphism import board_number, canonical_boards, rename_suit
from card_baselines.solvers.hands import HAND_CARDS, RANKED, rank_hands
from card_envs.bits import bit_count
from card_envs.cards import DECK_SIZE, RANKS, SUITS
from card_envs.compiler import kernel
from card_envs.damaged_files import decompress_bytes
from card_envs.game import Tables
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.poker.hands import BOARD_SIZE, NUM_HANDS, hand_number
from card_envs.poker.rank_tables import RANK_KEYS, SUM_BITS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, has_flush, rank_of

_FLOP_CARDS, _TURN_CARDS = 3, 4
_NUM_RANKS, _NUM_SUITS = len(RANKS), len(SUITS)
_WITHOUT_SUITS = (1 << SUM_BITS) - 1  # mask of a key (`poker.ranks`) that hides flushes
_FLUSH_CARDS_ON_BOARD = 3  # fewest cards of a suit on the whole board with which a flush is possible
_MANY_HANDS = 32
"""Hands on one board from which the buckets of all hands are found at once, which takes as long as some 40 alone."""
_MEMO_BITS = 16
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio

LOOKUP = np.dtype(
    (
        np.record,
        [
            ("board", np.int64, (BOARD_SIZE,)),
            ("num_cards", np.int64),  # on the board
            ("used", np.int64),  # set of the board's cards
            ("known", np.int64),  # set of cards of the board that `bucket` was computed for, 0 for none
            ("bucket", np.int64, (NUM_HANDS,)),  # bucket of each hand on that board
            ("wins", np.int64, (NUM_GROUPS,)),  # hands of each group that are beaten, minus hands that win
            ("met", np.int64, (NUM_GROUPS,)),  # hands of each group that share no card with the hand
        ],
    )
)
_CANONICAL = "canonical_hands"
Buckets = HandBuckets | EquityBuckets | CanonicalHands


class _Tables(NamedTuple):
    """Tables that buckets are looked up in: the classes of flops (`CanonicalBoards`), and those of `HandBuckets`."""

    class_of: NDArray[Any]
    suit_order: NDArray[Any]
    flop: NDArray[Any]
    turn: NDArray[Any]
    river: NDArray[Any]
    groups: NDArray[Any]


class _Workspace(NamedTuple):
    """Scratch arrays of the kernels below."""

    ranked: NDArray[Any]
    counts: NDArray[np.uint16]
    features: NDArray[np.float32]
    distances: NDArray[np.float32]
    ones: NDArray[np.float32]
    sums: NDArray[np.float32]
    values: NDArray[np.float32]
    members: NDArray[np.float32]
    group_sums: NDArray[np.float32]
    group_values: NDArray[np.float32]
    memo_keys: NDArray[np.int64]
    """(65536,): cache of hands on turn and river; the same hand is looked up at every bet of a street."""
    memo_buckets: NDArray[np.int64]

    @staticmethod
    def allocate(nodes: int) -> _Workspace:
        """Return a workspace for trees of buckets with `nodes` nodes."""
        f32 = np.float32
        return _Workspace(
            ranked=np.zeros(1, RANKED),
            counts=np.zeros((NUM_HANDS, NUM_BINS), np.uint16),
            features=np.zeros((NUM_HANDS, NUM_BINS - 1), f32),
            distances=np.zeros(nodes, f32),
            ones=np.ones(NUM_HANDS, f32),
            sums=np.zeros(DECK_SIZE + 1, f32),
            values=np.zeros(NUM_HANDS, f32),
            members=np.zeros((NUM_HANDS, NUM_GROUPS), f32),
            group_sums=np.zeros((DECK_SIZE + 1, NUM_GROUPS), f32),
            group_values=np.zeros((2, NUM_HANDS, NUM_GROUPS), f32),
            memo_keys=np.zeros(1 << _MEMO_BITS, np.int64),
            memo_buckets=np.zeros(1 << _MEMO_BITS, np.int64),
        )


class BucketFinder:
    """Finds the buckets of the hands in views of tables of Texas hold'em."""

    def __init__(self, buckets: HandBuckets) -> None:
        """Collect the tables and allocate a workspace."""
        flops = canonical_boards(_FLOP_CARDS)
        self._tables = _Tables(
            flops.class_of, flops.suit_order, buckets.flop, buckets.turn, buckets.river, buckets.groups
        )
        self._lookup = np.zeros(1, LOOKUP)
        self._work = _Workspace.allocate(max(buckets.turn.shape[2], buckets.river.shape[2]))

    def find(self, views: Tables) -> NDArray[np.int64]:
        """Return the buckets (n,) of the actors' hands; faster where many with one board follow each other."""
        buckets = np.empty(len(views), np.int64)
        find_buckets(views, buckets, self._lookup[0], self._tables, self._work)
        return buckets

    def hands_on(self, board: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bucket (1326,) of each hand on a board of 0, 3, 4 or 5 cards; undefined if they share a card."""
        if len(board) == 0:
            return STARTING_HANDS
        lookup = self._lookup[0]
        lookup.num_cards, lookup.used = len(board), np.bitwise_or.reduce(np.int64(1) << board)
        lookup.board[: len(board)] = board
        find_all_buckets(lookup, self._tables, self._work)
        return np.array(lookup.bucket)


@kernel
def find_buckets(views: Any, buckets: Any, lookup: Any, tables: Any, work: Any) -> None:
    """Write the bucket of the actor's hand in each view."""
    lookup.known = 0
    for j in range(views.shape[0]):
        t = views[j]
        a, b = hole_card(t, 0), hole_card(t, 1)
        _copy_board(t, lookup)
        if lookup.num_cards == 0:
            buckets[j] = STARTING_HANDS[hand_number(a, b)]
        elif lookup.num_cards == _FLOP_CARDS:
            number = board_number(lookup.board, np.int64(0), np.int64(_FLOP_CARDS))
            order = tables.suit_order[number]
            buckets[j] = tables.flop[tables.class_of[number], hand_number(rename_suit(a, order), rename_suit(b, order))]
        elif lookup.known == lookup.used:
            buckets[j] = lookup.bucket[hand_number(a, b)]
        elif j + _MANY_HANDS < views.shape[0] and _board_set(views[j + _MANY_HANDS]) == lookup.used:
            find_all_buckets(lookup, tables, work)
            lookup.known = lookup.used
            buckets[j] = lookup.bucket[hand_number(a, b)]
        else:
            key = lookup.used | hand_number(a, b) << DECK_SIZE
            place = hash_slot(key, _MEMO_BITS)
            if work.memo_keys[place] != key:
                work.memo_keys[place], work.memo_buckets[place] = key, _find_bucket(lookup, a, b, tables, work)
            buckets[j] = work.memo_buckets[place]


@kernel
def hash_slot(key: Any, bits: Any) -> Any:
    """Return the slot 0 .. 2**bits - 1 of a whole number (Knuth, The Art of Computer Programming, 6.4)."""
    return np.int64(np.uint64(key) * _HASH_FACTOR >> np.uint64(64 - bits))


@kernel
def _find_bucket(lookup: Any, a: Any, b: Any, tables: Any, work: Any) -> Any:
    """Return the bucket of one hand on the turn or river."""
    if lookup.num_cards == _TURN_CARDS:
        _count_on_turn(lookup, a, b, work.counts)
        cumulate(work.counts, 0, work.features, 0)
        return nearest(tables.turn, work.features, np.int64(0), work.distances)
    _compute_group_equities(lookup, a, b, tables.groups, work.features)
    return nearest(tables.river, work.features, np.int64(0), work.distances)


@kernel
def find_all_buckets(lookup: Any, tables: Any, work: Any) -> None:
    """Write the buckets of all hands on the board of `lookup`, which has cards."""
    ranked = work.ranked[0]
    if lookup.num_cards == _FLOP_CARDS:
        number = board_number(lookup.board, np.int64(0), np.int64(_FLOP_CARDS))
        row, order = tables.class_of[number], tables.suit_order[number]
        for hand in range(NUM_HANDS):
            a, b = rename_suit(HAND_CARDS[hand, 0], order), rename_suit(HAND_CARDS[hand, 1], order)
            lookup.bucket[hand] = tables.flop[row, hand_number(a, b)]
    elif lookup.num_cards == _TURN_CARDS:
        _all_on_turn(lookup, ranked, tables.turn, work)
    else:
        rank_hands(lookup.board, ranked)
        compare_with_groups(
            ranked, tables.groups, work.members, work.group_sums, work.group_values, work.features
        )  # fmt: skip
        for h in range(ranked.num_hands):
            lookup.bucket[ranked.number[h]] = nearest(tables.river, work.features, h, work.distances)


@kernel
def _board_set(t: Any) -> Any:
    """Return the set of cards on the board."""
    used = np.int64(0)
    for k in range(num_board_cards(t)):
        used |= np.int64(1) << board_card(t, k)
    return used


@kernel
def _copy_board(t: Any, lookup: Any) -> None:
    """Copy the board of a table into `lookup`."""
    lookup.num_cards = num_board_cards(t)
    lookup.used = _board_set(t)
    for k in range(lookup.num_cards):
        lookup.board[k] = board_card(t, k)


@kernel
def _all_on_turn(lookup: Any, ranked: Any, turns: Any, work: Any) -> None:
    """Write the buckets of all hands on a turn board."""
    counts, features = work.counts, work.features
    for hand in range(NUM_HANDS):
        for k in range(NUM_BINS):
            counts[hand, k] = 0
    for river in range(DECK_SIZE):
        if (lookup.used >> river) & 1 == 0:
            lookup.board[_TURN_CARDS] = river
            rank_hands(lookup.board, ranked)
            count_equities(ranked, work.ones, work.sums, work.values, counts)
    for hand in range(NUM_HANDS):
        if ((lookup.used >> HAND_CARDS[hand, 0]) | (lookup.used >> HAND_CARDS[hand, 1])) & 1 == 0:
            cumulate(counts, hand, features, 0)
            lookup.bucket[hand] = nearest(turns, features, np.int64(0), work.distances)


@kernel
def _count_on_turn(lookup: Any, a: Any, b: Any, counts: Any) -> None:
    """Write to counts[0] the histogram of one hand's equity over all river cards."""
    for k in range(NUM_BINS):
        counts[0, k] = 0
    used = lookup.used | np.int64(1) << a | np.int64(1) << b
    for river in range(DECK_SIZE):
        if (used >> river) & 1 == 0:
            lookup.board[_TURN_CARDS] = river
            counts[0, equity_bin(_wins_less_losses(lookup, a, b))] += 1


@kernel
def _wins_less_losses(lookup: Any, a: Any, b: Any) -> Any:
    """Return the number of hands that a hand beats on the whole board, minus the number of hands that beat it.

    Hands of the same two ranks are compared once; those that make a flush are corrected one by one.
    """
    key, bits, used = _whole_board(lookup, a, b)
    own = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
    ranks = key & _WITHOUT_SUITS
    total = np.int64(0)
    for high in range(_NUM_RANKS):
        of_high = _num_left(used, high)
        if of_high == 0:
            continue
        total += of_high * (of_high - 1) // 2 * _compare(own, rank_of(ranks + 2 * RANK_KEYS[high], bits))
        for low in range(high):
            of_low = _num_left(used, low)
            if of_low > 0:
                total += of_high * of_low * _compare(own, rank_of(ranks + RANK_KEYS[high] + RANK_KEYS[low], bits))
    return total + _flush_correction(lookup, own, key, bits, used)


@kernel
def _flush_correction(lookup: Any, own: Any, key: Any, bits: Any, used: Any) -> Any:
    """Return the difference that flushes make to `_wins_less_losses`."""
    suit = _flush_suit(lookup)
    total = np.int64(0)
    if suit < 0:
        return total
    any_pair = has_flush(key)  # on the board
    for c in range(DECK_SIZE):
        if (used >> c) & 1 == 0 and (any_pair or c % _NUM_SUITS == suit):
            for d in range(DECK_SIZE):
                if (used >> d) & 1 == 0 and (d > c or (not any_pair and d % _NUM_SUITS != suit)):
                    both = key + CARD_KEYS[c] + CARD_KEYS[d]
                    if has_flush(both):
                        flush = rank_of(both, bits | CARD_BITS[c] | CARD_BITS[d])
                        total += _compare(own, flush) - _compare(own, rank_of(both & _WITHOUT_SUITS, bits))
    return total


@kernel
def _num_left(used: Any, rank: Any) -> Any:
    """Return the number of cards of a rank that are not in a set of cards."""
    return _NUM_SUITS - bit_count((used >> (_NUM_SUITS * rank)) & (2**_NUM_SUITS - 1))


@kernel
def _compare(own: Any, other: Any) -> Any:
    """Return 1 if the first rank wins against the second, -1 if it loses, 0 if they are equal."""
    return np.int64(own < other) - np.int64(own > other)


@kernel
def _flush_suit(lookup: Any) -> Any:
    """Return the suit with three or more cards on the whole board, -1 if there is none."""
    for suit in range(_NUM_SUITS):
        count = 0
        for k in range(BOARD_SIZE):
            count += lookup.board[k] % _NUM_SUITS == suit
        if count >= _FLUSH_CARDS_ON_BOARD:
            return suit
    return -1


@kernel
def _whole_board(lookup: Any, a: Any, b: Any) -> Any:
    """Return the key and bits of the board (`poker.ranks`), and the set of its cards and those of a hand."""
    key, bits = np.int64(0), np.int64(0)
    used = np.int64(1) << a | np.int64(1) << b
    for k in range(BOARD_SIZE):
        card = lookup.board[k]
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
        used |= np.int64(1) << card
    return key, bits, used


@kernel
def _compute_group_equities(lookup: Any, a: Any, b: Any, groups: Any, features: Any) -> None:
    """Write to features[0] the equities of one river hand against the groups of starting hands."""
    for k in range(NUM_GROUPS):
        lookup.wins[k] = 0
        lookup.met[k] = 0
    key, bits, used = _whole_board(lookup, a, b)
    own = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
    for hand in range(NUM_HANDS):
        c, d = HAND_CARDS[hand, 0], HAND_CARDS[hand, 1]
        if ((used >> c) | (used >> d)) & 1 == 0:
            rank = rank_of(key + CARD_KEYS[c] + CARD_KEYS[d], bits | CARD_BITS[c] | CARD_BITS[d])
            group = groups[STARTING_HANDS[hand]]
            lookup.wins[group] += np.int64(own < rank) - np.int64(own > rank)
            lookup.met[group] += 1
    for k in range(NUM_GROUPS):
        met = np.float32(lookup.met[k])
        features[0, k] = np.float32(lookup.wins[k]) / met if lookup.met[k] > 0 else np.float32(0)


def to_stored_arrays(buckets: Buckets) -> dict[str, Any]:
    """Return the arrays for `np.savez`; the large one is compressed. Canonical hands need none but a name."""
    if isinstance(buckets, CanonicalHands):
        return {_CANONICAL: np.array(True)}
    if isinstance(buckets, EquityBuckets):
        return {"bounds": buckets.bounds.astype(np.float32)}
    flop = np.frombuffer(lzma.compress(buckets.flop.astype(np.uint16).tobytes(), preset=9), np.uint8)
    return vars(buckets) | {"flop": flop}


def from_stored_arrays(data: Mapping[str, NDArray[Any]]) -> Buckets:
    """Return the buckets of `to_stored_arrays`; other entries of `data` are ignored."""
    if _CANONICAL in data:
        return CanonicalHands()
    if "bounds" in data:
        return EquityBuckets(data["bounds"].astype(np.float64))
    tables = {name: data[name] for name in HandBuckets.__annotations__}
    flop = decompress_bytes(tables["flop"].tobytes(), CANONICAL_FLOPS * NUM_HANDS * np.dtype(np.uint16).itemsize)
    tables["flop"] = np.frombuffer(flop, np.uint16).reshape(-1, NUM_HANDS)
    return HandBuckets(**tables)


def make_finder(buckets: Buckets) -> BucketFinder | EquityBuckets | CanonicalHands:
    """Return an object that finds the buckets of hands at tables and on boards."""
    return BucketFinder(buckets) if isinstance(buckets, HandBuckets) else buckets
