"""The loose-passive player of poker books, who plays many hands and calls with them.

Maitrepierre et al. (2008, Brennus) describe the style: loose means many hands, passive means calls rather than raises.
The paper does not print its tables; the numbers are ours.
"""

from __future__ import annotations

from typing import Any

from card_baselines.agents.scripted.chen import move_by_points
from card_baselines.agents.scripted.holdem_moves import hole_card
from card_baselines.agents.scripted.made_hand import DRAW, STRONG, classify_made_hand
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE

RAISE_FROM, CALL_FROM = 14, 2
"""Chen points from which the agent raises and calls before the flop at a table of three or more."""
RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP = 12, 0

_KING = 11


@kernel
def move_with_board(t: Any) -> Any:
    """Return RAISE, CALL or FOLD by the class of hand with the board (`made_hand`) and the bets of this street."""
    made, bets = classify_made_hand(t), t.street_raises[t.street]
    if made == STRONG and bets <= 1:
        return RAISE
    holds_high_card = max(hole_card(t, 0), hole_card(t, 1)) >> 2 >= _KING
    return CALL if made >= DRAW or (holds_high_card and bets <= 1) else FOLD


@kernel
def choose_move(t: Any) -> Any:
    """Return RAISE, CALL or FOLD, by Chen points before the flop and by the class of hand with a board."""
    if t.street == 0:
        return move_by_points(t, RAISE_FROM, CALL_FROM, RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP)
    return move_with_board(t)


class LoosePassive(RulePlayer):
    """Calls before the flop with most hands and then with any pair or draw; raises little but two pair or better.

    Before the flop by Chen points: raises from 14, calls from 2, heads-up from 12 and 0. With the board it bets two
    pair or better but does not raise again; calls with any pair or draw, and one bet with a king or an ace; else it
    folds.
    """

    name = "loose_passive"
    choose_rows = rule_kernel(choose_move)
