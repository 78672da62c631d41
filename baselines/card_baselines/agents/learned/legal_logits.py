"""The last layer of a policy, computed for legal actions only.

In Big 2 only a few of 1,695 actions are legal. Their logits cost one dot product each; all logits and their gradients
would cost more than the rest of the network. Lists of legal actions are rows of action ids, padded with `NO_ACTION`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_envs.compiler import kernel

NO_ACTION = -1
"""Padding of lists of legal actions."""
IMPOSSIBLE = -1e9
"""Logit of the padding: finite, so that probability times log-probability is 0 rather than NaN."""


def legal_logits(hidden: torch.Tensor, last: torch.nn.Linear, legal: torch.Tensor) -> torch.Tensor:
    """Return the logits (n, k) float32 of the actions `legal` (n, k) int16, given the last hidden layer (n, d).

    A kernel computes them on the CPU, `select_legal_logits` on other devices.
    """
    if hidden.device.type != "cpu":
        return select_legal_logits(hidden, last, legal)
    logits: torch.Tensor = _LegalLogits.apply(  # type: ignore[no-untyped-call]
        hidden.contiguous(), last.weight, last.bias, legal
    )
    return logits


def select_legal_logits(hidden: torch.Tensor, last: torch.nn.Linear, legal: torch.Tensor) -> torch.Tensor:
    """Return the result of `legal_logits` in plain PyTorch, on any device, by computing all logits (n, actions)."""
    logits: torch.Tensor = last(hidden).gather(1, legal.long().clamp(min=0))
    return logits.masked_fill(legal == NO_ACTION, IMPOSSIBLE)


def list_legal(masks: NDArray[np.int8], counts: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the lists of legal actions (n, largest count) of masks (n, num_actions); writes `counts` (n,)."""
    count_legal(masks, counts)
    legal = np.full((len(masks), counts.max(initial=1)), NO_ACTION, np.int16)
    write_legal(masks, legal)
    return legal


class _LegalLogits(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, legal: torch.Tensor
    ) -> torch.Tensor:
        ctx.save_for_backward(hidden, weight, legal)
        logits = torch.full(legal.shape, IMPOSSIBLE)
        write_logits(*map(to_numpy, (hidden, weight, bias, legal, logits)))
        return logits

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        hidden, weight, legal = ctx.saved_tensors
        grad_hidden, grad_weight = torch.zeros_like(hidden), torch.zeros_like(weight)
        grad_bias = torch.zeros(len(weight))
        grad_logits = gradients[0].contiguous()
        add_gradients(*map(to_numpy, (hidden, weight, legal, grad_logits, grad_hidden, grad_weight, grad_bias)))
        return grad_hidden, grad_weight, grad_bias, None


def to_numpy(tensor: torch.Tensor) -> NDArray[Any]:
    """Return a tensor on the CPU as an array for kernels, sharing memory."""
    return np.asarray(tensor.detach().numpy())


@kernel
def count_legal(masks: Any, counts: Any) -> None:
    """Write the number of legal actions of each mask."""
    for i in range(masks.shape[0]):
        count = np.int64(0)
        for action in range(masks.shape[1]):
            count += masks[i, action]
        counts[i] = count


@kernel
def write_legal(masks: Any, legal: Any) -> None:
    """Write the ids of the legal actions of each mask to the start of its row."""
    for i in range(masks.shape[0]):
        k = np.int64(0)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                legal[i, k] = action
                k += 1


@kernel
def write_logits(hidden: Any, weight: Any, bias: Any, legal: Any, logits: Any) -> None:
    """Write the logits of legal actions, and leave the padding as it is."""
    width = hidden.shape[1]
    whole = width - width % 8
    for i in range(legal.shape[0]):
        for k in range(legal.shape[1]):
            action = np.int64(legal[i, k])
            if action < 0:
                break
            # eight partial sums: the additions to a single one would have to wait for each other
            s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0.0)
            for m in range(0, whole, 8):
                s0 += hidden[i, m] * weight[action, m]
                s1 += hidden[i, m + 1] * weight[action, m + 1]
                s2 += hidden[i, m + 2] * weight[action, m + 2]
                s3 += hidden[i, m + 3] * weight[action, m + 3]
                s4 += hidden[i, m + 4] * weight[action, m + 4]
                s5 += hidden[i, m + 5] * weight[action, m + 5]
                s6 += hidden[i, m + 6] * weight[action, m + 6]
                s7 += hidden[i, m + 7] * weight[action, m + 7]
            for m in range(whole, width):
                s0 += hidden[i, m] * weight[action, m]
            logits[i, k] = bias[action] + (((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)))


@kernel
def add_gradients(
    hidden: Any, weight: Any, legal: Any, grad_logits: Any, grad_hidden: Any, grad_weight: Any, grad_bias: Any
) -> None:
    """Add to the gradients of hidden layer, weights and bias, given the gradient of the logits."""
    width = hidden.shape[1]
    for i in range(legal.shape[0]):
        for k in range(legal.shape[1]):
            action = np.int64(legal[i, k])
            if action < 0:
                break
            g = grad_logits[i, k]
            grad_bias[action] += g
            for m in range(width):
                grad_hidden[i, m] += g * weight[action, m]
            for m in range(width):
                grad_weight[action, m] += g * hidden[i, m]
