"""PPO's loss of a minibatch in one kernel: for games with few actions, instead of some fifty small operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from card_baselines.ppo.on_device.kernels import legal_log_total
from card_baselines.ppo.on_device.memory import DeviceKernel
from card_envs.compiler import kernel

ENTROPY, CLIP, KL_PENALTY = 0, 1, 2
"""Places of the scheduled settings in `schedules`."""
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
MEASURES = ("objective", "error", "entropy", "kl")
"""Columns of `measures`."""


@kernel
def loss_row(
    k: Any, rows: Any, logits: Any, values: Any, decisions: Any, masks: Any, schedules: Any, moments: Any,
    clips_value: Any, value_weight: Any, grad_logits: Any, grad_values: Any, measures: Any,
) -> None:  # fmt: skip
    """Write the gradient of the loss of one decision of n, as `ppo.ppo_loss` defines it, and its measures.

    Args:
        k: Number of the decision in the minibatch.
        rows: (n,) int64, rows of the decisions.
        logits: (n, num_actions) float32.
        values: (n,) float32.
        decisions: (R,) records, `kernels.DECISION`.
        masks: (R,) records with the legal actions.
        schedules: (3,) float32: weight of the entropy, clip, weight of the KL penalty.
        moments: (2,) float32: what is subtracted from advantages, and by what they are then divided.
        clips_value: Whether values are clipped around the old ones.
        value_weight: Weight of the value loss, half of the mean squared error.
        grad_logits: (n, num_actions) float32, written.
        grad_values: (n,) float32, written.
        measures: (n, 4) float32, written, `MEASURES`.
    """
    n, num_actions, decision, legal = rows.shape[0], logits.shape[1], decisions[rows[k]], masks[rows[k]]
    log_total, entropy = legal_log_total(logits, k, legal), _ZERO
    for action in range(num_actions):
        if legal.mask[action] != 0:
            log_probability = logits[k, action] - log_total
            entropy -= math.exp(log_probability) * log_probability
    clip, advantage = schedules[CLIP], (decision.advantage - moments[0]) / moments[1]
    log_ratio = logits[k, decision.action] - log_total - decision.log_probability
    ratio = math.exp(log_ratio)  # all numbers are float32: a product in float64 would differ from itself
    clipped = min(max(ratio, _ONE - clip), _ONE + clip)
    slope = schedules[KL_PENALTY] * (ratio - _ONE)  # of the loss, by the log-probability of the action
    if ratio * advantage <= clipped * advantage:
        slope -= ratio * advantage
    for action in range(num_actions):
        grad_logits[k, action] = 0.0
        if legal.mask[action] != 0:
            log_probability = logits[k, action] - log_total
            probability = math.exp(log_probability)
            by_entropy = schedules[ENTROPY] * probability * (log_probability + entropy)
            grad_logits[k, action] = (by_entropy - slope * probability) / n
    grad_logits[k, decision.action] += slope / n
    error, by_value = value_error(values[k], decision, clip, clips_value)
    grad_values[k] = value_weight * by_value / n
    measures[k, 0] = min(ratio * advantage, clipped * advantage)
    measures[k, 1], measures[k, 2], measures[k, 3] = error, entropy, ratio - _ONE - log_ratio


@kernel
def value_error(value: Any, decision: Any, clip: Any, clips_value: Any) -> Any:
    """Return the squared error of a value, and half its derivative; the larger one of value and clipped value."""
    apart, moved = value - decision.target, value - decision.value
    clipped = decision.value + min(max(moved, -clip), clip) - decision.target
    if clips_value and clipped * clipped > apart * apart:
        return clipped * clipped, clipped if -clip < moved < clip else _ZERO
    return apart * apart, apart


@kernel
def loss_rows(
    rows: Any, logits: Any, values: Any, decisions: Any, masks: Any, schedules: Any, moments: Any, clips_value: Any,
    value_weight: Any, grad_logits: Any, grad_values: Any, measures: Any,
) -> None:  # fmt: skip
    """Call `loss_row` for every decision of a minibatch."""
    for k in range(rows.shape[0]):
        loss_row(
            k, rows, logits, values, decisions, masks, schedules, moments, clips_value, value_weight, grad_logits,
            grad_values, measures,
        )  # fmt: skip


def _make_thread() -> Callable[..., None]:
    from card_baselines.ppo.on_device.threads import loss_thread

    return loss_thread(loss_row)


LOSS = DeviceKernel(loss_rows, _make_thread)
"""The kernel that writes gradients and measures of a minibatch."""
