"""The tight-aggressive player of poker books: few hands, and those are raised.

Style after Billings et al. (2002), as Maitrepierre et al. (2008, Brennus) describe it: tight plays few hands,
aggressive raises rather than calls. The paper's tables are not printed; the numbers are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.chen import move_by_points
from card_baselines.agents.scripted.holdem_moves import action_for
from card_baselines.agents.scripted.made_hand import DRAW, PAIR, STRONG, TOP_PAIR, classify_made_hand
from card_baselines.agents.scripted.rule_player import RulePlayer
from card_envs.agent import Decisions
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE

RAISE_FROM, CALL_FROM = 9, 7
"""Chen points from which the player raises and calls before the flop at a table of three or more."""
RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP = 7, 4


class TightAggressive(RulePlayer):
    """Plays few hands before the flop and raises most of them; then bets top pair, raises two pair or better.

    Before the flop by Chen points: raises from 9, calls from 7, heads-up from 7 and 4. With the board it raises two
    pair or better; bets top pair and calls raises with it; calls one bet with a lower pair or a draw; else it folds.
    """

    name = "tight_aggressive"

    def _choose(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        choose_rows(decisions.views, actions)


@kernel
def choose_rows(views: Any, actions: Any) -> None:
    """Write the action of each view's actor."""
    for j in range(views.shape[0]):
        t = views[j]
        if t.street == 0:
            wanted = move_by_points(t, RAISE_FROM, CALL_FROM, RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP)
        else:
            wanted = move_with_board(t)
        actions[j] = action_for(t, wanted)


@kernel
def move_with_board(t: Any) -> Any:
    """Return RAISE, CALL or FOLD for what the actor's hole cards make with the board, and the bets of this street."""
    made, bets = classify_made_hand(t), t.street_raises[t.street]
    if made == STRONG or (made == TOP_PAIR and bets == 0):
        return RAISE
    if made == TOP_PAIR or (made in (PAIR, DRAW) and bets <= 1):
        return CALL
    return FOLD
