"""The average of all strategies of a run as one network, for games of any size.

A reservoir keeps a sample of the strategies' decisions, which a policy network learns to predict (Heinrich and Silver
2016; Brown et al. 2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.mlp_policy import MlpPolicy
from card_baselines.learning.adam import Adam
from card_baselines.learning.memories import DecisionReservoir
from card_baselines.learning.optimisation import take_steps
from card_envs.game import Game


class AverageNetwork:
    """A reservoir of decisions and the policy network that is fitted to it."""

    def __init__(
        self, game: Game, hidden: Sequence[int], capacity: int, learning_rate: float, device: torch.device
    ) -> None:
        """Make an empty reservoir and a network with random weights."""
        self.reservoir = DecisionReservoir(capacity, game, "probabilities")
        """Decisions with the probabilities of the strategy that decided, or 1 for the action that it took."""
        self.policy = MlpPolicy(game.layout.size, list(hidden), game.num_actions, "relu").to(device)
        self.optimiser = Adam(self.policy.parameters(), learning_rate, fused=True)
        self._device = device

    def fit(self, rng: np.random.Generator, steps: int, batch: int) -> float:
        """Take optimiser steps on minibatches of the reservoir; return the mean cross-entropy, 0 without decisions."""
        if not len(self.reservoir):
            return 0.0
        heaviest = float(self.reservoir.column("weight").max())

        def compute_loss() -> torch.Tensor:
            rows = self.reservoir.sample(rng, batch, self._device)
            logits = self.policy(rows["observation"].float()).masked_fill(rows["action_mask"] == 0, -1e9)
            cross_entropy = -(rows["probabilities"] * torch.log_softmax(logits, dim=1)).sum(dim=1)
            return (rows["weight"] / heaviest * cross_entropy).mean()

        return take_steps(self.optimiser, compute_loss, steps)

    @property
    def parts(self) -> Mapping[str, Any]:
        """What a checkpoint holds, see `runs.checkpoint.collect_parts`."""
        return {"policy": self.policy, "adam": self.optimiser, "reservoir": self.reservoir}
