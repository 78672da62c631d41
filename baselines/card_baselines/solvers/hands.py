"""All hands that can be held with a board, ordered by strength, and the sums that value folds and showdowns.

The *place* of a hand is its index in this order, weakest first. `RANKED` lists the hands of a board. `sum_folds` and
`sum_showdowns` take one weight for each place; `sum_folds_by_column` and `sum_showdowns_by_column` take several side by
side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import hand_rank_at
from card_envs.poker.hands import BOARD_SIZE, HANDS, HOLE_CARDS, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, WORST_RANK, rank_of
from card_envs.poker_hands import hand_ranks
from card_envs.typing import Floats, Floats32

NUM_PLAYERS = 2
FIRST_BOARD_CARD = NUM_PLAYERS * HOLE_CARDS
"""Index of the first board card in the field `deck`."""
KNOWN_BEFORE_RIVER = FIRST_BOARD_CARD + BOARD_SIZE - 1
"""Number of cards of a turn board and of both hands: none of them is the river."""
_MIN_RANKED_BOARD = 3
"""Fewest board cards with which hands of two cards are ranked."""

_DIGIT_BITS = 7  # a rank has 13 bits: two passes of a sort by digits
_DIGITS = 1 << _DIGIT_BITS

HAND_CARDS: NDArray[np.int64] = HANDS.astype(np.int64)

RANKED = np.dtype(
    (
        np.record,
        [
            ("num_hands", np.int64),  # hands that share no card with the board
            ("number", np.int64, (NUM_HANDS,)),  # hand number (`poker.hands`) at each place, weakest first
            ("rank", np.int64, (NUM_HANDS,)),  # rank at each place, 1 is the best
            ("first", np.int64, (NUM_HANDS,)),  # card id at each place
            ("second", np.int64, (NUM_HANDS,)),  # the other card id
            ("end", np.int64, (NUM_HANDS,)),  # place after the last hand of equal strength
            # --- scratch ---
            ("unsorted", np.int64, (NUM_HANDS,)),
            ("strength", np.int64, (NUM_HANDS,)),  # strength of each hand number
            ("place", np.int64, (_DIGITS,)),
        ],
    )
)


@kernel
def rank_hands(board: Any, ranked: Any) -> None:
    """Write the hands that are possible with `board`, an array of five card ids, into a record of `RANKED`."""
    key, bits, used = np.int64(0), np.int64(0), np.int64(0)
    for k in range(BOARD_SIZE):
        card = np.int64(board[k])
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
        used |= np.int64(1) << card
    size = np.int64(0)
    for hand in range(NUM_HANDS):
        a, b = HAND_CARDS[hand, 0], HAND_CARDS[hand, 1]
        if ((used >> a) | (used >> b)) & 1 == 0:
            rank = rank_of(key + CARD_KEYS[a] + CARD_KEYS[b], bits | CARD_BITS[a] | CARD_BITS[b])
            ranked.strength[hand] = WORST_RANK - rank
            ranked.number[size] = hand
            size += 1
    ranked.num_hands = size
    _sort_by_digit(ranked, ranked.number, ranked.unsorted, 0)
    _sort_by_digit(ranked, ranked.unsorted, ranked.number, _DIGIT_BITS)
    for place in range(size):
        hand = ranked.number[place]
        ranked.rank[place] = WORST_RANK - ranked.strength[hand]
        ranked.first[place], ranked.second[place] = HAND_CARDS[hand, 0], HAND_CARDS[hand, 1]
    mark_ties(ranked)


@kernel
def mark_ties(ranked: Any) -> None:
    """Write `end` of each place, given `rank` (weakest first)."""
    end = np.int64(ranked.num_hands)
    for place in range(ranked.num_hands - 1, -1, -1):
        if place + 1 < ranked.num_hands and ranked.rank[place] != ranked.rank[place + 1]:
            end = np.int64(place + 1)
        ranked.end[place] = end


@kernel
def _sort_by_digit(ranked: Any, source: Any, target: Any, shift: Any) -> None:
    """Copy hand numbers from `source` to `target`, sorted by one digit of their strength (stable)."""
    for digit in range(_DIGITS):
        ranked.place[digit] = 0
    for k in range(ranked.num_hands):
        ranked.place[(ranked.strength[source[k]] >> shift) & (_DIGITS - 1)] += 1
    before = np.int64(0)
    for digit in range(_DIGITS):
        count = ranked.place[digit]
        ranked.place[digit] = before
        before += count
    for k in range(ranked.num_hands):
        digit = (ranked.strength[source[k]] >> shift) & (_DIGITS - 1)
        target[ranked.place[digit]] = source[k]
        ranked.place[digit] += 1


# --- sums over the opponent's hands ---------------------------------------------------------------------------------
# `hands` is a record of `RANKED` with `size` hands; `by_card` is scratch space.


@kernel
def sum_folds(hands: Any, size: Any, weights: Any, factor: Any, by_card: Any, values: Any) -> None:
    """Write for each place `factor` times the sum of the weights of all hands that share no card with the hand.

    `weights` and `values` are (hands,), `by_card` is (cards,).
    """
    for card in range(DECK_SIZE):
        by_card[card] = 0
    total = np.float32(0)
    for h in range(size):
        weight = weights[h]
        by_card[hands.first[h]] += weight
        by_card[hands.second[h]] += weight
        total += weight
    for h in range(size):  # the hand itself is subtracted twice, so its weight is added again
        values[h] = factor * (total - by_card[hands.first[h]] - by_card[hands.second[h]] + weights[h])


@kernel
def sum_showdowns(hands: Any, size: Any, weights: Any, factor: Any, by_card: Any, values: Any) -> None:
    """Write for each place `factor` times (the weights of the hands that it beats - of the hands that beat it).

    Hands that share a card with it do not count. Hands are added to running sums in the order of their strength, one
    group of equal hands after the other: the sums before a group are the hands that it beats, the sums after it also
    contain the hands that it ties with. Arrays as of `sum_folds`.
    """
    for card in range(DECK_SIZE):
        by_card[card] = 0
    total, begin = np.float32(0), np.int64(0)
    for h in range(size):
        values[h] = weights[h]
    end = np.int64(hands.end[0])
    while begin < size:
        for h in range(begin, end):
            weight = weights[h]
            by_card[hands.first[h]] += weight
            by_card[hands.second[h]] += weight
            total += weight
        following = np.int64(hands.end[end] if end < size else size)
        for h in range(begin, following):
            values[h] += total - by_card[hands.first[h]] - by_card[hands.second[h]]
        begin, end = end, following
    for h in range(size):
        worse = total - by_card[hands.first[h]] - by_card[hands.second[h]] + weights[h]
        values[h] = factor * (values[h] - worse)


@kernel
def sum_folds_by_column(hands: Any, size: Any, weights: Any, factors: Any, by_card: Any, values: Any) -> None:
    """As `sum_folds` for several weights side by side.

    `weights` and `values` are (hands, columns), `factors` (columns,), `by_card` (cards + 1, columns).
    """
    _clear(by_card)
    for h in range(size):
        _add_hand(hands, h, weights, by_card)
    for h in range(size):
        a, b = hands.first[h], hands.second[h]
        for k in range(by_card.shape[1]):
            others = by_card[DECK_SIZE, k] - by_card[a, k] - by_card[b, k] + weights[h, k]
            values[h, k] = factors[k] * others


@kernel
def sum_showdowns_by_column(hands: Any, size: Any, weights: Any, factors: Any, by_card: Any, values: Any) -> None:
    """As `sum_showdowns` for several weights side by side; arrays as of `sum_folds_by_column`.

    Weaker and stronger hands are added up one after the other, which is faster for columns.
    """
    _clear(by_card)
    begin = np.int64(0)
    while begin < size:
        end = np.int64(hands.end[begin])
        for h in range(begin, end):
            a, b = hands.first[h], hands.second[h]
            for k in range(by_card.shape[1]):
                values[h, k] = by_card[DECK_SIZE, k] - by_card[a, k] - by_card[b, k]
        for h in range(begin, end):
            _add_hand(hands, h, weights, by_card)
        begin = end
    _clear(by_card)
    last = np.int64(size - 1)
    while last >= 0:
        end = hands.end[last]
        begin = last
        while begin >= 0 and hands.end[begin] == end:
            a, b = hands.first[begin], hands.second[begin]
            for k in range(by_card.shape[1]):
                better = by_card[DECK_SIZE, k] - by_card[a, k] - by_card[b, k]
                values[begin, k] = factors[k] * (values[begin, k] - better)
            begin -= 1
        for h in range(begin + 1, last + 1):
            _add_hand(hands, h, weights, by_card)
        last = begin


class EndSums(NamedTuple):
    """Scratch arrays of `make_sum_ends`. Two arrays of one memory each, since inner loops run over several ends."""

    reach: Floats32
    """(ends, columns): the opponent's reach probabilities with one hand."""
    flat_reach: Floats32
    """(ends * columns,)"""
    by_card: Floats32
    """(cards + 1, ends, columns): sums of the hands with each card, and of all hands."""
    flat_by_card: Floats32
    """(cards + 1, ends * columns)"""
    folded: Floats32
    """(cards + 1, folds, columns): the same sums of all hands at the ends where somebody may fold."""
    shown: Floats32
    """(hands, shown, columns): sums at showdowns."""
    flat_shown: Floats32
    """(hands, shown * columns)"""

    @staticmethod
    def allocate(ends: int, shown: int, folds: int, columns: int) -> EndSums:
        """Return arrays for so many ends, of which some are showdowns, and some folds."""
        shapes = (1, ends), (DECK_SIZE + 1, ends), (DECK_SIZE + 1, folds), (NUM_HANDS, shown)
        reach, by_card, folded, sums = (np.zeros((*shape, columns), np.float32) for shape in shapes)
        flat_reach, flat_by_card, flat_sums = (each.reshape(len(each), -1) for each in (reach, by_card, sums))
        return EndSums(reach[0], flat_reach[0], by_card, flat_by_card, folded, sums, flat_sums)


