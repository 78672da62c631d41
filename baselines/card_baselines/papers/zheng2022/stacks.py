"""Networks of one shape side by side: one for each run of an experiment, trained independently at the price of one.

All parameters of a network are one row of a matrix, so that forward passes are batched products and a step of Adam is a
handful of operations, however many networks there are.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.compiler import kernel

_BETA_1, _BETA_2 = 0.9, 0.999
_ONE, _B1, _B2, _EPSILON = (np.float32(number) for number in (1, _BETA_1, _BETA_2, 1e-8))


class Stack:
    """Networks (`torch.nn.Sequential` of Linear, BatchNorm1d and activations) with an Adam of their own each."""

    def __init__(self, networks: Sequence[torch.nn.Sequential], learning_rate: float) -> None:
        """Copy the networks."""
        self._template = networks[0]
        self._shapes = [parameter.shape for parameter in networks[0].parameters()]
        self._learning_rate = learning_rate
        self.flat = torch.stack([torch.nn.utils.parameters_to_vector(n.parameters()) for n in networks]).detach()
        self._first, self._second = torch.zeros_like(self.flat), torch.zeros_like(self.flat)
        self._steps = torch.zeros(len(networks), dtype=torch.float64)
        self._running = [torch.stack(each) for each in zip(*map(_list_running_statistics, networks), strict=True)]
        """Mean and variance of each BatchNorm1d, (networks, n) each."""

    def __len__(self) -> int:
        """Return how many networks there are."""
        return len(self.flat)

    def part(self, rows: NDArray[np.int64]) -> Stack:
        """Return copies of some of the networks, with the state of their training."""
        picked = torch.from_numpy(rows)
        part = copy.copy(self)
        part.flat, part._first, part._second, part._steps, *part._running = (each[picked] for each in self._state())
        return part

    def write(self, rows: NDArray[np.int64], part: Stack) -> None:
        """Write a part back."""
        picked = torch.from_numpy(rows)
        for ours, theirs in zip(self._state(), part._state(), strict=True):
            ours[picked] = theirs.detach()

    def _state(self) -> Iterator[torch.Tensor]:
        yield from (self.flat, self._first, self._second, self._steps, *self._running)

    def __call__(self, inputs: torch.Tensor, flat: torch.Tensor | None = None, training: bool = False) -> torch.Tensor:
        """Return (networks, n, out) for inputs (networks, n, in); `flat` in place of the parameters, to differentiate.

        `training` normalises batches by themselves and updates the running statistics.
        """
        flat = self.flat if flat is None else flat
        pieces = torch.split(flat, [shape.numel() for shape in self._shapes], dim=1)
        weights = iter([piece.view(len(flat), *shape) for piece, shape in zip(pieces, self._shapes, strict=True)])
        running, x = iter(self._running), inputs
        for layer in self._template:
            if isinstance(layer, torch.nn.Linear):
                weight, bias = next(weights), next(weights)
                x = torch.baddbmm(bias[:, None], x, weight.transpose(1, 2))
            elif isinstance(layer, torch.nn.BatchNorm1d):
                x = _normalise(x, next(running), next(running), layer, training)
                x = x * next(weights)[:, None] + next(weights)[:, None]
            else:
                x = layer(x)
        return x

    def compute_at(self, rows: NDArray[np.int64], inputs: NDArray[np.float32]) -> torch.Tensor:
        """Return (n, out) for inputs (n, in), each for the network of its row; the rows differ."""
        every = torch.zeros(len(self), 1, inputs.shape[1])
        every[rows, 0] = torch.from_numpy(inputs)
        return self(every)[rows, 0]

    def step(self, loss: Callable[[torch.Tensor], torch.Tensor], active: NDArray[np.bool_] | None = None) -> None:
        """Take a step of Adam down `loss`, which gets the parameters and returns one number for each network.

        Where `active` (networks,) is False nothing changes.
        """
        active = np.ones(len(self), bool) if active is None else active
        running = [each.clone() for each in self._running]
        leaf = self.flat.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(loss(leaf).sum(), leaf)
        for now, before in zip(self._running, running, strict=True):
            now[~active] = before[~active]
        adam_step(
            self.flat.numpy(), gradient.contiguous().numpy(), self._first.numpy(), self._second.numpy(),
            self._steps.numpy(), active, self._learning_rate,
        )  # fmt: skip

    def network(self, row: int) -> torch.nn.Sequential:
        """Return a copy of one network, in evaluation mode."""
        copied = copy.deepcopy(self._template)
        torch.nn.utils.vector_to_parameters(self.flat[row].clone(), copied.parameters())
        for theirs, ours in zip(_list_running_statistics(copied), self._running, strict=True):
            theirs.copy_(ours[row])
        return copied.eval().requires_grad_(False)


@kernel
def adam_step(flat: Any, gradient: Any, first: Any, second: Any, steps: Any, active: Any, learning_rate: Any) -> None:
    """Move the rows of `flat` (n, k) that are `active` as Adam (Kingma and Ba 2015) does; moments and steps follow.

    One pass over the memory, which is what a step costs; PyTorch's operations would make eight.
    """
    for i in range(flat.shape[0]):
        if not active[i]:
            continue
        steps[i] += 1
        rate = np.float32(learning_rate / (1 - _BETA_1 ** steps[i]))
        scale = np.float32(1 / (1 - _BETA_2 ** steps[i]))
        for j in range(flat.shape[1]):
            g = gradient[i, j]
            m = _B1 * first[i, j] + (_ONE - _B1) * g
            v = _B2 * second[i, j] + (_ONE - _B2) * g * g
            first[i, j], second[i, j] = m, v
            flat[i, j] -= rate * m / (np.sqrt(v * scale) + _EPSILON)


def make_networks(make: Callable[[], torch.nn.Sequential], seeds: Sequence[int]) -> list[torch.nn.Sequential]:
    """Return a network for each seed, which alone decides its first parameters."""
    made = []
    with torch.random.fork_rng(devices=[]):
        for seed in seeds:
            torch.manual_seed(seed)
            made.append(make())
    return made


def _list_running_statistics(network: torch.nn.Sequential) -> list[torch.Tensor]:
    """Return running mean and variance of each BatchNorm1d, in their order."""
    return [buffer for name, buffer in network.named_buffers() if "running" in name]


def _normalise(
    x: torch.Tensor, mean: torch.Tensor, variance: torch.Tensor, layer: torch.nn.BatchNorm1d, training: bool
) -> torch.Tensor:
    """Return inputs (networks, n, d) normalised: by themselves, updating mean and variance, or by these."""
    if training:
        running_mean, running_variance = mean, variance
        variance, mean = torch.var_mean(x, dim=1, correction=0)
        share = 0.1 if layer.momentum is None else layer.momentum
        count = x.shape[1]
        running_mean.lerp_(mean.detach(), share)
        running_variance.lerp_(variance.detach() * count / max(count - 1, 1), share)
    return (x - mean[:, None]) * torch.rsqrt(variance[:, None] + layer.eps)
