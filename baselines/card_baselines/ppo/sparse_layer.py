"""A linear layer for sparse observations: it adds the columns of its weights whose inputs are not zero.

About one in ten numbers of an observation is not zero. On a CPU this takes at most half the time of the dense matrix
product, forward and backward together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.legal_logits import to_numpy
from card_envs.compiler import kernel


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
