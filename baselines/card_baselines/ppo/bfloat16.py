"""Whether this processor gains from bfloat16: a short measurement, since the name of a processor does not tell."""

from __future__ import annotations

import time
from collections.abc import Sequence

import torch

_ENOUGH = 1.2
"""Times as fast is worth the digits that are lost."""
_ROUNDS = 5


def bfloat16_pays(observation_size: int, hidden: Sequence[int], rows: int, device: torch.device) -> bool:
    """Return True if hidden layers learn from `rows` observations at least 1.2 times as fast in bfloat16.

    Takes a fraction of a second; the fastest of five rounds counts. Never on GPUs, which small networks do not fill.
    """
    if device.type != "cpu":
        return False
    layers: list[torch.nn.Module] = []
    for inputs, outputs in zip((observation_size, *hidden), hidden, strict=False):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    network, observation = torch.nn.Sequential(*layers), torch.zeros(rows, observation_size)
    return _seconds(network, observation, False) >= _ENOUGH * _seconds(network, observation, True)


def _seconds(network: torch.nn.Module, observation: torch.Tensor, bfloat16: bool) -> float:
    """Return the processor time of a forward and a backward pass, after one that is not counted."""
    taken = []
    for _ in range(1 + _ROUNDS):
        begin = time.process_time()
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            output = network(observation)
        output.float().sum().backward()
        taken.append(time.process_time() - begin)
    return min(taken[1:])
