"""The agents of Shi et al. (2022) that play by their starting hand, on every street.

`chen` (algorithm A2) counts points: the paper prints Bill Chen's formula after Krieger, Hold'em Excellence (2009),
chapter 5; half points are rounded up, as Chen does. `sklansky` (table A2) looks its hand up in the ranges of Sklansky
and Miller, No Limit Hold 'em: Theory and Practice (2006), pages 208-209. The paper says that strong hands bet or call,
and weak ones call or fold; which points and ranges raise and call is ours.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import hole_card
from card_baselines.agents.scripted.rule_player import Loose, RulePlayer, move_kernel
from card_envs.cards import RANKS
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.percentiles import NUM_RANKS
from card_envs.poker.starting_hands import NUM_STARTING_HANDS, starting_hand

_FIVE, _QUEEN = 3, 10
_HIGHEST_CARD = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}
_GAP = {0: 0, 1: 1, 2: 2, 3: 4}
_LARGER_GAP = 5

RANGES = {
    "very high": ("AA-JJ", "AK"),
    "tight": ("AA-99", "AK-AQ"),
    "average": ("AA-77", "AK-AT", "KQ"),
    "loose": ("AA-22", "AK-A5", "T+", "K9s-T9s"),
    "very loose": ("AA-22", "AK-A2", "7+", "K6-K4", "K3s-K2s"),
}
"""Table A2: the hands of each range, best range first. "T+" is any two cards of at least a ten; hands without "s" are
meant suited and offsuit. The ranges hold 3, 5, 10, 25 and 50 % of all hands."""


def chen_points(high: int, low: int, suited: bool) -> int:
    """Return the points of two cards by their ranks, 0 = deuce .. 12 = ace, high >= low: -1 (72o) to 20 (AA)."""
    points = _HIGHEST_CARD.get(high, (high + 2) / 2)
    if high == low:
        return math.ceil(max(5.0, 2 * points)) + (high == _FIVE)
    gap = high - low - 1
    points += 2 * suited - _GAP.get(gap, _LARGER_GAP) + (gap <= 1 and high < _QUEEN)
    return math.ceil(points)


def _list_points() -> NDArray[np.int8]:
    pairs = [divmod(hand, NUM_RANKS) for hand in range(NUM_STARTING_HANDS)]
    return np.array([chen_points(max(pair), min(pair), pair[0] > pair[1]) for pair in pairs], np.int8)


def _hands_of(entry: str) -> set[int]:
    """Return the starting hands of an entry: one ("KQ"), from one to another ("AK-AT"), cards of a rank on ("T+")."""
    if entry.endswith("+"):
        ranks = range(RANKS.index(entry[0]), NUM_RANKS)
        return {NUM_RANKS * first + second for first in ranks for second in ranks}
    best, worst = (entry.split("-") * 2)[:2]
    (high, low), (last_high, last_low) = ([RANKS.index(rank) for rank in name[:2]] for name in (best, worst))
    found = set(product(range(last_high, high + 1), range(last_low, low + 1)))
    pairs = [(a, b) for a, b in found if (a == b) == (high == low)]
    suited = {NUM_RANKS * a + b for a, b in pairs}
    return suited if best.endswith("s") else suited | {NUM_RANKS * b + a for a, b in pairs}


def _list_ranges() -> NDArray[np.int8]:
    table = np.full(NUM_STARTING_HANDS, len(RANGES), np.int8)
    for number, entries in reversed(list(enumerate(RANGES.values()))):
        for entry in entries:
            table[list(_hands_of(entry))] = number
    return table


CHEN_POINTS: NDArray[np.int8] = _list_points()
"""(169,): Chen points of every starting hand, in the order of `starting_hand`."""
RANGE_OF_HAND: NDArray[np.int8] = _list_ranges()
"""(169,): best range of each starting hand, 0 (very high) to 4 (very loose), 5 for none."""
_RAISED, _CALLED = (list(RANGES).index(name) for name in ("tight", "loose"))
"""The widest ranges with which `Sklansky` raises and calls."""


def chen_rule(raise_from: int, call_from: int, raise_from_heads_up: int, call_from_heads_up: int) -> Any:
    """Return a kernel that raises and calls by the Chen points of the actor's hole cards, heads-up by other limits."""

    @kernel
    def move_by_points(t: Any) -> Any:
        points = CHEN_POINTS[starting_hand(hole_card(t, 0), hole_card(t, 1))]
        if t.num_seats == 2:
            return RAISE if points >= raise_from_heads_up else CALL if points >= call_from_heads_up else FOLD
        return RAISE if points >= raise_from else CALL if points >= call_from else FOLD

    return move_by_points


@kernel
def move_by_range(t: Any) -> Any:
    """Return RAISE, CALL or FOLD by the range that the actor's hole cards are in."""
    number = RANGE_OF_HAND[starting_hand(hole_card(t, 0), hole_card(t, 1))]
    return RAISE if number <= _RAISED else CALL if number <= _CALLED else FOLD


class Chen(RulePlayer):
    """Raises and calls by the Chen points of its hole cards, on every street: 9 and 5 points, heads-up 7 and 3."""

    name = "chen_strict"
    choose_rows = move_kernel(chen_rule(9, 5, 7, 3))


class ChenLoose(Loose, Chen):
    """Like `chen_strict`, but calls a quarter of the times that one raises, and half of the times it folds."""

    name = "chen_loose"


class Sklansky(RulePlayer):
    """Raises the hands of Sklansky's range "tight" (5 %), calls with "loose" (25 %), folds others, on every street."""

    name = "sklansky_strict"
    choose_rows = move_kernel(move_by_range)


class SklanskyLoose(Loose, Sklansky):
    """Like `sklansky_strict`, but calls a quarter of the times that one raises, and half of the times it folds."""

    name = "sklansky_loose"
