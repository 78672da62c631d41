"""Who called and who raised as words of bits, kept while it happens: encoders copy them in a few steps.

A word is made of groups of `num_seats` bits, in each the bit of a seat; no group crosses a word. For each street and
bet level a group holds the seats that called; after those, for each street and bet level but the last, a group holds
the seat that raised from it. Games of which a table keeps only the last decisions (`whole_history` = 0) have a group
for each street instead: those that called on it, then those that raised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.holdem.state import MAX_LEVELS, MAX_SEATS, MAX_STREETS, NUM_HISTORY_WORDS, Table

_WORD_BITS = 63  # no word is negative
_SHIFT = 6
_PLACE_IN_WORD = (1 << _SHIFT) - 1
_MOST_GROUPS = MAX_STREETS * MAX_LEVELS + MAX_STREETS * (MAX_LEVELS - 1)

BITS_PER_WORD = np.array([0, *(_WORD_BITS // n * n for n in range(1, MAX_SEATS + 1))], np.int64)
"""[num_seats]: bits of all groups of a word."""


def _place(n: int, group: int) -> int:
    word, place = divmod(group, _WORD_BITS // max(1, n))
    return word << _SHIFT | place * n


_PLACES = np.array([[_place(n, group) for group in range(_MOST_GROUPS)] for n in range(MAX_SEATS + 1)], np.int64)
"""[num_seats, group]: the word in which it lies, times 64, and the place of its first bit there."""


def _first_seats(n: int, me: int) -> int:
    return sum(1 << k for k in range(_WORD_BITS) if n and k % n < n - me)


_FIRST_SEATS = np.array([[_first_seats(n, me) for me in range(MAX_SEATS)] for n in range(MAX_SEATS + 1)], np.int64)
"""[num_seats, me]: the places of all groups that seats from `me` on take when `me` comes first."""
_LAST_SEATS = ((np.int64(1) << BITS_PER_WORD) - 1)[:, None] & ~_FIRST_SEATS
"""[num_seats, me]: those that the seats before `me` take; none behind the last group."""

assert _place(MAX_SEATS, _MOST_GROUPS - 1) >> _SHIFT < NUM_HISTORY_WORDS


@kernel
def rotate_to_seat(groups: Any, me: Any, n: Any) -> Any:
    """Return a word turned so that in each of its groups of n bits the bit of seat `me` comes first."""
    n, me = np.uint64(n), np.uint64(me)
    return groups >> np.int64(me) & _FIRST_SEATS[n, me] | groups << np.int64(n - me) & _LAST_SEATS[n, me]


@kernel
def num_history_groups(t: Table) -> Any:
    """Return how many groups the words hold."""
    last = MAX_STREETS - 1
    on_last = np.int64(t.max_raises[last]) if t.whole_history == 1 else np.int64(t.num_streets == MAX_STREETS)
    return np.int64(t.first_raise[last]) + on_last


@kernel
def clear_betting_history(t: Table) -> None:
    """Forget the betting of the hand before."""
    for k in range(NUM_HISTORY_WORDS):
        t.history_bits[k] = 0


@kernel
def record_call(t: Table, seat: Any, level: Any) -> None:
    """Add the seat to those that called at a bet level of this street."""
    _mark(t, np.int64(t.first_call[t.street]) + (level if t.whole_history == 1 else 0), seat)


@kernel
def record_raise(t: Table, seat: Any, level: Any) -> None:
    """Write down the seat that raised from a bet level of this street, as `raiser` does."""
    group = np.int64(t.first_raise[t.street])
    if t.whole_history == 1:
        group += level
    elif level == MAX_LEVELS - 1:  # the last raise takes the place of the fourth
        _clear(t, group)
        for k in range(MAX_LEVELS - 2):
            _mark(t, group, np.int64(t.raiser[t.street, k]))
    _mark(t, group, seat)


@kernel
def _clear(t: Table, group: Any) -> None:
    place = _PLACES[np.uint64(t.num_seats), np.uint64(group)]
    seats = (np.int64(1) << t.num_seats) - 1
    t.history_bits[np.uint64(place >> _SHIFT)] &= ~(seats << (place & _PLACE_IN_WORD))


@kernel
def _mark(t: Table, group: Any, seat: Any) -> None:
    place = _PLACES[np.uint64(t.num_seats), np.uint64(group)]
    t.history_bits[np.uint64(place >> _SHIFT)] |= np.int64(1) << (place & _PLACE_IN_WORD) + seat
