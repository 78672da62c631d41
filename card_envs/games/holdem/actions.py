"""What the seat to act may do: amounts to call and raise to, legal action ids, and what an id stands for."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.bits import bit_count, lowest_bit, nth_bit
from card_envs.compiler import kernel
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
    Table,
)
from card_envs.records import Tables
from card_envs.rng import random_below

FOLD_ACTION, CALL_ACTION, FIRST_RAISE_ACTION = 0, 1, 2

INTEGERS_OFFSET = FIRST_RAISE_ACTION - 1
"""MENU_INTEGERS: action id minus the amount that it raises to; the smallest all-in is one chip, the first raise id."""

NO_AMOUNT = -1
"""Returned by `raise_to_of` for a raise that is not open; no amount of chips is negative."""
_LEGAL_BITS = 16  # of the field `legal`


@kernel
def has(seats: Any, seat: Any) -> Any:
    """Return True if the set `seats` contains `seat`."""
    return (np.int64(seats) >> seat) & 1 == 1


@kernel
def wrapped(seat: Any, num_seats: Any) -> Any:
    """Return a seat number below 2 * num_seats brought into 0 .. num_seats - 1; a division would cost 20 times that."""
    return seat - num_seats if seat >= num_seats else np.int64(seat)


@kernel
def first_from(seats: Any, start: Any, num_seats: Any) -> Any:
    """Return the first seat of a set that is not empty, clockwise from seat `start` (below 2 * num_seats)."""
    behind = seats & (np.int64(-1) << wrapped(start, num_seats))
    return lowest_bit(behind if behind else seats)


@kernel
def owed(t: Table) -> Any:
    """Return the chips by which the actor's street commitment is below the current bet (may exceed the stack)."""
    return np.int64(t.current_bet) - t.street_commit[t.actor]


@kernel
def give_turn(t: Table, seat: Any) -> None:
    """Make `seat` the actor and write down, once, what it may do: the fields legal, min_raise_to and max_raise_to."""
    t.actor = seat
    t.min_raise_to = 0
    t.max_raise_to = 0
    legal = np.int64(1 << CALL_ACTION)
    if owed(t) > 0 or t.fold_when_free == 1:
        legal |= 1 << FOLD_ACTION
    if _may_raise(t):
        _set_raise_bounds(t)
        if t.menu == MENU_LIMIT:
            legal |= 1 << FIRST_RAISE_ACTION
        elif t.menu != MENU_INTEGERS:
            for action in range(FIRST_RAISE_ACTION, num_menu_actions(t)):
                if raise_to_of(t, action) != NO_AMOUNT:
                    legal |= np.int64(1) << action
    t.legal = legal


@kernel
def take_turn_away(t: Table) -> None:
    """Leave the table without an actor: nothing is legal any more."""
    t.actor = NOBODY
    t.legal = 0
    t.min_raise_to = 0
    t.max_raise_to = 0


@kernel
def _may_raise(t: Table) -> Any:
    """Return True if the actor may bet or raise at all.

    Not beyond the cap, not without chips above the call, not when nobody left could call, and not in the face of an
    all-in that was less than a full raise for somebody who already acted (TDA 2024 rule 47; profile `acpc` allows it).
    """
    seat = np.int64(t.actor)
    to_call = owed(t)
    if t.stack[seat] <= to_call or t.street_raises[t.street] >= t.max_raises[t.street]:
        return False
    if t.short_raise_reopens == 0:
        if to_call < t.last_raise:
            return False
        if 0 < t.short_raises < t.last_raise and has(t.acted, seat):
            return False
    others = np.int64(t.in_hand) & ~(np.int64(1) << seat)
    while others:
        other = lowest_bit(others)
        if np.int64(t.stack[other]) + t.street_commit[other] > t.current_bet:
            return True
        others &= others - 1
    return False


@kernel
def _set_raise_bounds(t: Table) -> None:
    most = np.int64(t.stack[t.actor]) + t.street_commit[t.actor]
    if t.structure == LIMIT:
        low = high = np.int64(t.current_bet) + t.bet_size[t.street]
    else:
        low = full_raise_to(t)
        high = most
        if t.structure == POT_LIMIT:
            high = max(low, np.int64(t.current_bet) + t.pot + owed(t))
    t.min_raise_to = min(most, low)
    t.max_raise_to = min(most, high)


@kernel
def full_raise_to(t: Table) -> Any:
    """Return the street commitment of the smallest full raise, whatever the actor's chips."""
    if t.short_raise_reopens == 1 and t.last_raise > 0:
        return np.int64(t.current_bet) + t.last_raise
    return np.int64(t.current_bet) + max(t.last_raise, t.min_bet)


@kernel
def menu_amount(t: Table, action: Any) -> Any:
    """Return the street commitment that a sized raise id of the bet menu asks for, legal or not."""
    size = np.int64(t.bet_size[action - FIRST_RAISE_ACTION])
    if t.menu == MENU_POT:
        return np.int64(t.current_bet) + (np.int64(t.pot) + owed(t)) * size // 1000
    return size


@kernel
def num_menu_actions(t: Table) -> Any:
    """Return the number of action ids; of MENU_INTEGERS, whose raises are all amounts, those below the first raise."""
    if t.menu == MENU_LIMIT:
        return np.int64(FIRST_RAISE_ACTION + 1)
    return np.int64(FIRST_RAISE_ACTION) + t.num_sizes + t.has_all_in


@kernel
def raise_to_of(t: Table, action: Any) -> Any:
    """Return the street commitment that raise id `action` stands for, or NO_AMOUNT; raising itself must be allowed."""
    low, high = np.int64(t.min_raise_to), np.int64(t.max_raise_to)
    if t.menu == MENU_INTEGERS:
        asked = np.int64(action) - INTEGERS_OFFSET
        return asked if low <= asked <= high else np.int64(NO_AMOUNT)
    if t.menu == MENU_LIMIT or action - FIRST_RAISE_ACTION >= t.num_sizes:
        return high
    amount = menu_amount(t, action)
    # with an all-in in the menu, sizes that reach the maximum leave it to that id: one id for one bet
    if amount < low or amount > high - t.has_all_in:
        return np.int64(NO_AMOUNT)
    return amount


@kernel
def is_legal(t: Table, action: Any) -> Any:
    """Return True if the actor may take action id `action`; any integer is allowed as argument."""
    if 0 <= action < _LEGAL_BITS and (np.int64(t.legal) >> action) & 1 == 1:
        return True
    if t.menu != MENU_INTEGERS or action < FIRST_RAISE_ACTION or t.max_raise_to == 0:
        return False
    return t.min_raise_to <= action - INTEGERS_OFFSET <= t.max_raise_to


@kernel
def betting_options(tables: Tables, i: Any) -> Any:
    """Return (may fold, chips to call, min raise-to, max raise-to) of the actor; the last two are 0 without a raise."""
    t: Table = tables[i]
    return t.legal & 1 == 1, min(owed(t), t.stack[t.actor]), t.min_raise_to, t.max_raise_to


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
    """Return a uniformly random legal id, drawn from the random stream of record `stream`; 0 when the hand is over."""
    bits = np.int64(t.legal)
    if bits == 0:
        return np.int64(FOLD_ACTION)
    count = bit_count(bits)
    if t.menu != MENU_INTEGERS or t.max_raise_to == 0:
        return nth_bit(bits, random_below(stream, count))
    pick = random_below(stream, count + t.max_raise_to - t.min_raise_to + 1)
    return nth_bit(bits, pick) if pick < count else np.int64(t.min_raise_to) + INTEGERS_OFFSET + pick - count
