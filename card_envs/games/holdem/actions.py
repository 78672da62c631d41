"""Legal actions of the seat to act: amounts to call and raise to, action ids, and the amounts that ids stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import bit_count, lowest_bit, nth_bit
from card_envs.compiler import kernel
from card_envs.game_loops import NO_ACTION
from card_envs.games.holdem.state import (
    CALL,
    FOLD,
    MENU_INTEGERS,
    MENU_LIMIT,
    MENU_POT,
    RAISE,
    Table,
)
from card_envs.records import Tables
from card_envs.rng import random_below

__all__ = ["CALL_ACTION", "FIRST_RAISE_ACTION", "FOLD_ACTION", "is_legal", "raise_to_of", "write_mask"]

FOLD_ACTION, CALL_ACTION, FIRST_RAISE_ACTION = 0, 1, 2

INTEGERS_OFFSET = FIRST_RAISE_ACTION - 1
"""MENU_INTEGERS: action id minus the amount that it raises to; the first raise id raises to one chip."""

NO_AMOUNT = -1
"""Returned by `raise_to_of` for a raise that is not possible."""
_LEGAL_BITS = 16  # size of the field `legal`


@kernel
def has(seats: Any, seat: Any) -> Any:
    """Return True if the set `seats` contains `seat`."""
    return (np.int64(seats) >> seat) & 1 == 1


@kernel
def wrap_seat(seat: Any, num_seats: Any) -> Any:
    """Return a number below 2 * num_seats modulo num_seats; a division would take 20 times as long."""
    return seat - num_seats if seat >= num_seats else np.int64(seat)


@kernel
def seat_position(t: Table, seat: Any) -> Any:
    """Return the position of a seat: 0 for the first seat left of the button, then clockwise."""
    return wrap_seat(np.int64(seat) - t.button - 1 + t.num_seats, np.int64(t.num_seats))


@kernel
def first_seat_from(seats: Any, start: Any, num_seats: Any) -> Any:
    """Return the first seat of a non-empty set, clockwise from seat `start` (below 2 * num_seats)."""
    from_start = seats & (np.int64(-1) << wrap_seat(start, num_seats))
    return lowest_bit(from_start if from_start else seats)


@kernel
def amount_to_call(t: Table) -> Any:
    """Return the current bet minus the actor's street commitment, in chips; it may exceed the stack."""
    return np.int64(t.current_bet) - t.street_commit[t.actor]


@kernel
def menu_amount(t: Table, action: Any) -> Any:
    """Return the street commitment of a raise id with a size of the bet menu, legal or not."""
    size = np.int64(t.bet_size[action - FIRST_RAISE_ACTION])
    if t.menu == MENU_POT:
        return np.int64(t.current_bet) + (np.int64(t.pot) + amount_to_call(t)) * size // 1000
    return size


@kernel
def num_menu_actions(t: Table) -> Any:
    """Return the number of action ids; for MENU_INTEGERS, without the raises."""
    if t.menu == MENU_LIMIT:
        return np.int64(FIRST_RAISE_ACTION + 1)
    return np.int64(FIRST_RAISE_ACTION) + t.num_sizes + t.has_all_in


@kernel
def raise_to_of(t: Table, action: Any) -> Any:
    """Return the street commitment of raise id `action`, or NO_AMOUNT; the actor must be allowed to raise."""
    low, high = np.int64(t.min_raise_to), np.int64(t.max_raise_to)
    if t.menu == MENU_INTEGERS:
        asked = np.int64(action) - INTEGERS_OFFSET
        return asked if low <= asked <= high else np.int64(NO_AMOUNT)
    if t.menu == MENU_LIMIT or action - FIRST_RAISE_ACTION >= t.num_sizes:
        return high
    amount = menu_amount(t, action)
    # a size that reaches the maximum is left to the all-in id, if there is one, so that each bet has one id
    if amount < low or amount > high - t.has_all_in:
        return np.int64(NO_AMOUNT)
    return amount


@kernel
def is_legal(t: Table, action: Any) -> Any:
    """Return True if the actor may take action id `action`, which may be any integer."""
    if 0 <= action < _LEGAL_BITS and (np.int64(t.legal) >> action) & 1 == 1:
        return True
    if t.menu != MENU_INTEGERS or action < FIRST_RAISE_ACTION or t.max_raise_to == 0:
        return False
    return t.min_raise_to <= action - INTEGERS_OFFSET <= t.max_raise_to


def list_menu_raises(t: Table) -> list[int]:
    """Return the legal raise ids of a bet menu; [] for MENU_INTEGERS."""
    if t.menu == MENU_INTEGERS:
        return []
    return [action for action in range(FIRST_RAISE_ACTION, int(num_menu_actions(t))) if is_legal(t, action)]


def find_raise(t: Table, amount: int) -> int | None:
    """Return the legal action id that bets or raises to a street commitment in chips; None if there is none."""
    if t.menu == MENU_INTEGERS:
        exact = amount + INTEGERS_OFFSET
        return exact if exact >= FIRST_RAISE_ACTION and is_legal(t, exact) else None
    return next((action for action in list_menu_raises(t) if raise_to_of(t, action) == amount), None)


@kernel
def betting_options(tables: Tables, i: Any) -> Any:
    """Return the actor's (may fold, chips to call, min raise-to, max raise-to); the last two are 0 without a raise."""
    t: Table = tables[i]
    return t.legal & 1 == 1, min(amount_to_call(t), t.stack[t.actor]), t.min_raise_to, t.max_raise_to


@kernel
def kind_of(action: Any) -> Any:
    """Return FOLD, CALL or RAISE for an action id."""
    return RAISE if action >= FIRST_RAISE_ACTION else (CALL if action == CALL_ACTION else FOLD)


@kernel
def write_mask(t: Table, seat: Any, m: Any) -> None:
    """Write 1 for every legal id into m.mask (int8), 0 elsewhere; all zeros unless `seat` is the actor."""
    legal = np.int64(t.legal) if t.actor == seat else np.int64(0)
    if t.menu != MENU_INTEGERS:
        for action in range(m.mask.shape[0]):
            m.mask[action] = (legal >> action) & 1
        return
    for action in range(m.mask.shape[0]):
        m.mask[action] = 0
    if legal:
        m.mask[FOLD_ACTION] = legal & 1
        m.mask[CALL_ACTION] = 1
        if t.max_raise_to > 0:
            for amount in range(t.min_raise_to, t.max_raise_to + 1):
                m.mask[amount + INTEGERS_OFFSET] = 1


@kernel
def random_action(t: Table, stream: Any) -> Any:
    """Return a uniformly random legal id, drawn from the random stream of record `stream`; 0 if the hand is over."""
    bits = np.int64(t.legal)
    if bits == 0:
        return np.int64(FOLD_ACTION)
    count = bit_count(bits)
    if t.menu != MENU_INTEGERS or t.max_raise_to == 0:
        return nth_bit(bits, random_below(stream, count))
    pick = random_below(stream, count + t.max_raise_to - t.min_raise_to + 1)
    return nth_bit(bits, pick) if pick < count else np.int64(t.min_raise_to) + INTEGERS_OFFSET + pick - count


@kernel
def forced_action(t: Table) -> Any:
    """Return the only legal id, or NO_ACTION if there are more."""
    bits = np.int64(t.legal)
    if bits & (bits - 1) != 0 or (t.menu == MENU_INTEGERS and t.max_raise_to > 0):
        return np.int64(NO_ACTION)
    return lowest_bit(bits)
