"""The average of strategies of a small game: what self-play and regret minimisation converge with, if they do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.match.public_tree import Floats, PublicTree


class AverageStrategy:
    """A weighted average of strategies, as one strategy.

    To play it is to draw one of the strategies for each hand, every seat for itself. At an information state it mixes
    them by their weights and by how likely their own actions lead there (Heinrich, Lanctot and Silver 2015).
    """

    def __init__(self, tree: PublicTree) -> None:
        """Begin with no strategy."""
        self.tree = tree
        self._weights = np.zeros(tree.decisions.action_mask.shape)

    def add(self, strategy: Floats, weight: float = 1.0) -> None:
        """Add a strategy (states, num_actions); weights above 0 count relative to each other."""
        self._weights += weight * self.tree.realisation(strategy)

    def strategy(self) -> Floats:
        """Return the average (states, num_actions); all legal actions alike where no strategy goes."""
        total = self._weights.sum(axis=1, keepdims=True)
        chances = np.where(total > 0, self._weights, self.tree.decisions.action_mask)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float64)

    def state(self) -> dict[str, NDArray[np.float64]]:
        """Return arrays from which `restore` makes this average again."""
        return {"weights": self._weights}

    def restore(self, state: dict[str, NDArray[np.float64]]) -> None:
        """Become the average whose `state` was kept; raises ValueError for one of another game."""
        if state["weights"].shape != self._weights.shape:
            raise ValueError(
                f"this average is over {state['weights'].shape} states and actions, {self.tree.game.name} with these "
                f"settings has {self._weights.shape}: continue with the settings that it was made with"
            )
        self._weights = state["weights"].copy()
