"""The player that knows ranges of starting hands, as in Shi et al. (2022), table A2.

The ranges are those of Sklansky and Miller, No Limit Hold 'em: Theory and Practice (2006), pages 208-209. The paper
prints them, and that the player bets or calls with strong hands and calls or folds weak ones; which range does which
is ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import action_for, hole_card, loosen
from card_baselines.agents.scripted.rule_player import RulePlayer
from card_envs.agent import Decisions
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.starting_hands import NUM_STARTING_HANDS, starting_hand, starting_hands_of

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
"""The widest ranges with which the player raises and calls."""


def _table_of_ranges() -> NDArray[np.int8]:
    table = np.full(NUM_STARTING_HANDS, len(RANGES), np.int8)
    for number, entries in reversed(list(enumerate(RANGES.values()))):
        for entry in entries:
            table[list(starting_hands_of(entry))] = number
    return table


RANGE_OF_HAND: NDArray[np.int8] = _table_of_ranges()
"""(169,) the first range that a starting hand is in: 0 very high .. 4 very loose, 5 none of them."""

_RAISED, _CALLED = (list(RANGES).index(name) for name in (RAISED, CALLED))


class Sklansky(RulePlayer):
    """Raises the hands of Sklansky's range "tight" (5 %), calls with "loose" (25 %), folds others, on every street."""

    name = "sklansky_strict"
    is_loose = False

    def _choose(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        choose_rows(decisions.views, decisions.random_numbers, self.is_loose, actions)


class SklanskyLoose(Sklansky):
    """Like sklansky_strict, but raises in three of four cases, else calls, and calls half of what that one folds."""

    name = "sklansky_loose"
    is_loose = True
    mixes = True


@kernel
def choose_rows(views: Any, random_numbers: Any, is_loose: Any, actions: Any) -> None:
    """Write the action of each view's actor."""
    for j in range(views.shape[0]):
        t = views[j]
        number = RANGE_OF_HAND[starting_hand(hole_card(t, 0), hole_card(t, 1))]
        wanted = RAISE if number <= _RAISED else CALL if number <= _CALLED else FOLD
        actions[j] = action_for(t, loosen(wanted, random_numbers[j]) if is_loose else wanted)
