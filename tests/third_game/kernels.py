"""The rules, for one table and for many."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.game import ILLEGAL, NOBODY
from card_envs.rng import random_below
from tests.third_game.state import HAND_SIZE, NO_CARD, NUM_CARDS, NUM_SEATS


@kernel
def start(tables: Any) -> None:
    """Draw who opens; it moves on with every deal."""
    for i in range(tables.shape[0]):
        t = tables[i]
        t.opener = random_below(t, np.int64(NUM_SEATS))


@kernel
def deal(tables: Any, i: Any) -> Any:
    """Deal at random; the next seat opens."""
    t = tables[i]
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
    return begin(t)


@kernel
def begin(t: Any) -> Any:
    """Begin to play with the hands as they are; return the actor."""
    for seat in range(NUM_SEATS):
        t.payoff[seat], t.points[seat], t.played[seat] = 0, 0, 0
        t.trick[seat] = NO_CARD
    t.num_tricks, t.is_over = 0, 0
    t.leader = t.opener
    t.actor = t.opener
    return t.actor


@kernel
def begin_at(tables: Any, i: Any) -> Any:
    """Begin to play at table i."""
    return begin(tables[i])


@kernel
def deal_batch(tables: Any, rows: Any) -> None:
    """Deal at each row."""
    for j in range(rows.shape[0]):
        deal(tables, rows[j])


@kernel
def is_legal(t: Any, action: Any) -> Any:
    """Return True if the actor holds the card."""
    return t.actor != NOBODY and 0 <= action < NUM_CARDS and np.int64(t.hand[t.actor]) >> action & 1 == 1


@kernel
def step(tables: Any, i: Any, action: Any) -> Any:
    """Play a card; return the next actor, NOBODY or ILLEGAL."""
    t = tables[i]
    if not is_legal(t, action):
        return ILLEGAL
    seat, bit = np.int64(t.actor), np.int64(1) << np.int64(action)
    t.hand[seat] ^= bit
    t.played[seat] |= bit
    t.trick[seat] = action
    t.actor = (seat + 1) % NUM_SEATS
    if t.actor == t.leader:
        _close_trick(t)
    return t.actor


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
def first_illegal(tables: Any, rows: Any, actions: Any) -> Any:
    """Return the first position whose action is illegal, or -1."""
    for j in range(rows.shape[0]):
        if not is_legal(tables[rows[j]], actions[j]):
            return j
    return -1


@kernel
def step_batch(tables: Any, rows: Any, actions: Any, rewards: Any, is_over: Any, redeal: Any) -> Any:
    """Play one card at each row; see `Game.step_batch`."""
    illegal = first_illegal(tables, rows, actions)
    if illegal >= 0:
        return illegal
    for j in range(rows.shape[0]):
        step(tables, rows[j], actions[j])
        t = tables[rows[j]]
        is_over[j] = t.is_over
        for seat in range(NUM_SEATS):
            rewards[j, seat] = t.payoff[seat]
        if redeal and t.is_over == 1:
            deal(tables, rows[j])
    return -1


@kernel
def random_batch(tables: Any, rows: Any, streams: Any, actions: Any) -> None:
    """Write a random legal action for each row."""
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        actions[j] = 0
        if t.actor != NOBODY:
            skip = random_below(streams[rows[j]], np.int64(HAND_SIZE - t.num_tricks))
            for card in range(NUM_CARDS):
                if is_legal(t, np.int64(card)):
                    if skip == 0:
                        actions[j] = card
                    skip -= 1


@kernel
def write_mask(t: Any, seat: Any, m: Any) -> None:
    """Write 1 for every card that `seat` may play now."""
    for card in range(NUM_CARDS):
        m.mask[card] = 1 if t.actor == seat and is_legal(t, np.int64(card)) else 0


@kernel
def mask_batch(tables: Any, rows: Any, masks: Any) -> None:
    """Write the mask of each row's actor."""
    for j in range(rows.shape[0]):
        write_mask(tables[rows[j]], np.int64(tables[rows[j]].actor), masks[j])
