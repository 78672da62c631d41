"""Public states: what the solver for several seats remembers of the betting, as one integer.

The betting of six players has far too many sequences for a table. Sequences with the same street, legal actions, pot
odds, stacks relative to the pot, players left and initiative share a public state, and are played alike: an abstraction
with imperfect recall. A `StateTable` holds regrets and summed strategies of the states that were met.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.lookup import hash_slot
from card_envs.bits import bit_count, lowest_bit
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.actions import amount_to_call, has, seat_position
from card_envs.games.holdem.state import MAX_LEVELS, NOBODY
from card_envs.typing import Floats32, Integers

MAX_ACTIONS = 12
"""Largest number of action ids; the legal ones are part of a public state."""
_STREETS = 4

# The classes below are upper bounds, in percent: of the pot, or of the big blind.
_PRICES = (0, 27, 36, 55)
"""Amount to call, in percent of the pot (the bet included): nothing, a third of the pot before the bet, half, all."""
_DEPTHS = (0, 50, 100, 200, 400, 800, 1600)
"""Largest amount that the actor can still win from one player, in percent of the pot."""
_BETS = (100, 275, 450, 800, 1400, 2500, 5000)
"""Bet to match before the flop, in percent of the big blind."""

_THREE_PLAYERS, _TWO_PLAYERS_OR_MORE = 27, 29
"""First value for three or more players, and number of values, of the feature that ends a public state."""

_NO_MOVE, _CALLED, _RAISED = range(3)
_NO_INITIATIVE, _OWN_INITIATIVE, _OTHERS_INITIATIVE = range(3)
_TAIL_BITS = 24
"""Number of bits for the features that differ between the first street and the others."""
MAX_STATES = 1 << 17
"""Maximum number of public states."""
NO_STATE = -1
_SLOT_BITS = 18
_MAX_MISSING = 1000
"""Maximum number of missing states that a thread notes; others are met again."""


def find_public_states(views: Tables) -> Integers:
    """Return the public states (n,) of the seats to act, at tables or in views."""
    states = np.empty(len(views), np.int64)
    write_public_states(views, states)
    return states


@kernel
def write_public_states(views: Any, states: Any) -> None:
    """Write the public state of each table or view."""
    for j in range(views.shape[0]):
        states[j] = public_state(views[j])


def check_keys(keys: NDArray[np.int64], num_actions: int) -> None:
    """Raise ValueError unless the numbers are different public states of a game with `num_actions` action ids."""
    legal = np.array([int(legal_actions_of(key)) for key in keys], np.int64)
    if len(np.unique(keys)) < len(keys) or (legal <= 0).any() or (legal >> num_actions).any():
        raise ValueError("the public states occur twice, or are none of this game")


@kernel
def public_state(t: Any) -> Any:
    """Return the public state (int64) of the seat to act, at a table or in a view of Texas hold'em."""
    seat = np.int64(t.actor)
    state = np.int64(t.legal) * _STREETS + np.int64(t.street)
    raises: Any = min(np.int64(t.street_raises[t.street]), MAX_LEVELS - 1)
    state = (state * MAX_LEVELS + raises) * 3 + _own_move(t, seat, raises)
    return _add_positions(t, seat, raises, state) if t.street == 0 else _add_pot(t, seat, state)


@kernel
def legal_actions_of(state: Any) -> Any:
    """Return the set of legal actions of a public state: bit a stands for action id a."""
    return (state >> _TAIL_BITS) // (_STREETS * MAX_LEVELS * 3)


@kernel
def street_of(state: Any) -> Any:
    """Return the street of a public state."""
    return (state >> _TAIL_BITS) // (MAX_LEVELS * 3) % _STREETS


@kernel
def _own_move(t: Any, seat: Any, raises: Any) -> Any:
    """Return whether the seat has raised on this street, or else called or checked at the current bet."""
    for level in range(min(raises, MAX_LEVELS - 1)):
        if t.raiser[t.street, level] == seat:
            return np.int64(_RAISED)
    for level in range(raises + 1):
        if has(t.callers[t.street, level], seat):
            return np.int64(_CALLED)
    return np.int64(_NO_MOVE)