def make_sum_ends(value_hands: Any) -> Any:
    """Return a kernel that sums over the opponent's hands at many ends at once, as `sum_showdowns` and `sum_folds` do.

    The kernel has the arguments `hands`, `size`, `rows` (hands,), `reach` (hands, columns), `shares` (rows, ends,
    columns), `num_shown`, `first_fold`, `sums` (`EndSums`) and `args`. With hand h the opponent comes to an end with
    the probability reach[h] * shares[rows[h], end]. The first `num_shown` ends are showdowns; `folded` gets the sums
    for folds at the ends from `first_fold` on. When `shown` is complete for the equal hands begin .. end - 1, it calls
    `value_hands(begin, end, hands, rows, reach, shares, sums, args)`.

    As in `sum_showdowns`, hands are added in the order of their strength, and the sums before and after a group of
    equal hands are added up. Sums begin with minus half of all hands, so that stronger hands count negative.
    """

    @kernel
    def visit(
        hands: Any, size: Any, rows: Any, reach: Any, shares: Any, num_shown: Any, first_fold: Any, sums: Any, args: Any
    ) -> None:
        by_card, shown, num_columns = sums.flat_by_card, sums.flat_shown, num_shown * reach.shape[1]
        _clear(by_card)
        _add_ends(np.int64(0), size, hands, rows, reach, shares, shares.shape[1], sums)
        _split_sums(num_columns, first_fold, sums)
        begin = np.int64(0)
        while begin < size:
            end = np.int64(hands.end[begin])
            for h in range(begin, end):
                a, b = hands.first[h], hands.second[h]
                for k in range(num_columns):
                    shown[h, k] = by_card[DECK_SIZE, k] - by_card[a, k] - by_card[b, k]
            _add_ends(begin, end, hands, rows, reach, shares, num_shown, sums)
            for h in range(begin, end):
                a, b = hands.first[h], hands.second[h]
                for k in range(num_columns):
                    shown[h, k] += by_card[DECK_SIZE, k] - by_card[a, k] - by_card[b, k]
            value_hands(begin, end, hands, rows, reach, shares, sums, args)
            begin = end

    return visit


