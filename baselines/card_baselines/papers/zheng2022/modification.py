"""The policy modification network: one number in (AP), a factor for each of the four actions out."""

from __future__ import annotations

from typing import Literal

import torch

from card_baselines.papers.zheng2022.situation import NUM_COLUMNS

Loss = Literal["run", "printed"]

LOGIT_SCALE = 0.01
"""Factor by which the code multiplies the logits while it trains, and not while it plays."""
LAMBDA_1, LAMBDA_2 = 0.1, 0.1
"""Weights of the loss; the paper names none, these are the code's."""


def modification_network(hidden: tuple[int, ...] = (16,), batch_norm: bool = True) -> torch.nn.Sequential:
    """Return a network from AP (n, 1) to the logits (n, 4) of the four actions."""
    layers: list[torch.nn.Module] = []
    width = 1
    for size in hidden:
        layers.append(torch.nn.Linear(width, size))
        if batch_norm:
            layers.append(torch.nn.BatchNorm1d(size))
        layers.append(torch.nn.ReLU())
        width = size
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, NUM_COLUMNS))


def mix_policies(logits: torch.Tensor, sheet_policy: torch.Tensor) -> torch.Tensor:
    """Return D (..., 4): the sheet's policy times the network's, normalised (equation 4)."""
    product = torch.softmax(logits, dim=-1) * sheet_policy
    return product / product.sum(dim=-1, keepdim=True)


def compute_loss(
    logits: torch.Tensor,
    values: torch.Tensor,
    columns: torch.Tensor,
    rewards: torch.Tensor,
    kind: Loss,
    logit_scale: float = LOGIT_SCALE,
) -> torch.Tensor:
    """Return the loss (runs,) of batches (equation 3): stay near the sheet's policy, prefer what pays.

    `logits` and `values`, the sheet's, are (runs, n, 4), `columns` (runs, n) what was played, `rewards` (runs, n) what
    came of it. "run" is what the code computes: scaled logits in place of probabilities, and the second term counted
    once for each action. "printed" is the equation.
    """
    sheet_policy = torch.softmax(values, dim=-1)
    taken = columns[..., None]
    if kind == "printed":
        policy = mix_policies(logits, sheet_policy)
        of_taken = torch.softmax(logits, dim=-1).gather(-1, taken)[..., 0]
        gain = ((policy * values).sum(dim=-1) + LAMBDA_2 * rewards * of_taken).mean(dim=-1)
    else:
        scaled = logit_scale * logits
        policy = mix_policies(scaled, sheet_policy)
        of_taken = LAMBDA_2 * rewards[..., None] * scaled.gather(-1, taken)
        gain = (policy * values + of_taken).sum(dim=(-2, -1))
    return (sheet_policy - policy).abs().mean(dim=(-2, -1)) - LAMBDA_1 * gain
