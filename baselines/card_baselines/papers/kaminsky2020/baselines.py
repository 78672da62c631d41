"""The random player of the competition (section 3.4.1); the other baseline is `always_call`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.kaminsky2020.situation import is_playable, nearest_action
from card_envs.agent import Agent, Decisions
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.records import Tables


class KaminskyRandom(Agent):
    """Folds, calls or raises with a third each; a raise is to any amount that is allowed, each as likely."""

    name = "kaminsky_random"

    def can_play(self, game: Game) -> bool:
        """Return True for six-max no-limit hold'em with 200 chips."""
        return is_playable(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return random actions: a wish to fold where nothing is owed is a check, one to raise where nobody may a call.

        One number decides which of the three, and by what is left of it the amount.
        """
        actions = np.empty(len(decisions), np.int64)
        write_random_actions(decisions.views, decisions.random_numbers, actions)
        return actions


@kernel
def write_random_actions(views: Tables, random_numbers: Any, actions: Any) -> None:
    """Write random actions; see `KaminskyRandom`."""
    for j in range(views.shape[0]):
        t = views[j]
        thirds = random_numbers[j] * 3.0
        kind = np.int64(thirds)  # FOLD, CALL, RAISE stand in this order
        span = np.int64(t.max_raise_to) - t.min_raise_to + 1
        actions[j] = nearest_action(t, kind, t.min_raise_to + np.int64((thirds - kind) * span))
