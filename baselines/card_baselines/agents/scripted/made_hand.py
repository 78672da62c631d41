"""Classes of the hand that hole cards make with the board: by equal ranks, equal suits, and runs (Shi et al. 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import board_card, hole_card
from card_envs.compiler import kernel
from card_envs.games.holdem.showdown import num_board_cards

NOTHING, DRAW, PAIR, TOP_PAIR, STRONG = range(5)
"""`DRAW`: four of a suit or four of five ranks in a row, with a card to come. `TOP_PAIR`: with the highest card of the
board, or a pair in hand above it. `STRONG`: two pair or better. The board alone makes nothing."""

_WHOLE_BOARD = 5
_RUNS = 10  # of five ranks: A2345 .. TJQKA
_BITS_OF_FIVE: NDArray[np.int8] = np.array([number.bit_count() for number in range(32)], np.int8)


@kernel
def classify_made_hand(t: Any) -> Any:
    """Return the class of hand that the actor's hole cards make with three board cards or more: NOTHING .. STRONG."""
    first, second = hole_card(t, 0), hole_card(t, 1)
    count = num_board_cards(t)
    ranks = np.int64(0)
    same_first, same_second, highest = np.int64(0), np.int64(0), np.int64(-1)
    suit_first, suit_second = np.int64(1), np.int64(1)
    for k in range(count):
        card = board_card(t, k)
        ranks |= np.int64(1) << (card >> 2)
        highest = max(highest, card >> 2)
        same_first += card >> 2 == first >> 2
        same_second += card >> 2 == second >> 2
        suit_first += card & 3 == first & 3
        suit_second += card & 3 == second & 3
    if first & 3 == second & 3:
        suit_first += 1
    cards_in_line = max(max(suit_first, suit_second), longest_run(ranks, first >> 2, second >> 2))
    if cards_in_line >= _WHOLE_BOARD:
        return STRONG
    made = classify_by_ranks(first >> 2, second >> 2, same_first, same_second, highest)
    if made == NOTHING and cards_in_line == _WHOLE_BOARD - 1 and count < _WHOLE_BOARD:
        return DRAW
    return made


@kernel
def classify_by_ranks(first: Any, second: Any, same_first: Any, same_second: Any, highest: Any) -> Any:
    """Return the class of hand by ranks alone.

    The arguments are the ranks of the hole cards, the number of board cards of each of these ranks, and the highest
    rank of the board.
    """
    if first == second:
        return STRONG if same_first > 0 else TOP_PAIR if first > highest else PAIR
    if same_first + same_second >= 2:
        return STRONG
    if same_first + same_second == 0:
        return NOTHING
    return TOP_PAIR if (first if same_first > 0 else second) == highest else PAIR


@kernel
def longest_run(board_ranks: Any, first: Any, second: Any) -> Any:
    """Return the largest number of ranks present in any straight to which a hole card contributes."""
    board = board_ranks << 1 | board_ranks >> 12  # bit 0: the ace as the lowest card
    held = np.int64(1) << first | np.int64(1) << second
    own = (held << 1 | held >> 12) & ~board
    most = np.int64(0)
    for low in range(_RUNS):
        if own >> low & 31:
            most = max(most, np.int64(_BITS_OF_FIVE[(board | own) >> low & 31]))
    return most
