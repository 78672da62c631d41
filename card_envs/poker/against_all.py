"""Kernels for the equity of a hand of Texas hold'em against each of the 1,326 hands that an opponent may hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.draw import draw_unused_card
from card_envs.poker.hands import BOARD_SIZE, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.rng import STREAM

AGAINST_ALL = np.dtype(
    (
        np.record,
        [
            STREAM,  # random stream of `try_random_board`
            ("chance", np.float64, (NUM_HANDS,)),  # share of the pot won against each hand
            # --- scratch ---
            ("boards", np.int64, (NUM_HANDS,)),  # number of boards that are possible with each hand
            ("used", np.int64),  # set of own hole cards and board cards
            ("key", np.int64),  # sums for the board, see `poker.ranks`
            ("bits", np.int64),
            ("own_key", np.int64),  # sums for the own hole cards
            ("own_bits", np.int64),
        ],
    )
)
"""Dtype of the record of one computation, scratch space and result.

Call `take_hand`, then `add_board_card` for each known card, then `try_all_boards` or `try_random_board`, then `finish`.
"""


@kernel
def take_hand(r: Any, first: Any, second: Any) -> None:
    """Set the own hole cards (ids), and clear the board and the result."""
    r.used = np.int64(1) << first | np.int64(1) << second
    r.own_key = CARD_KEYS[first] + CARD_KEYS[second]
    r.own_bits = CARD_BITS[first] | CARD_BITS[second]
    r.key, r.bits = 0, 0
    for hand in range(NUM_HANDS):
        r.chance[hand], r.boards[hand] = 0.0, 0


@kernel
def add_board_card(r: Any, card: Any) -> None:
    """Add a card id to the board."""
    r.used |= np.int64(1) << card
    r.key += CARD_KEYS[card]
    r.bits |= CARD_BITS[card]


@kernel
def try_all_boards(r: Any, known: Any) -> None:
    """Add the shares on every complete board that begins with the `known` (3, 4 or 5) board cards."""
    if known == BOARD_SIZE:
        _add_board(r)
    elif known == BOARD_SIZE - 1:
        _try_last_card(r, np.int64(0))
    else:
        used, key, bits = r.used, r.key, r.bits
        for turn in range(DECK_SIZE):
            if (used >> turn) & 1 == 0:
                add_board_card(r, np.int64(turn))
                _try_last_card(r, np.int64(turn + 1))
                r.used, r.key, r.bits = used, key, bits


@kernel
def _try_last_card(r: Any, start: Any) -> None:
    """Add the shares on every board whose last card has an id of at least `start`."""
    used, key, bits = r.used, r.key, r.bits
    for card in range(start, DECK_SIZE):
        if (used >> card) & 1 == 0:
            add_board_card(r, np.int64(card))
            _add_board(r)
            r.used, r.key, r.bits = used, key, bits


@kernel
def try_random_board(r: Any, known: Any) -> None:
    """Add the shares on one random board that begins with the `known` board cards."""
    used, key, bits = r.used, r.key, r.bits
    for _ in range(BOARD_SIZE - known):
        add_board_card(r, draw_unused_card(r, r.used))
    _add_board(r)
    r.used, r.key, r.bits = used, key, bits


@kernel
def finish(r: Any) -> None:
    """Divide the sums of shares by the numbers of boards; impossible hands get 0.5."""
    for hand in range(NUM_HANDS):
        r.chance[hand] = r.chance[hand] / r.boards[hand] if r.boards[hand] > 0 else 0.5


@kernel
def _add_board(r: Any) -> None:
    """Add the share against every hand that is possible on this complete board."""
    own = rank_of(r.key + r.own_key, r.bits | r.own_bits)
    hand = -1
    for a in range(DECK_SIZE):
        for b in range(a + 1, DECK_SIZE):
            hand += 1
            if ((r.used >> a) | (r.used >> b)) & 1 == 0:
                rank = rank_of(r.key + CARD_KEYS[a] + CARD_KEYS[b], r.bits | CARD_BITS[a] | CARD_BITS[b])
                r.boards[hand] += 1
                r.chance[hand] += 1.0 if own < rank else (0.5 if own == rank else 0.0)