@kernel
def _add_ends(
    begin: Any, end: Any, hands: Any, rows: Any, reach: Any, shares: Any, num_ends: Any, sums: Any
) -> None:  # fmt: skip
    """Add the reach probabilities of hands at the first `num_ends` ends to the sums of their cards and to the total."""
    by_card, added, flat = sums.flat_by_card, sums.reach, sums.flat_reach
    for h in range(begin, end):
        if not _has_reach(reach, h):
            continue
        a, b, row = hands.first[h], hands.second[h], rows[h]
        for each in range(num_ends):
            for k in range(reach.shape[1]):
                added[each, k] = reach[h, k] * shares[row, each, k]
        for k in range(num_ends * reach.shape[1]):
            weight = flat[k]
            by_card[a, k] += weight
            by_card[b, k] += weight
            by_card[DECK_SIZE, k] += weight


@kernel
def _has_reach(reach: Any, h: Any) -> Any:
    """Return True if the reach probability of a hand is above 0 in any column."""
    k = 0
    while k < reach.shape[1] and reach[h, k] == 0:
        k += 1
    return k < reach.shape[1]


@kernel
def _split_sums(num_columns: Any, first_fold: Any, sums: Any) -> None:
    """Copy the sums of all hands for folds, and begin those of showdowns with minus half of them."""
    for card in range(DECK_SIZE + 1):
        for fold in range(sums.folded.shape[1]):
            for k in range(sums.folded.shape[2]):
                sums.folded[card, fold, k] = sums.by_card[card, first_fold + fold, k]
        for k in range(num_columns):
            sums.flat_by_card[card, k] *= np.float32(-0.5)


