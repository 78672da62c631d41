"""Base class of the rule-based agents for Texas hold'em, whose rules are one compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import action_for, loosen
from card_envs.agent import Agent, Decisions
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem


class RulePlayer(Agent):
    """Plays Texas hold'em with any betting by the rule of a subclass; it has no memory."""

    mixes = False
    is_stateless = True
    is_loose = False
    """Play the loose variant of the rule (`holdem_moves.loosen`)."""
    choose_rows: ClassVar[Callable[..., None]]
    """Kernel of `rule_kernel`."""

    def can_play(self, game: Game) -> bool:
        """Return True for Texas hold'em with any betting."""
        return is_texas_holdem(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        actions = np.empty(len(decisions), np.int64)
        self._choose(decisions, actions)
        return actions

    def _choose(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Write an action id (int64) for each decision."""
        self.choose_rows(decisions.views, decisions.random_numbers, self.is_loose, actions)


def rule_kernel(choose_move: Any) -> Any:
    """Return a kernel that writes the action id of each view's actor.

    Args:
        choose_move: Kernel that returns RAISE, CALL or FOLD for a view.

    Returns:
        Static method with arguments views, random numbers (n,), whether to play the loose variant, and actions (n,).
    """

    @kernel
    def choose_rows(views: Any, random_numbers: Any, is_loose: Any, actions: Any) -> None:
        for j in range(views.shape[0]):
            t = views[j]
            wanted = choose_move(t)
            actions[j] = action_for(t, loosen(wanted, random_numbers[j]) if is_loose else wanted)

    return staticmethod(choose_rows)
