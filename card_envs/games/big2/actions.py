"""The 1,695 action ids of Charlesworth (2018, appendix B): sets of positions in the sorted hand, and pass.

| ids | play | positions |
|---|---|---|
| 0 .. 12 | 1 card | all |
| 13 .. 45 | 2 cards | at most 3 apart |
| 46 .. 76 | 3 cards | the first and the last at most 3 apart |
| 77 .. 406 | 4 cards | the first two, and the last two, at most 3 apart |
| 407 .. 1693 | 5 cards | all |
| 1694 | pass | |

Within a block, sets of positions are in lexicographic order. Cards of the same rank are adjacent in a sorted hand and
there are four of them, hence the limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.big2.combos import value_of
from card_envs.games.big2.state import HAND_SIZE, Table

_SAME_RANK = 3
"""Maximum distance between the positions of two cards of the same rank."""


def _can_be_combination(positions: tuple[int, ...]) -> bool:
    """Return True unless cards that must have the same rank are too far apart."""
    if len(positions) == 4:
        return _can_be_combination(positions[:2]) and _can_be_combination(positions[2:])
    return len(positions) in (1, 5) or positions[-1] - positions[0] <= _SAME_RANK


_SETS = [p for size in range(1, 6) for p in combinations(range(HAND_SIZE), size) if _can_be_combination(p)]
POSITIONS: tuple[tuple[int, ...], ...] = (*_SETS, ())
"""Positions that each action id plays, in increasing order; () for PASS."""
NUM_ACTIONS = len(POSITIONS)
PASS = NUM_ACTIONS - 1

_ACTION_OF_POSITIONS = {positions: action for action, positions in enumerate(POSITIONS)}

# --- arrays for kernels ---

ACTION_SIZE = np.array([len(positions) for positions in POSITIONS], np.int8)
"""Number of cards of each action, 0 for PASS."""
ACTION_POSITIONS = np.array([[*positions, *[0] * (5 - len(positions))] for positions in POSITIONS], np.int8)
"""(NUM_ACTIONS, 5): positions of each action, then zeros."""


def _pair_actions() -> np.ndarray[Any, np.dtype[np.int16]]:
    table = np.full((HAND_SIZE, HAND_SIZE), PASS, np.int16)
    for action, positions in enumerate(POSITIONS):
        if len(positions) == 2:
            table[positions] = action
    return table


def _triple_actions() -> np.ndarray[Any, np.dtype[np.int16]]:
    table = np.full((HAND_SIZE, _SAME_RANK + 1), PASS, np.int16)
    for first in range(HAND_SIZE - 2):
        for left_out in range(_SAME_RANK + 1):
            positions = tuple(first + k for k in range(_SAME_RANK + 1) if k != left_out)
            table[first, left_out] = _ACTION_OF_POSITIONS.get(positions, PASS)
    return table


def _four_card_actions() -> np.ndarray[Any, np.dtype[np.int16]]:
    first_pair = PAIR_ACTIONS[0, 1]
    num_pairs = int(np.count_nonzero(ACTION_SIZE == 2))
    table = np.full((num_pairs, num_pairs), PASS, np.int16)
    for action, positions in enumerate(POSITIONS):
        if len(positions) == 4:
            table[PAIR_ACTIONS[positions[:2]] - first_pair, PAIR_ACTIONS[positions[2:]] - first_pair] = action
    return table


PAIR_ACTIONS = _pair_actions()
"""[position, position]: action id of two cards."""
TRIPLE_ACTIONS = _triple_actions()
"""[first, k]: action id of the positions first .. first + 3 without first + k."""
FIRST_PAIR = int(PAIR_ACTIONS[0, 1])
FOUR_CARD_ACTIONS = _four_card_actions()
"""[id - FIRST_PAIR, id - FIRST_PAIR]: action id of four cards, given the ids of the lower and the higher pair."""
FIVE_CARD_TERMS = np.array(
    [[comb(HAND_SIZE - 1 - position, 5 - k) for position in range(HAND_SIZE)] for k in range(5)], np.int16
)
"""[k, position of the k-th card]: term that is subtracted from PASS - 1, see `five_card_action`."""


@kernel
def five_card_action(p0: Any, p1: Any, p2: Any, p3: Any, p4: Any) -> Any:
    """Return the action id of five increasing positions; the terms count the sets of five positions after them."""
    later = np.int64(FIVE_CARD_TERMS[0, p0]) + FIVE_CARD_TERMS[1, p1] + FIVE_CARD_TERMS[2, p2]
    return PASS - 1 - later - FIVE_CARD_TERMS[3, p3] - FIVE_CARD_TERMS[4, p4]


@kernel
def value_of_action(t: Table, seat: Any, action: Any) -> Any:
    """Return the value of the cards that `action` (not PASS) plays from a seat's hand; its positions hold cards."""
    size = ACTION_SIZE[action]
    return value_of(
        t,
        size,
        np.int64(t.hand[seat, ACTION_POSITIONS[action, 0]]),
        np.int64(t.hand[seat, ACTION_POSITIONS[action, 1]]),
        np.int64(t.hand[seat, ACTION_POSITIONS[action, 2]]),
        np.int64(t.hand[seat, ACTION_POSITIONS[action, 3]]),
        np.int64(t.hand[seat, ACTION_POSITIONS[action, 4]]),
    )


def action_of(positions: Iterable[int]) -> int:
    """Return the action id that plays the cards at `positions` (in any order; none: pass); ValueError if none does."""
    key = tuple(sorted(int(position) for position in positions))
    if key not in _ACTION_OF_POSITIONS:
        raise ValueError(f"no action plays the cards at positions {list(key)} of a hand")
    return _ACTION_OF_POSITIONS[key]
