"""The rule-based agent of Shi et al. (2022), section 5.1 (3), which plays by the hand that hole cards and board make.

The paper names equal ranks, equal suits and straights, and says that strong hands bet; the rules are ours.
"""

from __future__ import annotations

from typing import Any

from card_baselines.agents.scripted.holdem_moves import hole_card
from card_baselines.agents.scripted.made_hand import DRAW, TOP_PAIR, classify_made_hand
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE

_TEN, _JACK, _QUEEN = 8, 9, 10


@kernel
def move_before_flop(t: Any) -> Any:
    """Return RAISE, CALL or FOLD for the actor's hole cards."""
    first, second = hole_card(t, 0) >> 2, hole_card(t, 1) >> 2
    high, low = max(first, second), min(first, second)
    if (high == low and high >= _TEN) or low >= _JACK:
        return RAISE
    suited = hole_card(t, 0) & 3 == hole_card(t, 1) & 3
    return CALL if high - low <= 1 or suited or high >= _QUEEN else FOLD


@kernel
def move_with_board(t: Any) -> Any:
    """Return RAISE, CALL or FOLD by the class of hand with the board (`made_hand`)."""
    made = classify_made_hand(t)
    return RAISE if made >= TOP_PAIR else CALL if made >= DRAW else FOLD


@kernel
def choose_move(t: Any) -> Any:
    """Return RAISE, CALL or FOLD for the actor's hole cards and the board."""
    return move_before_flop(t) if t.street == 0 else move_with_board(t)


class ShiRules(RulePlayer):
    """Bets top pair or better, calls with any pair or draw, folds the rest; before the flop by rank, suit, distance.

    Before the flop it raises a pair of tens or better and two cards of at least a jack, and calls with other pairs, two
    cards of a suit or of neighbouring ranks, and with a queen or better.
    """

    name = "shi_rules_strict"
    choose_rows = rule_kernel(choose_move)


class ShiRulesLoose(ShiRules):
    """Like shi_rules_strict, but bets in three of four cases, else calls, and calls half of what that one folds."""

    name = "shi_rules_loose"
    setting = True
    mixes = True