@kernel
def _add_positions(t: Any, seat: Any, raises: Any, state: Any) -> Any:
    """Return `state` with the features before the flop: positions of actor and last raiser, players, the bet."""
    raiser = np.int64(NOBODY)
    if raises > 0:
        raiser = seat_position(t, np.int64(t.raiser[0, raises - 1]))
    others, behind = bit_count(np.int64(t.in_hand)) - 1, bit_count(np.int64(t.pending)) - 1
    if raises > 1:
        others, behind = min(others, 3), min(behind, 2)
    bet = _class_of(np.int64(t.current_bet) * 100 // t.min_bet, _BETS)
    tail = ((seat_position(t, seat) * 11 + raiser + 1) * 10 + others) * 10 + behind
    return state << _TAIL_BITS | tail * 8 + bet


@kernel
def _add_pot(t: Any, seat: Any, state: Any) -> Any:
    """Return `state` with the features from the flop on: pot odds, depth, players, initiative, the street before.

    Two players know their positions at the table, three or more only who acts after them.
    """
    position, others, behind, most = seat_position(t, seat), np.int64(0), np.int64(0), np.int64(0)
    seats, other_position = np.int64(t.in_hand) & ~(np.int64(1) << seat), np.int64(0)
    while seats:
        other = lowest_bit(seats)
        seats &= seats - 1
        others += 1
        other_position = seat_position(t, other)
        behind += np.int64(other_position > position)
        most = max(most, np.int64(t.stack[other]) + t.street_commit[other])
    depth = min(np.int64(t.stack[seat]), most - t.street_commit[seat])
    raises_before = min(np.int64(t.street_raises[t.street - 1]), 2)
    tail = _class_of(amount_to_call(t) * 100 // t.pot, _PRICES)
    tail = tail * 8 + _class_of(max(depth, np.int64(0)) * 100 // t.pot, _DEPTHS)
    tail = (tail * 3 + _initiative(t, seat)) * 2 + np.int64(behind > 0)
    if others == 1:
        places = _place_of(t, position) * 3 + _place_of(t, other_position)
        tail = tail * _TWO_PLAYERS_OR_MORE + places * 3 + raises_before
    else:
        tail = tail * _TWO_PLAYERS_OR_MORE + _THREE_PLAYERS + min(raises_before, 1)
    return state << _TAIL_BITS | tail


@kernel
def _place_of(t: Any, position: Any) -> Any:
    """Return 0 for a blind, 2 for the button and the seat to its right, 1 for the seats between."""
    return np.int64(0 if position < 2 else 1 + (position >= t.num_seats - 2))


@kernel
def _initiative(t: Any, seat: Any) -> Any:
    """Return who raised last on the streets before this one: the seat, another player in the hand, or neither."""
    for street in range(np.int64(t.street) - 1, -1, -1):
        raises: Any = min(np.int64(t.street_raises[street]), MAX_LEVELS - 1)
        if raises > 0:
            raiser = np.int64(t.raiser[street, raises - 1])
            if raiser == seat:
                return np.int64(_OWN_INITIATIVE)
            return np.int64(_OTHERS_INITIATIVE if has(t.in_hand, raiser) else _NO_INITIATIVE)
    return np.int64(_NO_INITIATIVE)


@kernel
def _class_of(amount: Any, bounds: Any) -> Any:
    """Return the number of bounds that an amount exceeds."""
    found = np.int64(0)
    for bound in bounds:
        found += np.int64(amount > bound)
    return found


class StateTable(NamedTuple):
    """Rows of numbers: one for each bucket of each public state, in the order in which the states were met."""

    keys: NDArray[np.int64]
    """(MAX_STATES,): the public states."""
    first_row: NDArray[np.int64]
    """(MAX_STATES,): row of a state's first bucket."""
    used: NDArray[np.int64]
    """(2,): number of states and of rows so far."""
    slots: NDArray[np.int32]
    """(2**18,): hash table of the indices of states."""
    num_buckets: NDArray[np.int64]
    """(streets,): number of buckets on each street."""
    visits: NDArray[np.int64]
    """(MAX_STATES,): how often a learner came to each state, with all of its hands."""
    regrets: Floats32
    """(max_rows, num_actions)"""
    sums: Floats32
    """(max_rows, num_actions): strategies, summed over iterations with linear weights."""
    missing: NDArray[np.int64]
    """Number of states that a thread did not find, and these states; empty if one thread uses the table, and adds them
    at once."""

    @staticmethod
    def allocate(num_buckets: list[int], num_actions: int, max_rows: int) -> StateTable:
        """Return an empty table; memory is taken as rows are used."""
        return StateTable(
            keys=np.zeros(MAX_STATES, np.int64),
            first_row=np.zeros(MAX_STATES, np.int64),
            used=np.zeros(2, np.int64),
            slots=np.full(1 << _SLOT_BITS, NO_STATE, np.int32),
            num_buckets=np.array(num_buckets, np.int64),
            visits=np.zeros(MAX_STATES, np.int64),
            regrets=np.zeros((max_rows, num_actions), np.float32),
            sums=np.zeros((max_rows, num_actions), np.float32),
            missing=np.zeros(0, np.int64),
        )

    def for_thread(self) -> StateTable:
        """Return the table for one of several threads, which note missing states for `add_missing`."""
        return self._replace(missing=np.zeros(1 + _MAX_MISSING, np.int64))


def check_states(table: StateTable, keys: NDArray[np.int64], first_row: NDArray[np.int64], num_rows: int) -> None:
    """Raise ValueError unless public states of a file fit into the table, and each row belongs to one of them."""
    num_actions = table.regrets.shape[1]
    if keys.dtype != np.int64 or len(keys) > len(table.keys) or num_rows > len(table.regrets):
        raise ValueError("the checkpoint holds more public states than the solver, or none")
    check_keys(keys, num_actions)
    streets = np.array([int(street_of(key)) for key in keys], np.int64)
    ends = np.cumsum(table.num_buckets[streets])
    if not np.array_equal(first_row, ends - table.num_buckets[streets]) or num_rows != (ends[-1] if len(ends) else 0):
        raise ValueError("the rows of the checkpoint are not those of its public states: other buckets, or damaged")


@kernel
def find_state(table: Any, state: Any) -> Any:
    """Return the index of a public state.

    A new state is added; it gets NO_STATE if the table is full, or if threads share it.
    """
    slot = find_slot(table.slots, table.keys, state)
    if table.slots[slot] != NO_STATE:
        return np.int64(table.slots[slot])
    if table.missing.shape[0] > 0:
        _note_missing(table.missing, state)
        return np.int64(NO_STATE)
    return _add(table, state, slot)


@kernel
def find_slot(slots: Any, keys: Any, state: Any) -> Any:
    """Return the slot of a state's index, or if it has none, the free one that it would get, which holds NO_STATE."""
    slot = hash_slot(state, _SLOT_BITS)
    while slots[slot] != NO_STATE and keys[slots[slot]] != state:
        slot = (slot + 1) & ((1 << _SLOT_BITS) - 1)
    return slot


@kernel
def add_missing(table: Any, missing: Any) -> None:
    """Add the states that a thread noted to the table of one thread, and forget the note."""
    for k in range(1, missing[0] + 1):
        find_state(table, missing[k])
    missing[0] = 0


@kernel
def _note_missing(missing: Any, state: Any) -> None:
    count = missing[0]
    for k in range(1, count + 1):
        if missing[k] == state:
            return
    if count + 1 < missing.shape[0]:
        missing[count + 1] = state
        missing[0] = count + 1


@kernel
def _add(table: Any, state: Any, slot: Any) -> Any:
    """Add a state at a free slot, and return its index, or NO_STATE if the table is full."""
    index, row = table.used[0], table.used[1]
    size = table.num_buckets[street_of(state)]
    if index == table.keys.shape[0] or row + size > table.regrets.shape[0]:
        return np.int64(NO_STATE)
    table.keys[index], table.first_row[index], table.slots[slot] = state, row, index
    table.used[0], table.used[1] = index + 1, row + size
    return index
