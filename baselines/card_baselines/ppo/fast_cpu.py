"""The network of self-play PPO computed faster on a CPU, with the same parameters and, but for rounding, results.

Two kernels replace matrix products: `sparse_linear` skips the zeros of observations, `legal_logits` the logits of
illegal actions. On processors with AMX or AVX-512 BF16, hidden layers in bfloat16 are faster still, on others much
slower.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch

from card_baselines.agents.learned.legal_logits import legal_logits
from card_baselines.agents.learned.sparse_layer import sparse_linear
from card_baselines.ppo.config import Config
from card_baselines.ppo.network import ActorCritic
from card_envs.game import Game

_MIN_SPEEDUP = 1.2
"""Speed-up for which `auto` accepts the lower precision of bfloat16."""
_ROUNDS = 5


class FastActorCritic(ActorCritic):
    """An `ActorCritic` that uses the kernels, and bfloat16 in hidden layers if asked to."""

    def __init__(self, *sizes: Any, bfloat16: bool = False) -> None:
        """Make a network; the arguments before `bfloat16` are those of `ActorCritic`."""
        super().__init__(*sizes)
        self.uses_bfloat16 = bfloat16

    def forward(self, observation: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (n, k) of the legal actions (n, k) and values (n,), both float32."""
        with torch.autocast(observation.device.type, torch.bfloat16, enabled=self.uses_bfloat16):
            return super().forward(observation, legal)

    def embed(self, layers: Sequence[torch.nn.Module], observation: torch.Tensor) -> torch.Tensor:
        """Return the output of layers, the first of which skips zeros: units for bfloat16 are faster still."""
        if self.uses_bfloat16 or not layers:
            return super().embed(layers, observation)
        first, *others = layers
        assert isinstance(first, torch.nn.Linear)
        return super().embed(others, sparse_linear(observation, first))

    def logits(self, hidden: torch.Tensor, last: torch.nn.Linear, legal: torch.Tensor) -> torch.Tensor:
        """Return the logits of legal actions (n, k), and compute no others."""
        return legal_logits(hidden, last, legal)


def make_network(config: Config, game: Game, device: torch.device) -> ActorCritic:
    """Return a new network on a device: in plain PyTorch on GPUs, as `config.fast_cpu` says on CPUs."""
    value_hidden, shared = config.hidden[config.shared_layers :], config.shared_layers
    sizes = (game.layout.size, config.hidden, game.num_actions, config.activation, value_hidden, shared)
    mode = config.fast_cpu
    if mode == "off" or device.type != "cpu":
        return ActorCritic(*sizes).to(device)
    bfloat16 = mode == "bfloat16" or (
        mode == "auto" and bfloat16_is_faster(game.layout.size, config.hidden, config.minibatch)
    )
    return FastActorCritic(*sizes, bfloat16=bfloat16).to(device)


def bfloat16_is_faster(observation_size: int, hidden: Sequence[int], num_rows: int) -> bool:
    """Return True if hidden layers learn from `num_rows` observations at least 1.2 times as fast in bfloat16.

    Takes a fraction of a second; the fastest of five rounds counts.
    """
    layers: list[torch.nn.Module] = []
    for inputs, outputs in zip((observation_size, *hidden), hidden, strict=False):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    network, observation = torch.nn.Sequential(*layers), torch.zeros(num_rows, observation_size)
    return _measure_seconds(network, observation, False) >= _MIN_SPEEDUP * _measure_seconds(network, observation, True)


def _measure_seconds(network: torch.nn.Module, observation: torch.Tensor, bfloat16: bool) -> float:
    """Return the processor time of a forward and a backward pass, after one that is not counted."""
    rounds = []
    for _ in range(1 + _ROUNDS):
        start = time.process_time()
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            output = network(observation)
        output.float().sum().backward()
        rounds.append(time.process_time() - start)
    return min(rounds[1:])
