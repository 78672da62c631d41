"""The chance of a hold'em hand to win against each of the 1,326 hands that an opponent may hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.game import Tables
from card_envs.jit import kernel
from card_envs.poker.draw import unused_card
from card_envs.poker.hands import NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.rng import STREAM, seed_stream

_WHOLE_BOARD = 5

RANGE = np.dtype(
    (
        np.record,
        [
            STREAM,  # of the random boards
            ("chance", np.float64, (NUM_HANDS,)),  # share of the pot won against each hand
            # --- scratch ---
            ("boards", np.int64, (NUM_HANDS,)),  # that can come with each hand
            ("used", np.int64),  # set of cards that are seen, or on the board that is tried
            ("key", np.int64),  # of the board, see `poker.ranks`
            ("bits", np.int64),
            ("own_key", np.int64),  # of the hole cards
            ("own_bits", np.int64),
        ],
    )
)
"""One hand against all others; made by `chances_against`."""


def chances_against(views: Tables, seats: NDArray[np.int64], uniforms: NDArray[np.float64], num_boards: int) -> Any:
    """Return for each view the shares of the pot (n, 1326) that the hand of its seat wins on average without betting.

    Heads-up. On the turn and river over all boards that may come, before over `num_boards` random ones, which
    `uniforms` fix. Against hands that share a card with what is seen the share means nothing.
    """
    ranges = np.zeros(len(views), RANGE)
    write_chances(views, seats, uniforms, np.int64(num_boards), ranges)
    return ranges["chance"]


@kernel
def write_chances(views: Any, seats: Any, uniforms: Any, num_boards: Any, ranges: Any) -> None:
    """Write the chances of each view's hand; see `chances_against`."""
    for j in range(views.shape[0]):
        t, r = views[j], ranges[j]
        known = _see_cards(r, t, seats[j])
        if known >= _WHOLE_BOARD - 1:
            _try_all_boards(r, known)
        else:
            seed_stream(r, np.uint64(uniforms[j] * 2.0**53), np.uint64(0))
            for _ in range(num_boards):
                _try_random_board(r, known)
        for hand in range(NUM_HANDS):
            r.chance[hand] = r.chance[hand] / r.boards[hand] if r.boards[hand] > 0 else 0.5


@kernel
def _see_cards(r: Any, t: Any, seat: Any) -> Any:
    """Write hole cards and board, return how many cards are on the board."""
    known = np.int64(0)
    for street in range(t.street + 1):
        known += t.board_cards[street]
    r.used, r.key, r.bits, r.own_key, r.own_bits = 0, 0, 0, 0, 0
    for k in range(2 * seat, 2 * seat + 2):
        card = np.int64(t.deck[k])
        r.used |= np.int64(1) << card
        r.own_key += CARD_KEYS[card]
        r.own_bits |= CARD_BITS[card]
    for k in range(4, 4 + known):
        _put_on_board(r, np.int64(t.deck[k]))
    return known


@kernel
def _put_on_board(r: Any, card: Any) -> None:
    r.used |= np.int64(1) << card
    r.key += CARD_KEYS[card]
    r.bits |= CARD_BITS[card]


@kernel
def _try_all_boards(r: Any, known: Any) -> None:
    if known == _WHOLE_BOARD:
        _add_board(r)
        return
    used, key, bits = r.used, r.key, r.bits
    for card in range(DECK_SIZE):
        if (used >> card) & 1 == 0:
            _put_on_board(r, np.int64(card))
            _add_board(r)
            r.used, r.key, r.bits = used, key, bits


@kernel
def _try_random_board(r: Any, known: Any) -> None:
    used, key, bits = r.used, r.key, r.bits
    for _ in range(_WHOLE_BOARD - known):
        _put_on_board(r, unused_card(r, r.used))
    _add_board(r)
    r.used, r.key, r.bits = used, key, bits


@kernel
def _add_board(r: Any) -> None:
    """Add the shares against every hand that can be held with the whole board."""
    own = rank_of(r.key + r.own_key, r.bits | r.own_bits)
    hand = -1
    for a in range(DECK_SIZE):
        for b in range(a + 1, DECK_SIZE):
            hand += 1
            if ((r.used >> a) | (r.used >> b)) & 1 == 0:
                rank = rank_of(r.key + CARD_KEYS[a] + CARD_KEYS[b], r.bits | CARD_BITS[a] | CARD_BITS[b])
                r.boards[hand] += 1
                r.chance[hand] += 1.0 if own < rank else (0.5 if own == rank else 0.0)
