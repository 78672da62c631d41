"""Self-play PPO whose network is computed faster on a CPU, with the same parameters and, but for rounding, results.

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
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.ppo import Ppo
from card_baselines.ppo.sparse_layer import sparse_linear

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


class FastPpo(Ppo):
    """Self-play PPO whose network is computed as `Config.fast_cpu` says, on CPUs: what `card-envs train` runs."""

    def make_network(self) -> ActorCritic:
        """Return a new network; it is in plain PyTorch on GPUs."""
        mode = self.config.fast_cpu
        if mode == "off" or self.device.type != "cpu":
            return super().make_network()
        bfloat16 = mode == "bfloat16" or (
            mode == "auto" and bfloat16_is_faster(self.game.layout.size, self.config.hidden, self.config.minibatch)
        )
        return FastActorCritic.from_config(self.config, self.game, bfloat16=bfloat16)


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
