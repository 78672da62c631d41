"""The average of all strategies of a run as one network, for games of any size.

A reservoir keeps a sample of the strategies' decisions, which a policy network learns to predict (Heinrich and Silver
2016; Brown et al. 2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_policy import MlpPolicy
from card_baselines.average_strategy.reservoir import Reservoir
from card_envs.game import Game


class AverageNetwork:
    """A reservoir of decisions and the policy network that is fitted to it."""

    def __init__(
        self, game: Game, hidden: Sequence[int], capacity: int, learning_rate: float, device: torch.device
    ) -> None:
        """Make an empty reservoir and a network with random weights."""
        by_action = (game.num_actions,)
        self.reservoir = Reservoir(capacity, {
            "observation": ((game.layout.size,), game.layout.dtype),
            "action_mask": (by_action, np.int8),
            "probabilities": (by_action, np.float32),
            "weight": ((), np.float32),
        })  # fmt: skip
        self.policy = MlpPolicy(game.layout.size, list(hidden), game.num_actions, "relu").to(device)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), learning_rate, fused=True)
        self._device = device

    def add(
        self,
        rng: np.random.Generator,
        observation: NDArray[Any],
        action_mask: NDArray[np.int8],
        probabilities: NDArray[np.floating],
        weight: float | NDArray[np.floating] = 1.0,
    ) -> None:
        """Offer n decisions to the reservoir.

        Args:
            rng: Decides which are kept.
            observation: (n, d).
            action_mask: (n, num_actions).
            probabilities: (n, num_actions) of the strategy that decided, or 1 for the action that it took.
            weight: Of these decisions in the average, one number or (n,).
        """
        self.reservoir.add(
            rng,
            observation=observation,
            action_mask=action_mask,
            probabilities=np.asarray(probabilities, np.float32),
            weight=np.full(len(observation), weight, np.float32),
        )

    def fit(self, rng: np.random.Generator, steps: int, batch: int) -> float:
        """Take optimiser steps on minibatches of the reservoir; return the mean cross-entropy, 0 without decisions."""
        if not len(self.reservoir) or not steps:
            return 0.0
        heaviest = float(self.reservoir.column("weight").max())
        losses = []
        for _ in range(steps):
            rows = self.reservoir.sample(rng, batch)
            tensors = {name: torch.from_numpy(column).to(self._device) for name, column in rows.items()}
            logits = self.policy(tensors["observation"].float()).masked_fill(tensors["action_mask"] == 0, -1e9)
            cross_entropy = -(tensors["probabilities"] * torch.log_softmax(logits, dim=1)).sum(dim=1)
            loss = (tensors["weight"] / heaviest * cross_entropy).mean()
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            losses.append(loss.detach())
        return float(torch.stack(losses).mean())

    @torch.inference_mode()
    def probabilities(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the probability of every action (n, num_actions), zero for illegal ones."""
        logits = self.policy(torch.from_numpy(observation).to(self._device).float()).cpu().double()
        masked = logits.masked_fill(torch.from_numpy(action_mask == 0), -torch.inf)
        return np.asarray(masked.softmax(dim=1).numpy(), np.float64)

    @property
    def parts(self) -> Mapping[str, Any]:
        """What a checkpoint holds, see `runs.checkpoint.collect_parts`."""
        return {"policy": self.policy, "adam": self.optimiser, "reservoir": self.reservoir}
