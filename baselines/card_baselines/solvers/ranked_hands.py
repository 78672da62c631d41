"""All hands that can be held with a board, ordered by strength, and sums over the hands that each of them beats.

The *place* of a hand is its index in this order. Sums are taken for several weights side by side, one for each betting
*sequence*: the last axis of every array.
"""

from __future__ import annotations

from typing import Any

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


@kernel
def add_compatible(ranked: Any, weights: Any, slot: Any, sums: Any, values: Any, target: Any) -> None:
    """Write for each place the sum of `weights[slot]` over all hands that share no card with the hand there.

    `weights` and `values` are (slots, hands, sequences), by place; `sums` (DECK_SIZE + 1, sequences) is scratch space.
    The result is written to values[target].
    """
    _clear(sums)
    for h in range(ranked.num_hands):
        _add(sums, ranked.first[h], ranked.second[h], weights, slot, h)
    for h in range(ranked.num_hands):
        a, b = ranked.first[h], ranked.second[h]
        for sequence in range(sums.shape[1]):  # the hand itself is subtracted twice, so its weight is added again
            values[target, h, sequence] = (
                sums[DECK_SIZE, sequence] - sums[a, sequence] - sums[b, sequence] + weights[slot, h, sequence]
            )  # fmt: skip


@kernel
def add_showdowns(ranked: Any, weights: Any, slot: Any, sums: Any, values: Any, target: Any) -> None:
    """Write for each place the sum of `weights[slot]` over hands that it beats, less that over hands that beat it.

    Only hands that share no card with it count. Arrays as in `add_compatible`.
    """
    size = np.int64(ranked.num_hands)
    _clear(sums)
    begin = np.int64(0)
    while begin < size:
        end = begin
        while end < size and ranked.rank[end] == ranked.rank[begin]:
            a, b = ranked.first[end], ranked.second[end]
            for sequence in range(sums.shape[1]):
                values[target, end, sequence] = sums[DECK_SIZE, sequence] - sums[a, sequence] - sums[b, sequence]
            end += 1
        for h in range(begin, end):
            _add(sums, ranked.first[h], ranked.second[h], weights, slot, h)
        begin = end
    _clear(sums)
    end = size - 1
    while end >= 0:
        begin = end
        while begin >= 0 and ranked.rank[begin] == ranked.rank[end]:
            a, b = ranked.first[begin], ranked.second[begin]
            for sequence in range(sums.shape[1]):
                values[target, begin, sequence] -= sums[DECK_SIZE, sequence] - sums[a, sequence] - sums[b, sequence]
            begin -= 1
        for h in range(begin + 1, end + 1):
            _add(sums, ranked.first[h], ranked.second[h], weights, slot, h)
        end = begin


@kernel
def _clear(sums: Any) -> None:
    """Set all sums to 0."""
    for card in range(DECK_SIZE + 1):
        for sequence in range(sums.shape[1]):
            sums[card, sequence] = 0


@kernel
def _add(sums: Any, a: Any, b: Any, weights: Any, slot: Any, h: Any) -> None:
    """Add the weight of the hand at place h to the sums of its cards a and b, and to the total."""
    for sequence in range(sums.shape[1]):
        weight = weights[slot, h, sequence]
        sums[a, sequence] += weight
        sums[b, sequence] += weight
        sums[DECK_SIZE, sequence] += weight
