"""The agent that plays by ranges of starting hands, as in Shi et al. (2022), table A2.

The ranges are those of Sklansky and Miller, No Limit Hold 'em: Theory and Practice (2006), pages 208-209. The paper
prints them, and that the agent bets or calls with strong hands and calls or folds weak ones; which ranges raise and
call is ours.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import hole_card
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.cards import RANKS
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.percentiles import NUM_RANKS
from card_envs.poker.starting_hands import NUM_STARTING_HANDS, starting_hand

RANGES = {
    "very high": ("AA-JJ", "AK"),
    "tight": ("AA-99", "AK-AQ"),
    "average": ("AA-77", "AK-AT", "KQ"),
    "loose": ("AA-22", "AK-A5", "T+", "K9s-T9s"),
    "very loose": ("AA-22", "AK-A2", "7+", "K6-K4", "K3s-K2s"),
}
"""Table A2: the hands of each range, best range first. "T+" is any two cards of at least a ten; hands without "s" are
meant suited and offsuit. The ranges hold 3, 5, 10, 25 and 50 % of all hands."""

RAISED, CALLED = "tight", "loose"
"""The widest ranges with which the agent raises and calls."""


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
    """Return the range (169,) of every starting hand."""
    table = np.full(NUM_STARTING_HANDS, len(RANGES), np.int8)
    for number, entries in reversed(list(enumerate(RANGES.values()))):
        for entry in entries:
            table[list(_hands_of(entry))] = number
    return table


RANGE_OF_HAND: NDArray[np.int8] = _list_ranges()
"""(169,): best range of each starting hand, 0 (very high) to 4 (very loose), 5 for none."""

_RAISED, _CALLED = (list(RANGES).index(name) for name in (RAISED, CALLED))


@kernel
def choose_move(t: Any) -> Any:
    """Return RAISE, CALL or FOLD by the range that the actor's hole cards are in."""
    number = RANGE_OF_HAND[starting_hand(hole_card(t, 0), hole_card(t, 1))]
    return RAISE if number <= _RAISED else CALL if number <= _CALLED else FOLD


class Sklansky(RulePlayer):
    """Raises the hands of Sklansky's range "tight" (5 %), calls with "loose" (25 %), folds others, on every street."""

    name = "sklansky_strict"
    choose_rows = rule_kernel(choose_move)


class SklanskyLoose(Sklansky):
    """Like sklansky_strict, but raises in three of four cases, else calls, and calls half of what that one folds."""

    name = "sklansky_loose"
    setting = True
    mixes = True
