"""The random agent that rarely folds, with which Zheng et al. (2022, Cheat'em) fill their table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, choose
from card_envs.game import Game
from card_envs.games.holdem.actions import FOLD_ACTION
from card_envs.games.holdem.config import is_holdem

MAY_FOLD = 0.21
"""Fraction of decisions in which folding is possible: a random integer of 0 .. 99 is at most 20."""


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
