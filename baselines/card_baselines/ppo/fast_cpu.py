"""Self-play PPO with a network that is faster on a CPU: the same parameters, and the same results up to rounding.

Two kernels replace matrix products: `sparse_linear` skips the zeros of observations, nine in ten of their numbers, and
takes at most half the time, forward and backward together; `legal_logits` skips the logits of illegal actions. Hidden
layers in bfloat16 are even faster on processors with AMX or AVX-512 BF16, and much slower on others.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.dense_layers import apply_layers
from card_baselines.agents.learned.legal_logits import legal_logits, to_numpy
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.ppo import Ppo
from card_envs.compiler import kernel

_MIN_SPEEDUP = 1.2
"""Smallest speed-up for which `auto` chooses bfloat16."""
_ROUNDS = 5
_BFLOAT16 = "bfloat16"
"""Entry of a checkpoint."""


def sparse_linear(observation: torch.Tensor, layer: torch.nn.Linear) -> torch.Tensor:
    """Return `layer(observation)`, (n, width) float32, for observations (n, d) that need no gradient.

    Kernels compute it on the CPU; on other devices the layer itself is called.
    """
    if observation.device.type != "cpu":
        dense: torch.Tensor = layer(observation)
        return dense
    sparse: torch.Tensor = _SparseLinear.apply(  # type: ignore[no-untyped-call]
        observation.contiguous(), layer.weight, layer.bias
    )
    return sparse


class _SparseLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, observation: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        num_rows, num_columns = observation.shape
        nonzero = torch.empty(num_rows, num_columns + 1, dtype=torch.int16)
        counts = torch.empty(num_rows, dtype=torch.int64)
        columns = weight.t().contiguous()  # the weights of one input are contiguous
        output = torch.empty(num_rows, len(weight))
        write_sums(*map(to_numpy, (observation, columns, bias, nonzero, counts, output)))
        ctx.save_for_backward(observation, nonzero, counts)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        observation, nonzero, counts = ctx.saved_tensors
        grad_output = gradients[0].contiguous()
        grad_columns = torch.zeros(observation.shape[1], grad_output.shape[1])
        add_to_columns(*map(to_numpy, (observation, nonzero, counts, grad_output, grad_columns)))
        return None, grad_columns.t().contiguous(), grad_output.sum(dim=0)


@kernel
def write_sums(observation: Any, columns: Any, bias: Any, nonzero: Any, counts: Any, output: Any) -> None:
    """Write `output` (n, width): bias plus the sum of the columns (d, width), each times its input.

    Also writes the indices of the inputs that are not zero, the first `counts[i]` (n,) entries of nonzero[i]
    (n, d + 1).
    """
    width = output.shape[1]
    for i in range(observation.shape[0]):
        count = np.int64(0)
        for k in range(observation.shape[1]):
            nonzero[i, count] = k
            count += np.int64(observation[i, k] != 0)  # faster than a branch, which would be mispredicted
        counts[i] = count
        for j in range(width):
            output[i, j] = bias[j]
        whole = count - count % 4
        for m in range(0, whole, 4):  # four at a time, so that the output is read and written a quarter as often
            a, b = np.int64(nonzero[i, m]), np.int64(nonzero[i, m + 1])
            c, d = np.int64(nonzero[i, m + 2]), np.int64(nonzero[i, m + 3])
            at_a, at_b, at_c, at_d = observation[i, a], observation[i, b], observation[i, c], observation[i, d]
            for j in range(width):
                output[i, j] = (
                    output[i, j]
                    + at_a * columns[a, j]
                    + at_b * columns[b, j]
                    + at_c * columns[c, j]
                    + at_d * columns[d, j]
                )
        for m in range(whole, count):
            a = np.int64(nonzero[i, m])
            at_a = observation[i, a]
            for j in range(width):
                output[i, j] += at_a * columns[a, j]


@kernel
def add_to_columns(observation: Any, nonzero: Any, counts: Any, grad_output: Any, grad_columns: Any) -> None:
    """Add to the gradients of the columns (d, width), given the gradients of the outputs (n, width)."""
    width = grad_output.shape[1]
    for i in range(observation.shape[0]):
        for m in range(counts[i]):
            k = np.int64(nonzero[i, m])
            value = observation[i, k]
            for j in range(width):
                grad_columns[k, j] += value * grad_output[i, j]


class FastActorCritic(ActorCritic):
    """An `ActorCritic` that uses the kernels, and optionally bfloat16 in hidden layers."""

    def __init__(self, *sizes: Any, bfloat16: bool = False) -> None:
        """Make a network; arguments other than `bfloat16` are those of `ActorCritic`."""
        super().__init__(*sizes)
        self.uses_bfloat16 = bfloat16

    def forward(self, observation: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (n, k) of the legal actions (n, k) and values (n,), both float32."""
        with torch.autocast(observation.device.type, torch.bfloat16, enabled=self.uses_bfloat16):
            return super().forward(observation, legal)

    def embed(self, layers: Sequence[torch.nn.Module], observation: torch.Tensor) -> torch.Tensor:
        """Return the output of `layers`; with float32 the first one is computed by `sparse_linear`."""
        if self.uses_bfloat16 or not layers:
            return super().embed(layers, observation)
        first, *others = layers
        assert isinstance(first, torch.nn.Linear)
        return self.transform(others, sparse_linear(observation, first))

    def transform(self, layers: Sequence[torch.nn.Module], features: torch.Tensor) -> torch.Tensor:
        """Return the output of layers, by oneDNN where it is faster."""
        return super().transform(layers, features) if self.uses_bfloat16 else apply_layers(layers, features)

    def logits(self, hidden: torch.Tensor, last: torch.nn.Linear, legal: torch.Tensor) -> torch.Tensor:
        """Return the logits (n, k) of legal actions (n, k), computed by `legal_logits`."""
        return legal_logits(hidden, last, legal)


