"""The seats that called and raised, as bits that the betting updates and that encoders copy word by word.

A word consists of groups of `num_seats` bits, one bit per seat; a group does not cross a word boundary. There is a
group for each street and bet level with the seats that called, and then, for each street and bet level but the last, a
group with the seat that raised from it. Games whose tables record only the last decisions (`whole_history` = 0) have
one group per street for the seats that called, and then one per street for the seats that raised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.holdem.state import MAX_LEVELS, MAX_SEATS, MAX_STREETS, NUM_HISTORY_WORDS, Table

_WORD_BITS = 63  # no word is negative
_SHIFT = 6
_BIT_IN_WORD = (1 << _SHIFT) - 1
_MAX_GROUPS = MAX_STREETS * MAX_LEVELS + MAX_STREETS * (MAX_LEVELS - 1)

BITS_PER_WORD = np.array([0, *(_WORD_BITS // n * n for n in range(1, MAX_SEATS + 1))], np.int64)
"""[num_seats]: number of used bits of a word."""


def _first_bit(n: int, group: int) -> int:
    word, index = divmod(group, _WORD_BITS // max(1, n))
    return word << _SHIFT | index * n


_FIRST_BITS = np.array([[_first_bit(n, group) for group in range(_MAX_GROUPS)] for n in range(MAX_SEATS + 1)], np.int64)
"""[num_seats, group]: index of the group's word times 64, plus index of its first bit in the word."""


def _leading_bits(n: int, me: int) -> int:
    return sum(1 << k for k in range(_WORD_BITS) if n and k % n < n - me)


_LEADING_BITS = np.array([[_leading_bits(n, me) for me in range(MAX_SEATS)] for n in range(MAX_SEATS + 1)], np.int64)
"""[num_seats, me]: mask of the bits in all groups that seats from `me` on get when `me` comes first."""
_TRAILING_BITS = ((np.int64(1) << BITS_PER_WORD) - 1)[:, None] & ~_LEADING_BITS
"""[num_seats, me]: mask of the bits in all groups that the seats before `me` get."""

assert _first_bit(MAX_SEATS, _MAX_GROUPS - 1) >> _SHIFT < NUM_HISTORY_WORDS


@kernel
def rotate_to_seat(groups: Any, me: Any, n: Any) -> Any:
    """Return a word with each group of n bits rotated so that the bit of seat `me` comes first."""
    n, me = np.uint64(n), np.uint64(me)
    return groups >> np.int64(me) & _LEADING_BITS[n, me] | groups << np.int64(n - me) & _TRAILING_BITS[n, me]


@kernel
def num_history_groups(t: Table) -> Any:
    """Return the number of groups."""
    last = MAX_STREETS - 1
    on_last = np.int64(t.max_raises[last]) if t.whole_history == 1 else np.int64(t.num_streets == MAX_STREETS)
    return np.int64(t.first_raise[last]) + on_last


@kernel
def clear_betting_history(t: Table) -> None:
    """Clear all groups."""
    for k in range(NUM_HISTORY_WORDS):
        t.history_bits[k] = 0


@kernel
def record_call(t: Table, seat: Any, level: Any) -> None:
    """Record that a seat called at a bet level of this street."""
    _mark(t, np.int64(t.first_call[t.street]) + (level if t.whole_history == 1 else 0), seat)


@kernel
def record_raise(t: Table, seat: Any, level: Any) -> None:
    """Record that a seat raised from a bet level of this street, as in the field `raiser`."""
    group = np.int64(t.first_raise[t.street])
    if t.whole_history == 1:
        group += level
    elif level == MAX_LEVELS - 1:  # `raiser` holds the last raise in place of the fourth
        _clear(t, group)
        for k in range(MAX_LEVELS - 2):
            _mark(t, group, np.int64(t.raiser[t.street, k]))
    _mark(t, group, seat)


@kernel
def _clear(t: Table, group: Any) -> None:
    first = _FIRST_BITS[np.uint64(t.num_seats), np.uint64(group)]
    seats = (np.int64(1) << t.num_seats) - 1
    t.history_bits[np.uint64(first >> _SHIFT)] &= ~(seats << (first & _BIT_IN_WORD))


@kernel
def _mark(t: Table, group: Any, seat: Any) -> None:
    first = _FIRST_BITS[np.uint64(t.num_seats), np.uint64(group)]
    t.history_bits[np.uint64(first >> _SHIFT)] |= np.int64(1) << (first & _BIT_IN_WORD) + seat
