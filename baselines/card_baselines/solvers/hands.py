"""All hands that can be held with a board, ordered by strength, and the sums that value folds and showdowns.

The *place* of a hand is its index in this order, weakest first. `RANKED` lists the hands of a board, `Hands` puts them
in buckets. `sum_folds` and `sum_showdowns` take one weight for each place; `sum_folds_by_column` and
`sum_showdowns_by_column` take several side by side.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, WORST_RANK, rank_of

WHOLE_BOARD = 5

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
    for k in range(WHOLE_BOARD):
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
def list_hands(board: Any, ranked: Any) -> None:
    """Write the hands that are possible with `board`, an array of any number of cards, by number and without ranks."""
    used, num = np.int64(0), np.int64(0)
    for k in range(board.shape[0]):
        used |= np.int64(1) << np.int64(board[k])
    for hand in range(NUM_HANDS):
        a, b = HAND_CARDS[hand, 0], HAND_CARDS[hand, 1]
        if ((used >> a) | (used >> b)) & 1 == 0:
            ranked.number[num], ranked.first[num], ranked.second[num] = hand, a, b
            num += 1
    ranked.num_hands = num
    for place in range(num):
        ranked.end[place] = num


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


class Hands(NamedTuple):
    """The hands that can be held with a board, by place, in the buckets of each street; `arrange_hands` writes it."""

    size: NDArray[np.int64]
    """(1,): number of hands."""
    first: NDArray[np.int64]
    """(hands,): a card of each hand."""
    second: NDArray[np.int64]
    """(hands,): the other card."""
    end: NDArray[np.int64]
    """(hands,): place after the last hand of equal strength."""
    bucket: NDArray[np.int64]
    """(streets, hands): bucket of each hand."""
    order: NDArray[np.int64]
    """(streets, hands): places sorted by bucket."""
    begin: NDArray[np.int64]
    """(streets, buckets + 1): start of each bucket in `order`."""
    num_buckets: NDArray[np.int64]
    """(streets,): number of buckets on each street."""

    @staticmethod
    def allocate(num_buckets: NDArray[np.int64]) -> Hands:
        """Return arrays for `num_buckets` (streets,) buckets on each street."""
        streets = len(num_buckets)
        return Hands(
            size=np.zeros(1, np.int64),
            first=np.zeros(NUM_HANDS, np.int64),
            second=np.zeros(NUM_HANDS, np.int64),
            end=np.zeros(NUM_HANDS, np.int64),
            bucket=np.zeros((streets, NUM_HANDS), np.int64),
            order=np.zeros((streets, NUM_HANDS), np.int64),
            begin=np.zeros((streets, int(num_buckets.max()) + 2), np.int64),
            num_buckets=num_buckets,
        )


@kernel
def arrange_hands(ranked: Any, buckets: Any, hands: Any) -> None:
    """Write `hands` from a record of `RANKED` and the bucket of each place, (streets, hands)."""
    num = np.int64(ranked.num_hands)
    hands.size[0] = num
    for h in range(num):
        hands.first[h], hands.second[h], hands.end[h] = ranked.first[h], ranked.second[h], ranked.end[h]
    for street in range(hands.num_buckets.shape[0]):
        begin, size = hands.begin[street], hands.num_buckets[street]
        for b in range(size + 2):
            begin[b] = 0
        for h in range(num):
            hands.bucket[street, h] = buckets[street, h]
            begin[buckets[street, h] + 2] += 1
        for b in range(2, size + 2):
            begin[b] += begin[b - 1]
        for h in range(num):  # begin[b + 1] moves from the start of bucket b to its end
            b = buckets[street, h]
            hands.order[street, begin[b + 1]] = h
            begin[b + 1] += 1


# --- sums over the opponent's hands ---------------------------------------------------------------------------------
# One source for single weights and for columns of weights: the small kernels below are all that differs.


@kernel
def _one(weights: Any) -> Any:
    return 1


@kernel
def _columns(weights: Any) -> Any:
    return weights.shape[1]


@kernel
def _get(array: Any, h: Any, column: Any) -> Any:
    return array[h]


@kernel
def _get_column(array: Any, h: Any, column: Any) -> Any:
    return array[h, column]


@kernel
def _set(array: Any, h: Any, column: Any, value: Any) -> None:
    array[h] = value


@kernel
def _set_column(array: Any, h: Any, column: Any, value: Any) -> None:
    array[h, column] = value


@kernel
def _item(values: Any, column: Any) -> Any:
    return values


@kernel
def _item_of_column(values: Any, column: Any) -> Any:
    return values[column]


@kernel
def _begin_total(by_card: Any) -> Any:
    """Return a total of 0: a number, which is faster than an entry of an array."""
    return np.float32(0)


@kernel
def _begin_totals(by_card: Any) -> Any:
    """Return totals of 0, (columns,): a row of `by_card`."""
    for column in range(by_card.shape[1]):
        by_card[DECK_SIZE, column] = 0
    return by_card[DECK_SIZE]


@kernel
def _add_to_total(total: Any, weights: Any, h: Any) -> Any:
    return total + weights[h]


@kernel
def _add_to_totals(total: Any, weights: Any, h: Any) -> Any:
    for column in range(total.shape[0]):
        total[column] += weights[h, column]
    return total


def _make_sums(  # noqa: C901  nested loops over hands and columns
    width: Any, get: Any, put: Any, item: Any, begin_total: Any, add_to_total: Any
) -> tuple[Any, Any]:
    """Return the kernels of the sums for folds and for showdowns, with these accesses to arrays."""

    @kernel
    def begin(by_card: Any, columns: Any) -> Any:
        """Set all sums to 0, and return the total."""
        for card in range(DECK_SIZE):
            for k in range(columns):
                put(by_card, card, k, 0)
        return begin_total(by_card)

    @kernel
    def add_hand(hands: Any, h: Any, weights: Any, by_card: Any, total: Any, columns: Any) -> Any:
        """Add the weight of a hand to the sums of its cards, and return the total with it."""
        a, b = hands.first[h], hands.second[h]
        for k in range(columns):
            weight = get(weights, h, k)
            put(by_card, a, k, get(by_card, a, k) + weight)
            put(by_card, b, k, get(by_card, b, k) + weight)
        return add_to_total(total, weights, h)

    @kernel
    def sum_folds(hands: Any, size: Any, weights: Any, factors: Any, by_card: Any, values: Any) -> None:
        """Write for each place `factors` times the sum of the weights of all hands that share no card with the hand."""
        columns = width(weights)
        total = begin(by_card, columns)
        for h in range(size):
            total = add_hand(hands, h, weights, by_card, total, columns)
        for h in range(size):
            a, b = hands.first[h], hands.second[h]
            for k in range(columns):  # the hand itself is subtracted twice, so its weight is added again
                others = item(total, k) - get(by_card, a, k) - get(by_card, b, k) + get(weights, h, k)
                put(values, h, k, item(factors, k) * others)

    @kernel
    def sum_showdowns(hands: Any, size: Any, weights: Any, factors: Any, by_card: Any, values: Any) -> None:
        """Write for each place `factors` times (the weights of hands that it beats - of hands that beat it).

        Only hands that share no card with it count. Hands are added to running sums in the order of their strength, one
        group of equal hands after the other: the sums before a group are the hands that it beats, the sums after it
        also contain the hands that it ties with.
        """
        columns = width(weights)
        total = begin(by_card, columns)
        for h in range(size):
            for k in range(columns):
                put(values, h, k, get(weights, h, k))
        group, end = np.int64(0), np.int64(hands.end[0])
        while group < size:
            for h in range(group, end):
                total = add_hand(hands, h, weights, by_card, total, columns)
            following = np.int64(hands.end[end] if end < size else size)
            for h in range(group, following):
                a, b = hands.first[h], hands.second[h]
                for k in range(columns):
                    others = item(total, k) - get(by_card, a, k) - get(by_card, b, k)
                    put(values, h, k, get(values, h, k) + others)
            group, end = end, following
        for h in range(size):
            a, b = hands.first[h], hands.second[h]
            for k in range(columns):
                others = item(total, k) - get(by_card, a, k) - get(by_card, b, k) + get(weights, h, k)
                put(values, h, k, item(factors, k) * (get(values, h, k) - others))

    return sum_folds, sum_showdowns


sum_folds, sum_showdowns = _make_sums(_one, _get, _set, _item, _begin_total, _add_to_total)
"""Kernels (hands, size, weights, factor, by_card, values).

`hands` is a record of `RANKED`, or `Hands`, with `size` hands; `weights` and `values` are (hands,) by place, `by_card`
(cards,) is scratch space.
"""
sum_folds_by_column, sum_showdowns_by_column = _make_sums(
    _columns, _get_column, _set_column, _item_of_column, _begin_totals, _add_to_totals
)
"""The same for weights and values (hands, columns), factors (columns,) and `by_card` (cards + 1, columns)."""
