"""The agent that plays by the Chen points of its hole cards, as in Shi et al. (2022), algorithm A2.

The paper prints Bill Chen's formula after Krieger, Hold'em Excellence (2009), chapter 5; half points are rounded up, as
Chen does. The thresholds for raising and calling are ours.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import hole_card
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.starting_hands import starting_hand

RAISE_FROM, CALL_FROM = 9, 5
"""Points from which the player raises and calls at a table of three or more."""
RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP = 7, 3

_NUM_RANKS = 13
_FIVE, _QUEEN = 3, 10
_HIGHEST_CARD = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}
_GAP = {0: 0, 1: 1, 2: 2, 3: 4}
_LARGER_GAP = 5


def chen_points(high: int, low: int, suited: bool) -> int:
    """Return the points of two cards by their ranks, 0 = deuce .. 12 = ace, high >= low: -1 (72o) to 20 (AA)."""
    points = _HIGHEST_CARD.get(high, (high + 2) / 2)
    if high == low:
        return math.ceil(max(5.0, 2 * points)) + (high == _FIVE)
    gap = high - low - 1
    points += 2 * suited - _GAP.get(gap, _LARGER_GAP) + (gap <= 1 and high < _QUEEN)
    return math.ceil(points)


def _list_points() -> NDArray[np.int8]:
    """Return the points (169,) of every starting hand."""
    table = np.zeros(_NUM_RANKS**2, np.int8)
    for hand in range(len(table)):
        first, second = divmod(hand, _NUM_RANKS)
        table[hand] = chen_points(max(first, second), min(first, second), first > second)
    return table


CHEN_POINTS: NDArray[np.int8] = _list_points()
"""(169,): points of every starting hand, in the order of `starting_hand`."""


@kernel
def move_by_points(t: Any, raise_from: Any, call_from: Any, raise_from_heads_up: Any, call_from_heads_up: Any) -> Any:
    """Return RAISE, CALL or FOLD by the points of the actor's hole cards."""
    points = CHEN_POINTS[starting_hand(hole_card(t, 0), hole_card(t, 1))]
    if t.num_seats == 2:
        return RAISE if points >= raise_from_heads_up else CALL if points >= call_from_heads_up else FOLD
    return RAISE if points >= raise_from else CALL if points >= call_from else FOLD


@kernel
def choose_move(t: Any) -> Any:
    """Return RAISE, CALL or FOLD by the Chen points of the actor's hole cards."""
    return move_by_points(t, RAISE_FROM, CALL_FROM, RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP)


class Chen(RulePlayer):
    """Raises and calls by the Chen points of its hole cards, on every street: 9 and 5 points, heads-up 7 and 3."""

    name = "chen_strict"
    choose_rows = rule_kernel(choose_move)


class ChenLoose(Chen):
    """Like chen_strict, but raises in three of four cases, else calls, and calls half of what that one folds."""

    name = "chen_loose"
    setting = True
    mixes = True
