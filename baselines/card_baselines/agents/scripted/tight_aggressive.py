"""The tight-aggressive player of poker books, who plays few hands and raises them.

Maitrepierre et al. (2008, Brennus) describe the style, after Billings et al. (2002): tight means few hands, aggressive
means raises rather than calls. The paper does not print its tables; the numbers are ours.
"""

from __future__ import annotations

from typing import Any

from card_baselines.agents.scripted.chen import move_by_points
from card_baselines.agents.scripted.made_hand import DRAW, PAIR, STRONG, TOP_PAIR, classify_made_hand
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE

RAISE_FROM, CALL_FROM = 9, 7
"""Chen points from which the agent raises and calls before the flop at a table of three or more."""
RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP = 7, 4


@kernel
def move_with_board(t: Any) -> Any:
    """Return RAISE, CALL or FOLD by the class of hand with the board (`made_hand`) and the bets of this street."""
    made, bets = classify_made_hand(t), t.street_raises[t.street]
    if made == STRONG or (made == TOP_PAIR and bets == 0):
        return RAISE
    if made == TOP_PAIR or (made in (PAIR, DRAW) and bets <= 1):
        return CALL
    return FOLD


@kernel
def choose_move(t: Any) -> Any:
    """Return RAISE, CALL or FOLD, by Chen points before the flop and by the class of hand with a board."""
    if t.street == 0:
        return move_by_points(t, RAISE_FROM, CALL_FROM, RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP)
    return move_with_board(t)


class TightAggressive(RulePlayer):
    """Plays few hands before the flop and raises most of them; then bets top pair, raises two pair or better.

    Before the flop by Chen points: raises from 9, calls from 7, heads-up from 7 and 4. With the board it raises two
    pair or better; bets top pair and calls raises with it; calls one bet with a lower pair or a draw; else it folds.
    """

    name = "tight_aggressive"
    choose_rows = rule_kernel(choose_move)
