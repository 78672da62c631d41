"""The paper's four actions, and what the rival did last, read from a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, amount_to_call
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.games.holdem.state import CALL as CALLING
from card_envs.games.holdem.state import FOLD as FOLDING
from card_envs.games.holdem.state import RECENT_ACTIONS

CALL, RAISE, FOLD, CHECK = range(4)
"""Columns of a cheating sheet and numbers of actions, in RLCard's order."""
COLUMNS = ("call", "raise", "fold", "check")
NUM_COLUMNS = len(COLUMNS)
ACTIONS = np.array([CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, CALL_ACTION])
"""Action id of each column: call and check are one."""
NONE = -1
"""The rival has not acted yet in this hand."""

BIG_BLIND = 2
"""Chips; payoffs are counted in big blinds."""


def plays_heads_up_limit(game: Game) -> bool:
    """Return True for heads-up limit hold'em, whatever the rules profile and the caps."""
    return is_texas_holdem(game) and game.config.structure == "limit" and game.num_seats == 2


@kernel
def column_of(t: Any, action: Any) -> Any:
    """Return the column of an action id of the seat to act; calling nothing is a check."""
    if action == FOLD_ACTION:
        return FOLD
    if action == CALL_ACTION:
        return CALL if amount_to_call(t) > 0 else CHECK
    return RAISE


@kernel
def is_legal_column(t: Any, column: Any) -> Any:
    """Return True if the seat to act may take the action of a column."""
    if column == RAISE:
        return np.int64(t.legal) >> FIRST_RAISE_ACTION & 1 == 1
    if column == FOLD:
        return np.int64(t.legal) >> FOLD_ACTION & 1 == 1
    return (amount_to_call(t) > 0) == (column == CALL)


@kernel
def last_column_of_rival(t: Any) -> Any:
    """Return the column of the latest action of the seat that is not to act, or NONE."""
    for back in range(1, RECENT_ACTIONS + 1):
        number = np.int64(t.num_decisions) - back
        if number < 0:
            return NONE
        move = np.int64(t.recent_move[number % RECENT_ACTIONS])
        if move // 4 != t.actor:
            return _column_of_move(t, number, move % 4)
    return NONE


@kernel
def _column_of_move(t: Any, number: Any, kind: Any) -> Any:
    if kind == FOLDING:
        return FOLD
    if kind != CALLING:
        return RAISE
    # a call of nothing leaves nothing put in on its street, but for the big blind's option, the second decision
    is_option = number == 1 and t.street_raises[0] == 0
    return CHECK if is_option or t.recent_amount[number % RECENT_ACTIONS] == 0 else CALL
