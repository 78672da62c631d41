"""Steps of optimisers, and schedules."""

from __future__ import annotations

from collections.abc import Callable

import torch


def interpolate(ends: tuple[float, float], fraction: float) -> float:
    """Return the value after a `fraction` of a run, 0 to 1, between those at its start and its end."""
    return ends[0] + fraction * (ends[1] - ends[0])


def set_learning_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate of all parameters."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def take_step(
    optimiser: torch.optim.Optimizer, loss: torch.Tensor, max_norm: float | None = None
) -> torch.Tensor:  # fmt: skip
    """Take an optimiser step on a loss, and return the loss without its graph; `max_norm` clips the gradient."""
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    if max_norm is not None:
        torch.nn.utils.clip_grad_norm_([each for group in optimiser.param_groups for each in group["params"]], max_norm)
    optimiser.step()
    return loss.detach()


def take_steps(optimiser: torch.optim.Optimizer, compute_loss: Callable[[], torch.Tensor], steps: int) -> float:
    """Take optimiser steps, each on another loss; return the mean loss, 0 without steps."""
    losses = [take_step(optimiser, compute_loss()) for _ in range(steps)]
    return float(torch.stack(losses).mean()) if losses else 0.0
