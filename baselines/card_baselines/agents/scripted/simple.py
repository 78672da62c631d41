"""Players of the hold'em family that do not look at their cards: one calls, one raises, one folds seldom."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.agent import Agent, Decisions, choose
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, INTEGERS_OFFSET, is_legal
from card_envs.games.holdem.config import is_holdem
from card_envs.games.holdem.state import MENU_INTEGERS

MAY_FOLD = 0.21
"""Fraction of decisions in which `RandomLowFold` may fold: a random integer of 0 .. 99 is at most 20."""


@kernel
def always_call(t: Any, random_number: Any, setting: Any) -> Any:
    """Return check or call: it is always legal."""
    return CALL_ACTION


@kernel
def smallest_raise(t: Any, random_number: Any, setting: Any) -> Any:
    """Return the smallest legal raise of a view's actor, check or call where there is none."""
    if t.max_raise_to <= 0:
        return np.int64(CALL_ACTION)
    if t.menu == MENU_INTEGERS:
        return np.int64(t.min_raise_to) + INTEGERS_OFFSET
    action = np.int64(FIRST_RAISE_ACTION)
    while not is_legal(t, action):  # a seat that may raise has a legal id, the last one at the latest
        action += 1
    return action


class AlwaysCall(RulePlayer):
    """Checks or calls, whatever happens."""

    name = "always_call"
    choose_rows = rule_kernel(always_call)
    plays = staticmethod(is_holdem)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return check or call for every decision, without making views."""
        return np.full(len(decisions), CALL_ACTION)


class AlwaysRaise(RulePlayer):
    """Bets or raises by the smallest legal id, in bet menus the smallest size; checks or calls where it may not."""

    name = "always_raise"
    choose_rows = rule_kernel(smallest_raise)
    plays = staticmethod(is_holdem)


class RandomLowFold(Agent):
    """Plays at random, in 79 % of its decisions among the actions other than fold (Zheng et al. 2022)."""

    name = "random_low_fold"

    def can_play(self, game: Game) -> bool:
        """Return True for every game of the hold'em family."""
        return is_holdem(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return random legal actions; one number decides both whether to fold and which action."""
        may_fold = decisions.random_numbers < MAY_FOLD
        low, width = np.where(may_fold, 0.0, MAY_FOLD), np.where(may_fold, MAY_FOLD, 1 - MAY_FOLD)
        allowed = decisions.action_mask.copy()
        allowed[~may_fold, FOLD_ACTION] = 0
        return choose(allowed, (decisions.random_numbers - low) / width)
