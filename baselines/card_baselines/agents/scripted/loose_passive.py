"""The loose-passive player of poker books: many hands, and those are called.

Style as Maitrepierre et al. (2008, Brennus) describe it: loose plays a lot of hands, passive calls bets rather than
raising. The paper's tables are not printed; the numbers are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.chen import move_by_points
from card_baselines.agents.scripted.holdem_moves import action_for, hole_card
from card_baselines.agents.scripted.made_hand import DRAW, STRONG, classify_made_hand
from card_baselines.agents.scripted.rule_player import RulePlayer
from card_envs.agent import Decisions
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE

RAISE_FROM, CALL_FROM = 14, 2
"""Chen points from which the player raises and calls before the flop at a table of three or more."""
RAISE_FROM_HEADS_UP, CALL_FROM_HEADS_UP = 12, 0

_KING = 11


class LoosePassive(RulePlayer):
    """Calls before the flop with most hands and then with any pair or draw; raises little but two pair or better.

    Before the flop by Chen points: raises from 14, calls from 2, heads-up from 12 and 0. With the board it bets two
    pair or better but does not raise again; calls with any pair or draw, and one bet with a king or an ace; else it
    folds.
    """

    name = "loose_passive"

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
    if made == STRONG and bets <= 1:
        return RAISE
    holds_high_card = max(hole_card(t, 0), hole_card(t, 1)) >> 2 >= _KING
    return CALL if made >= DRAW or (holds_high_card and bets <= 1) else FOLD
