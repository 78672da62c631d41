"""What to do before the flop: thresholds of equity.

The paper takes tables from Selby's equilibrium of preflop play, which it does not print; these numbers are ours.

A hand is as good as its share of the pot all-in against a random hand, 0.32 (32 offsuit) to 0.85 (two aces). An
equilibrium of heads-up limit hold'em raises most hands on the button, defends most in the big blind and hardly ever
folds to a second raise; the thresholds below do that. They do not mix and do not depend on the opponent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import amount_to_call
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.starting_hands import STARTING_EQUITIES, starting_hand

RAISE_FROM: NDArray[np.float64] = np.array([0.47, 0.58, 0.65, 0.74])
"""Equity from which to make the first raise, the second, the third, the fourth: 60, 21, 6 and 2 percent of hands."""
CALL_FROM: NDArray[np.float64] = np.array([0.37, 0.39, 0.42, 0.42])
"""Equity from which to call with no raise (the small blind completes), one, two ...; worse hands fold."""


@kernel
def preflop_move(t: Any, seat: Any) -> Any:
    """Return RAISE, CALL or FOLD for the hole cards of `seat` and the raises at view `t`."""
    hand = starting_hand(np.int64(t.deck[2 * seat]), np.int64(t.deck[2 * seat + 1]))
    equity, raises = STARTING_EQUITIES[hand], min(np.int64(t.street_raises[0]), RAISE_FROM.shape[0] - 1)
    if equity >= RAISE_FROM[raises] and t.max_raise_to > 0:
        return RAISE
    return CALL if amount_to_call(t) == 0 or equity >= CALL_FROM[raises] else FOLD
