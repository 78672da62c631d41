"""Vector operations over all hands that can be held with a board (`hands.Hands`): reach probabilities and values."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel

_ZERO = np.float32(0)


@kernel
def write_zeros(values: Any, hands: Any) -> None:
    """Write 0 for every hand."""
    for h in range(hands.size[0]):
        values[h] = _ZERO


@kernel
def sum_by_bucket(values: Any, hands: Any, street: Any, size: Any, sums: Any) -> None:
    """Write the sum of the values of the hands in each bucket."""
    order, begin = hands.order[street], hands.begin[street]
    for b in range(size):
        total = _ZERO
        for place in range(begin[b], begin[b + 1]):
            total += values[order[place]]
        sums[b] = total


@kernel
def multiply_reach(before: Any, shares: Any, bucket: Any, after: Any, hands: Any) -> None:
    """Write reach probabilities times the probability of an action (buckets,)."""
    for h in range(hands.size[0]):
        after[h] = before[h] * shares[bucket[h]]


@kernel
def keep_chosen(before: Any, chosen: Any, place: Any, after: Any, hands: Any) -> None:
    """Write reach probabilities after the action at `place`, which the responder takes with the hands that chose it."""
    for h in range(hands.size[0]):
        after[h] = before[h] if chosen[h] == place else _ZERO


@kernel
def sum_actions(values: Any, num: Any, target: Any, hands: Any) -> None:
    """Write the sum of the values after the opponent's `num` actions, which are weighted by its reach."""
    write_zeros(target, hands)
    for k in range(num):
        after = values[k]
        for h in range(hands.size[0]):
            target[h] += after[h]


@kernel
def take_best(values: Any, num: Any, target: Any, chosen: Any, hands: Any) -> None:
    """Write the largest of the values after `num` actions, and the place of the action that has it."""
    for h in range(hands.size[0]):
        target[h], chosen[h] = values[0, h], 0
    for k in range(1, num):
        after = values[k]
        for h in range(hands.size[0]):
            if after[h] > target[h]:
                target[h], chosen[h] = after[h], k


@kernel
def follow_policy(values: Any, policy: Any, num: Any, bucket: Any, target: Any, hands: Any) -> None:
    """Write the mean of the values after `num` actions under the learner's policy (actions, buckets)."""
    write_zeros(target, hands)
    for k in range(num):
        shares, after = policy[k], values[k]
        for h in range(hands.size[0]):
            target[h] += shares[bucket[h]] * after[h]
