"""The network of self-play PPO: an `MlpPolicy`, and a value that may share its first layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import torch

from card_baselines.agents.learned.legal_logits import select_legal_logits
from card_baselines.agents.learned.mlp_policy import ACTIVATIONS, MlpPolicy
from card_baselines.ppo.config import Config
from card_envs.game import Game

_HIDDEN_GAIN, _LOGIT_GAIN, _VALUE_GAIN = 2**0.5, 0.01, 1.0
"""Gains of the orthogonal initialisation (Charlesworth 2018; customary for PPO)."""


class ActorCritic(torch.nn.Module):
    """Maps observations and lists of legal actions to the logits of those actions and the value of the position."""

    def __init__(
        self,
        observation_size: int,
        hidden: Sequence[int],
        num_actions: int,
        activation: str = "tanh",
        value_hidden: Sequence[int] = (),
        shared_layers: int = 0,
    ) -> None:
        """Make a network whose value has layers of its own after the first `shared_layers` of the policy."""
        super().__init__()
        if not 0 <= shared_layers <= len(hidden):
            raise ValueError(f"shared_layers {shared_layers} must be in 0..{len(hidden)}, the hidden layers there are")
        self.policy = MlpPolicy(observation_size, list(hidden), num_actions, activation)
        self._shared = 2 * shared_layers  # a layer is a linear map and its activation
        width = hidden[shared_layers - 1] if shared_layers else observation_size
        layers: list[torch.nn.Module] = []
        for size in value_hidden:
            layers += [torch.nn.Linear(width, size), ACTIVATIONS[activation]()]
            width = size
        self.value = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))
        _initialise(self.policy.layers, _LOGIT_GAIN)
        _initialise(self.value, _VALUE_GAIN)

    @classmethod
    def from_config(cls, config: Config, game: Game, **options: Any) -> Self:
        """Return a new network of the sizes in the settings; the value has all hidden layers that it does not share."""
        own = config.hidden[config.shared_layers :]
        sizes = (game.layout.size, config.hidden, game.num_actions, config.activation, own, config.shared_layers)
        return cls(*sizes, **options)

    def forward(self, observation: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (n, k) of the legal actions (n, k) and values (n,)."""
        layers, shared = list(self.policy.layers), self._shared
        if shared:
            features = self.embed(layers[:shared], observation)
            value, hidden = self.value(features), torch.nn.Sequential(*layers[shared:-1])(features)
        else:
            value, hidden = self.embed(list(self.value), observation), self.embed(layers[:-1], observation)
        last = layers[-1]
        assert isinstance(last, torch.nn.Linear)
        return self.logits(hidden.float(), last, legal), value[:, 0].float()

    def embed(self, layers: Sequence[torch.nn.Module], observation: torch.Tensor) -> torch.Tensor:
        """Return the output of layers, the first of which receives observations."""
        return torch.nn.Sequential(*layers)(observation)  # type: ignore[no-any-return]

    def logits(self, hidden: torch.Tensor, last: torch.nn.Linear, legal: torch.Tensor) -> torch.Tensor:
        """Return the logits (n, k) of legal actions (n, k), given the last hidden layer (n, d)."""
        return select_legal_logits(hidden, last, legal)


def _initialise(layers: Iterable[torch.nn.Module], last_gain: float) -> None:
    linear = [layer for layer in layers if isinstance(layer, torch.nn.Linear)]
    for layer in linear:
        torch.nn.init.orthogonal_(layer.weight, last_gain if layer is linear[-1] else _HIDDEN_GAIN)
        torch.nn.init.zeros_(layer.bias)
