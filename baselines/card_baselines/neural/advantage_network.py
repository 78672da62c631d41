"""A network that predicts the advantages of actions; regret matching on its outputs is a strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class AdvantageNetwork:
    """A network of advantages whose inputs are standardised by the first observations of its training data."""

    def __init__(self, game: Game, hidden: Sequence[int], device: torch.device) -> None:
        """Make a network with outputs of 0, whose strategy is uniform."""
        self.policy = make_network(game.layout.size, hidden, game.num_actions, device)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), fused=True)
        self.shift = torch.zeros(game.layout.size, device=device)
        self.scale = torch.ones(game.layout.size, device=device)
        self.device = device

    def standardise(self, observation: NDArray[Any]) -> None:
        """Set the mean and deviation that standardise the inputs to those of observations (n, d)."""
        inputs = torch.from_numpy(np.asarray(observation, np.float32)).to(self.device)
        self.shift, self.scale = inputs.mean(dim=0), 1.0 / (inputs.std(dim=0, correction=0) + _MIN_DEVIATION)

    def forward(self, observation: NDArray[Any]) -> torch.Tensor:
        """Return the advantage of every action (n, num_actions)."""
        inputs = torch.from_numpy(np.asarray(observation, np.float32)).to(self.device)
        output: torch.Tensor = self.policy((inputs - self.shift) * self.scale)
        return output

    @torch.inference_mode()
    def strategy(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Floats:
        """Return the strategy of regret matching (n, num_actions)."""
        return match_regrets(self.forward(observation).cpu().numpy(), action_mask)

    def fit(self, minibatch: Mapping[str, NDArray[Any]], learning_rate: float) -> torch.Tensor:
        """Take one optimiser step on a minibatch of the advantage memory; return its loss."""
        target, mask, weight = (
            torch.from_numpy(minibatch[name]).to(self.device) for name in ("advantage", "action_mask", "weight")
        )
        error = ((self.forward(minibatch["observation"]) - target) * mask).square().sum(dim=1)
        loss = (weight / weight.mean() * error).mean()
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        return loss.detach()

    @torch.no_grad()
    def plain_policy(self) -> MlpPolicy:
        """Return a network with the same outputs whose first layer includes the standardisation."""
        linear = [layer for layer in self.policy.layers if isinstance(layer, torch.nn.Linear)]
        sizes = [layer.out_features for layer in linear[:-1]]
        plain = MlpPolicy(linear[0].in_features, sizes, linear[-1].out_features, "relu").to(self.device)
        plain.load_state_dict(self.policy.state_dict())
        first = plain.layers[0]
        assert isinstance(first, torch.nn.Linear)
        first.weight.mul_(self.scale)
        first.bias.sub_(first.weight @ self.shift)
        return plain
