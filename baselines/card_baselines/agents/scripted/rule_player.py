"""What the players of Texas hold'em have in common whose rules are one compiled function."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem


class RulePlayer(Agent):
    """Plays Texas hold'em, with any betting, as the kernel of a subclass says; it remembers nothing."""

    mixes = False
    is_stateless = True

    def can_play(self, game: Game) -> bool:
        """Return True for Texas hold'em with any betting."""
        return is_texas_holdem(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions of the rules."""
        actions = np.empty(len(decisions), np.int64)
        self._choose(decisions, actions)
        return actions

    def _choose(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Write an action id (int64) for each decision."""
        raise NotImplementedError
