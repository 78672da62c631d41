"""A network that predicts the advantages of actions; regret matching on its outputs is a strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_policy import MlpPolicy
from card_baselines.average_strategy.snapshots import match_regrets
from card_envs.game import Game
from card_envs.typing import Floats

_MIN_DEVIATION = 0.1
"""Offset of the standard deviations of inputs, so that inputs that rarely vary at first cannot become large later."""


def make_network(inputs: int, hidden: Sequence[int], outputs: int, device: torch.device) -> MlpPolicy:
    """Return a network whose initial outputs are 0."""
    network = MlpPolicy(inputs, list(hidden), outputs, "relu").to(device)
    last = network.layers[-1]
    assert isinstance(last, torch.nn.Linear)
    torch.nn.init.zeros_(last.weight)
    torch.nn.init.zeros_(last.bias)
    return network


class Standardisation(torch.nn.Module):
    """Shifts and scales numbers."""

    shift: torch.Tensor
    scale: torch.Tensor

    def __init__(self, size: int) -> None:
        """Leave inputs as they are."""
        super().__init__()
        self.register_buffer("shift", torch.zeros(size))
        self.register_buffer("scale", torch.ones(size))

    def fit(self, inputs: torch.Tensor) -> None:
        """Give inputs like these (n, size) means of 0, and deviations of at most 1."""
        self.shift, self.scale = inputs.mean(dim=0), 1.0 / (inputs.std(dim=0, correction=0) + _MIN_DEVIATION)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return standardised inputs (n, size)."""
        return (inputs - self.shift) * self.scale


class AdvantageNetwork:
    """A network of advantages whose inputs are standardised by the first observations of its training data."""

    def __init__(self, game: Game, hidden: Sequence[int], device: torch.device) -> None:
        """Make a network with outputs of 0, whose strategy is uniform."""
        self.policy = make_network(game.layout.size, hidden, game.num_actions, device)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), fused=True)
        self.input = Standardisation(game.layout.size).to(device)
        self.device = device

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the advantage of every action (n, num_actions), given observations (n, d) of any type."""
        output: torch.Tensor = self.policy(self.input(observation.to(self.device).float()))
        return output

    @torch.inference_mode()
    def strategy(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Floats:
        """Return the strategy of regret matching (n, num_actions)."""
        return match_regrets(self.forward(torch.from_numpy(observation)).cpu().numpy(), action_mask)

    def compute_loss(self, minibatch: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Return the weighted squared error on a minibatch of the advantage memory."""
        advantages, weight = self.forward(minibatch["observation"]), minibatch["weight"]
        error = ((advantages - minibatch["advantage"]) * minibatch["action_mask"]).square().sum(dim=1)
        return (weight / weight.mean() * error).mean()

    @torch.no_grad()
    def plain_policy(self) -> MlpPolicy:
        """Return a network with the same outputs whose first layer includes the standardisation."""
        plain = deepcopy(self.policy)
        first = plain.layers[0]
        assert isinstance(first, torch.nn.Linear)
        first.weight.mul_(self.input.scale)
        first.bias.sub_(first.weight @ self.input.shift)
        return plain
