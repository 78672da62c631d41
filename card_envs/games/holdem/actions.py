"""What the seat to act may do: amounts to call and raise to, legal action ids, and what an id stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.games.holdem.state import (
    CALL,
    FOLD,
    LIMIT,
    MENU_INTEGERS,
    MENU_LIMIT,
    MENU_POT,
    NOBODY,
    POT_LIMIT,
    RAISE,
)
from card_envs.jit import kernel
from card_envs.rng import random_below

FOLD_ACTION, CALL_ACTION, FIRST_RAISE_ACTION = 0, 1, 2

ILLEGAL = -1


@kernel
def has(seats: Any, seat: Any) -> Any:
    """Return True if the set `seats` contains `seat`."""
    return (np.int64(seats) >> seat) & 1 == 1


@kernel
def wrapped(seat: Any, num_seats: Any) -> Any:
    """Return a seat number below 2 * num_seats brought into 0 .. num_seats - 1; a division would cost 20 times that."""
    return seat - num_seats if seat >= num_seats else np.int64(seat)


@kernel
def owed(t: Any) -> Any:
    """Return the chips by which the actor's street commitment is below the current bet (may exceed the stack)."""
    return np.int64(t.current_bet) - t.street_commit[t.actor]


@kernel
def may_fold(t: Any) -> Any:
    """Return True if the actor may fold: when there is something to call, or where the profile allows it for free."""
    return owed(t) > 0 or t.fold_when_free == 1


@kernel
def may_raise(t: Any) -> Any:
    """Return True if the actor may bet or raise at all.

    Not beyond the cap, not without chips above the call, not when nobody left could call, and not in the face of an
    all-in that was less than a full raise for somebody who already acted (TDA 2024 rule 47; profile `acpc` allows it).
    """
    seat = t.actor
    to_call = owed(t)
    if t.stack[seat] <= to_call or t.street_raises[t.street] >= t.max_raises[t.street]:
        return False
    if t.short_raise_reopens == 0:
        if to_call < t.last_raise:
            return False
        if 0 < t.short_raises < t.last_raise and has(t.acted, seat):
            return False
    for k in range(t.num_seats):
        if k != seat and has(t.in_hand, k) and np.int64(t.stack[k]) + t.street_commit[k] > t.current_bet:
            return True
    return False


@kernel
def max_raise_to(t: Any) -> Any:
    """Return the largest street commitment that the actor may raise to, given that raising is allowed."""
    most = np.int64(t.stack[t.actor]) + t.street_commit[t.actor]
    if t.structure == LIMIT:
        return min(most, np.int64(t.current_bet) + t.size[t.street])
    if t.structure == POT_LIMIT:
        return min(most, max(full_raise_to(t), np.int64(t.current_bet) + t.pot + owed(t)))
    return most


@kernel
def min_raise_to(t: Any) -> Any:
    """Return the smallest street commitment that the actor may raise to, given that raising is allowed."""
    most = np.int64(t.stack[t.actor]) + t.street_commit[t.actor]
    if t.structure == LIMIT:
        return min(most, np.int64(t.current_bet) + t.size[t.street])
    return min(most, full_raise_to(t))


@kernel
def full_raise_to(t: Any) -> Any:
    """Return the street commitment of the smallest full raise, whatever the actor's chips."""
    if t.short_raise_reopens == 1 and t.last_raise > 0:
        return np.int64(t.current_bet) + t.last_raise
    return np.int64(t.current_bet) + max(t.last_raise, t.min_bet)


@kernel
def raise_to_of(t: Any, action: Any) -> Any:
    """Return the street commitment that raise id `action` stands for, or ILLEGAL; raising itself must be allowed."""
    low, high = min_raise_to(t), max_raise_to(t)
    if t.menu == MENU_LIMIT:
        return high
    if t.menu == MENU_INTEGERS:
        return np.int64(action) if low <= action <= high else np.int64(ILLEGAL)
    index = action - FIRST_RAISE_ACTION
    if index >= t.num_sizes:
        return high
    if t.menu == MENU_POT:
        amount = np.int64(t.current_bet) + (np.int64(t.pot) + owed(t)) * np.int64(t.size[index]) // 1000
    else:
        amount = np.int64(t.size[index])
    # with an all-in in the menu, sizes that reach the maximum leave it to that id: one id for one bet
    if amount < low or amount > high - t.has_all_in:
        return np.int64(ILLEGAL)
    return amount


@kernel
def is_legal(t: Any, action: Any) -> Any:
    """Return True if the actor may take action id `action`; any integer is allowed as argument."""
    if t.actor == NOBODY or action < 0 or action >= t.num_actions:
        return False
    if action == FOLD_ACTION:
        return may_fold(t)
    if action == CALL_ACTION:
        return True
    return may_raise(t) and raise_to_of(t, action) != ILLEGAL


@kernel
def kind_of(action: Any) -> Any:
    """Return FOLD, CALL or RAISE for an action id."""
    return RAISE if action >= FIRST_RAISE_ACTION else (CALL if action == CALL_ACTION else FOLD)


@kernel
def legal_bits(t: Any) -> Any:
    """Return the legal ids as the bits of an integer; for every menu but MENU_INTEGERS, whose ids exceed 63."""
    bits = np.int64(1 << CALL_ACTION)
    if may_fold(t):
        bits |= 1 << FOLD_ACTION
    if may_raise(t):
        for action in range(FIRST_RAISE_ACTION, t.num_actions):
            if raise_to_of(t, action) != ILLEGAL:
                bits |= np.int64(1) << action
    return bits


@kernel
def write_mask(t: Any, seat: Any, m: Any) -> None:
    """Write 1 for every legal id into m.mask (int8), 0 elsewhere; all zeros unless `seat` is the actor."""
    for action in range(t.num_actions):
        m.mask[action] = 0
    if t.actor == NOBODY or t.actor != seat:
        return
    if t.menu != MENU_INTEGERS:
        bits = legal_bits(t)
        for action in range(t.num_actions):
            m.mask[action] = (bits >> action) & 1
        return
    m.mask[CALL_ACTION] = 1
    m.mask[FOLD_ACTION] = may_fold(t)
    if may_raise(t):
        for action in range(min_raise_to(t), max_raise_to(t) + 1):
            m.mask[action] = 1


@kernel
def random_action(t: Any, stream: Any) -> Any:
    """Return a uniformly random legal id, drawn from the random stream of record `stream`; 0 when the hand is over."""
    if t.actor == NOBODY:
        return np.int64(FOLD_ACTION)
    if t.menu == MENU_INTEGERS:
        return _random_integer_action(t, stream)
    bits = legal_bits(t)
    count = 0
    rest = bits
    while rest:
        rest &= rest - 1
        count += 1
    skip = random_below(stream, np.int64(count))
    for _ in range(skip):
        bits &= bits - 1
    action = np.int64(0)
    while (bits >> action) & 1 == 0:
        action += 1
    return action


@kernel
def _random_integer_action(t: Any, stream: Any) -> Any:
    low, high = np.int64(0), np.int64(-1)
    if may_raise(t):
        low, high = min_raise_to(t), max_raise_to(t)
    folds = 1 if may_fold(t) else 0
    pick = random_below(stream, folds + 1 + high - low + 1)
    if pick < folds:
        return np.int64(FOLD_ACTION)
    return np.int64(CALL_ACTION) if pick == folds else low + pick - folds - 1
