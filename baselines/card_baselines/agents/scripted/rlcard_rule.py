"""RLCard's rule model of limit hold'em, "limitholdem-rule-v1": the opponent "Rule" of Zheng et al. (2022, Cheat'em)."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.holdem_moves import board_card, hole_card, raise_action
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import CALL_ACTION, FOLD_ACTION, amount_to_call
from card_envs.games.holdem.showdown import num_board_cards

_FOLD, _CHECK, _CALL, _RAISE = range(4)
_TEN, _ACE = 8, 12
_TEN_TO_ACE, _TWO_TO_FIVE = 0b1111100000000, 0b0000000001111  # sets of ranks
_FLOP = 3


@kernel
def choose_action(t: Any, random_number: Any, setting: Any) -> Any:
    """Return the action of a view's actor."""
    count = num_board_cards(t)
    return legal_action(t, move_before_flop(t) if count == 0 else move_with_board(t, count))


@kernel
def move_before_flop(t: Any) -> Any:
    """Return the model's move with two hole cards: raise or fold."""
    first, second = hole_card(t, 0) >> 2, hole_card(t, 1) >> 2
    high, low = max(first, second), min(first, second)
    suited_ace = high == _ACE and hole_card(t, 0) & 3 == hole_card(t, 1) & 3
    return _RAISE if high == low or low >= _TEN or suited_ace else _FOLD


@kernel
def move_with_board(t: Any, count: Any) -> Any:
    """Return the model's move with `count` cards on the board."""
    first, second = hole_card(t, 0) >> 2, hole_card(t, 1) >> 2
    suit = hole_card(t, 0) & 3
    high, low = max(first, second), min(first, second)
    ranks, suits = np.int64(0), np.int64(0)
    for k in range(count):
        ranks |= np.int64(1) << (board_card(t, k) >> 2)
        suits |= np.int64(1) << (board_card(t, k) & 3)
    if high == low:
        return _RAISE if ranks >> high & 1 else _FOLD
    if high == _ACE:
        if low >= _TEN:
            return _RAISE if ranks & _TEN_TO_ACE else _FOLD
        return _RAISE if suit == hole_card(t, 1) & 3 and suits >> suit & 1 else _FOLD
    if ranks & ~_TWO_TO_FIVE == 0:
        return _CHECK if count == _FLOP else _FOLD
    return _CALL


@kernel
def legal_action(t: Any, wanted: Any) -> Any:
    """Return the action id: instead of an illegal raise a call, of a check a fold, of a call a raise, as in RLCard."""
    if wanted == _CALL:
        wanted = _CALL if amount_to_call(t) > 0 else _RAISE
    if wanted == _RAISE:
        return raise_action(t) if t.max_raise_to > 0 else np.int64(CALL_ACTION)
    if wanted == _CALL or (wanted == _CHECK and amount_to_call(t) == 0):
        return np.int64(CALL_ACTION)
    return np.int64(FOLD_ACTION if np.int64(t.legal) & 1 else CALL_ACTION)


class RLCardRule(RulePlayer):
    """Raises pairs, aces and high cards before the flop, then what they hit; ignores the betting (RLCard's rule model).

    It folds even where checking is free, if the rules let it (profile `rlcard`); otherwise it checks there.
    """

    name = "rlcard_rule"
    choose_rows = rule_kernel(choose_action)