@kernel
def _clear(by_card: Any) -> None:
    """Set all sums to 0."""
    for card in range(DECK_SIZE + 1):
        for k in range(by_card.shape[1]):
            by_card[card, k] = 0


@kernel
def _add_hand(hands: Any, h: Any, weights: Any, by_card: Any) -> None:
    """Add the weights of a hand to the sums of its cards, and to the total."""
    a, b = hands.first[h], hands.second[h]
    for k in range(by_card.shape[1]):
        weight = weights[h, k]
        by_card[a, k] += weight
        by_card[b, k] += weight
        by_card[DECK_SIZE, k] += weight


# --- hands of any deck -----------------------------------------------------------------------------------------------


def find_own_cards(views: Tables, num_cards: int) -> NDArray[np.int64]:
    """Return the hole cards (n, num_cards) of the actors of tables or views."""
    places = views["actor"].astype(np.int64)[:, None] * num_cards + np.arange(num_cards)
    return np.take_along_axis(views["deck"].astype(np.int64), places, axis=1)


class BoardHands:
    """The hands of a deck that are possible with a board, weakest first."""

    def __init__(self, board: NDArray[np.int64], deck: NDArray[np.int64], config: HoldemConfig | None = None) -> None:
        """List the hands.

        Args:
            board: Cards on the board; with fewer than three, all hands of two cards are equally strong.
            deck: Cards of the game.
            config: Game with one hole card, whose hands are numbered by card; None for hands of two cards.

        Raises:
            ValueError: If a card of the board is not in the deck, or too few cards are left for a hand.
        """
        if len(np.unique(board)) < len(board) or not np.isin(board, deck).all():
            raise ValueError(f"board {board.tolist()} has cards twice, or that are not in the deck {deck.tolist()}")
        if len(deck) < len(board) + (2 if config is None else 1):
            raise ValueError(f"a deck of {len(deck)} cards leaves no hand beside a board of {len(board)}")
        free = np.setdiff1d(deck, board).astype(np.int64)
        if config is None:
            is_free = np.isin(np.arange(DECK_SIZE), free)
            numbers = np.flatnonzero(is_free[HANDS].all(axis=1))
            cards, ranks = HAND_CARDS[numbers], np.zeros(len(numbers), np.int64)
            if len(board) >= _MIN_RANKED_BOARD:
                both = np.column_stack([cards, np.tile(board, (len(numbers), 1))])
                ranks = hand_ranks(np.ascontiguousarray(both, np.uint8)).astype(np.int64)
        else:
            numbers, ranks = free, _rank_cards(config, board, free)
            absent = np.setdiff1d(np.arange(DECK_SIZE), deck)
            cards = np.column_stack([free, absent[np.searchsorted(deck, free)]])  # the second is no other hand's
        order = np.argsort(-ranks, kind="stable")
        self.board = board
        self.numbers: NDArray[np.int64] = numbers[order]
        """(places,): number of the hand at each place (`card_envs.poker.hands`), or its card if hands have one."""
        self.ranked: Any = np.zeros(1, RANKED)[0]
        num = self.ranked.num_hands = len(numbers)
        self.ranked.number[:num], self.ranked.rank[:num] = self.numbers, ranks[order]
        self.ranked.first[:num], self.ranked.second[:num] = cards[order].T
        mark_ties(self.ranked)
        self.place_of: NDArray[np.int64] = np.zeros(NUM_HANDS, np.int64)
        """(1326,): place of each hand number."""
        self.place_of[self.numbers] = np.arange(num)

    def __len__(self) -> int:
        """Return the number of hands."""
        return len(self.numbers)

    def sum_compatible(self, weights: Floats) -> Floats:
        """Return, for each hand, the sum of `weights` (places,) over the hands that share no card with it."""
        values = np.zeros(len(self))
        sum_folds(self.ranked, len(self), weights, 1.0, np.zeros(DECK_SIZE), values)
        return values


def _rank_cards(config: HoldemConfig, board: NDArray[np.int64], cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ranks of hands of one card with a board, as the engine compares them."""
    tables, ranks = config.new_tables(1), np.zeros(len(cards), np.int64)
    tables[0].deck[NUM_PLAYERS : NUM_PLAYERS + len(board)] = board
    for k, card in enumerate(cards):
        tables[0].deck[0] = card
        ranks[k] = hand_rank_at(tables[0], 0, len(board))
    return ranks