class FastPpo(Ppo):
    """Self-play PPO with the network that `Config.fast_cpu` selects: the learner of `card-envs train`."""

    def make_network(self) -> ActorCritic:
        """Return a new network, in plain PyTorch on GPUs."""
        mode = self.config.fast_cpu
        if mode == "off" or self.device.type != "cpu":
            return super().make_network()
        bfloat16 = mode == "bfloat16" or (
            mode == "auto" and bfloat16_is_faster(self.game.layout.size, self.config.hidden, self.config.minibatch)
        )
        return FastActorCritic.from_config(self.config, self.game, bfloat16=bfloat16)

    def networks(self) -> list[ActorCritic]:
        """Return all networks of the run."""
        tables = self.rollout.tables
        return [self.network, self.playing, *tables.past_selves, *tables.exploiters]

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write what `Ppo.save` writes, and whether hidden layers are computed in bfloat16."""
        super().save(path, {**progress, _BFLOAT16: getattr(self.network, "uses_bfloat16", False)})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`, in the precision of the run, whatever `auto` measures now."""
        progress = super().load(path)
        for network in self.networks():
            if isinstance(network, FastActorCritic) and self.config.fast_cpu == "auto":
                network.uses_bfloat16 = progress[_BFLOAT16]
        return progress


def bfloat16_is_faster(observation_size: int, hidden: Sequence[int], num_rows: int) -> bool:
    """Return True if hidden layers are at least 1.2 times as fast in bfloat16, forward and backward.

    The fastest of five rounds with `num_rows` observations counts; this takes a fraction of a second.
    """
    layers: list[torch.nn.Module] = []
    for inputs, outputs in zip((observation_size, *hidden), hidden, strict=False):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    network, observation = torch.nn.Sequential(*layers), torch.zeros(num_rows, observation_size)
    return _measure_seconds(network, observation, False) >= _MIN_SPEEDUP * _measure_seconds(network, observation, True)


def _measure_seconds(network: torch.nn.Sequential, observation: torch.Tensor, bfloat16: bool) -> float:
    """Return the smallest processor time of a forward and backward pass in five rounds, after one to warm up."""
    rounds = []
    for _ in range(1 + _ROUNDS):
        start = time.process_time()
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            output = network(observation) if bfloat16 else apply_layers(list(network), observation)
        output.float().sum().backward()
        rounds.append(time.process_time() - start)
    return min(rounds[1:])
