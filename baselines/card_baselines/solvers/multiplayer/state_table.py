"""Regrets and summed strategies of the public states that were met, and a hash table that finds a state's rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.multiplayer.public_state import check_keys, street_of
from card_envs.compiler import kernel
from card_envs.typing import Floats32

MAX_STATES = 1 << 17
"""Maximum number of public states."""
NO_STATE = -1
_EMPTY = -1
_SLOT_BITS = 18
_MAX_MISSING = 1000
"""Maximum number of missing states that a thread notes; others are met again."""
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio (Knuth, The Art of Computer Programming, 6.4)


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
            slots=np.full(1 << _SLOT_BITS, _EMPTY, np.int32),
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
    slot = _first_slot(state)
    while table.slots[slot] != _EMPTY:
        index = table.slots[slot]
        if table.keys[index] == state:
            return np.int64(index)
        slot = (slot + 1) & ((1 << _SLOT_BITS) - 1)
    if table.missing.shape[0] > 0:
        _note_missing(table.missing, state)
        return np.int64(NO_STATE)
    return _add(table, state, slot)


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


@kernel
def fill_slots(table: Any) -> None:
    """Write the hash table of the states in use."""
    for index in range(table.used[0]):
        slot = _first_slot(table.keys[index])
        while table.slots[slot] != _EMPTY:
            slot = (slot + 1) & ((1 << _SLOT_BITS) - 1)
        table.slots[slot] = index


@kernel
def _first_slot(state: Any) -> Any:
    return np.int64(np.uint64(state) * _HASH_FACTOR >> np.uint64(64 - _SLOT_BITS))
