"""The rules, for one table and for many."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.rng import random_below
from tests.third_game.state import HAND_SIZE, NO_CARD, NUM_CARDS, NUM_SEATS


@kernel
def start(tables: Any) -> None:
    """Draw who opens; it moves on with every deal."""
    for i in range(tables.shape[0]):
        t = tables[i]
        t.opener = random_below(t, np.int64(NUM_SEATS))


@kernel
def deal_hands(t: Any) -> None:
    """Deal at random; the next seat opens."""
    t.opener = (np.int64(t.opener) + 1) % NUM_SEATS
    left = np.int64((1 << NUM_CARDS) - 1)
    for seat in range(NUM_SEATS):
        t.hand[seat] = 0
        for k in range(HAND_SIZE):
            skip = random_below(t, np.int64(NUM_CARDS - HAND_SIZE * seat - k))
            for card in range(NUM_CARDS):
                if left >> card & 1 == 1:
                    if skip == 0:
                        t.hand[seat] |= 1 << card
                        left &= ~(np.int64(1) << card)
                        break
                    skip -= 1
    begin(t)


@kernel
def begin(t: Any) -> None:
    """Begin to play with the hands as they are."""
    for seat in range(NUM_SEATS):
        t.payoff[seat], t.points[seat], t.played[seat] = 0, 0, 0
        t.trick[seat] = NO_CARD
    t.num_tricks, t.is_over = 0, 0
    t.leader = t.opener
    t.actor = t.opener


@kernel
def begin_at(tables: Any, i: Any) -> Any:
    """Begin to play at table i; return the actor."""
    begin(tables[i])
    return tables[i].actor


@kernel
def is_legal(t: Any, action: Any) -> Any:
    """Return True if the actor holds the card."""
    return t.actor != NOBODY and 0 <= action < NUM_CARDS and np.int64(t.hand[t.actor]) >> action & 1 == 1


@kernel
def play(t: Any, action: Any) -> None:
    """Play a card that the actor holds."""
    seat, bit = np.int64(t.actor), np.int64(1) << np.int64(action)
    t.hand[seat] ^= bit
    t.played[seat] |= bit
    t.trick[seat] = action
    t.actor = (seat + 1) % NUM_SEATS
    if t.actor == t.leader:
        _close_trick(t)


@kernel
def _close_trick(t: Any) -> None:
    winner = np.int64(0)
    for seat in range(1, NUM_SEATS):
        if t.trick[seat] > t.trick[winner]:
            winner = np.int64(seat)
    t.num_tricks += 1
    t.points[winner] += t.last_trick if t.num_tricks == HAND_SIZE else 1
    t.leader = winner
    t.actor = winner
    if t.num_tricks == HAND_SIZE:
        t.actor, t.is_over = NOBODY, 1
        for seat in range(NUM_SEATS):
            t.payoff[seat] = NUM_SEATS * t.points[seat] - (HAND_SIZE - 1 + t.last_trick)
    else:
        for seat in range(NUM_SEATS):
            t.trick[seat] = NO_CARD


@kernel
def reward(t: Any, seat: Any) -> Any:
    """Return the points that a seat has won."""
    return t.payoff[seat]


@kernel
def random_action(t: Any, stream: Any) -> Any:
    """Return a random card of the actor, 0 when the deal is over."""
    if t.actor == NOBODY:
        return np.int64(0)
    skip = random_below(stream, np.int64(HAND_SIZE - t.num_tricks))
    chosen = np.int64(0)
    for card in range(NUM_CARDS):
        if is_legal(t, np.int64(card)):
            if skip == 0:
                chosen = np.int64(card)
            skip -= 1
    return chosen


@kernel
def write_mask(t: Any, seat: Any, m: Any) -> None:
    """Write 1 for every card that `seat` may play now."""
    for card in range(NUM_CARDS):
        m.mask[card] = 1 if t.actor == seat and is_legal(t, np.int64(card)) else 0
