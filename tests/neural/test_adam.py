"""Adam that starts without the compiler takes the steps of PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from card_baselines.learning.adam import Adam
from card_baselines.learning.optimisation import take_steps


def weights_after(kind: type[torch.optim.Adam], **options: Any) -> list[float]:
    """Return weights after three steps, a saved and restored optimiser, and two more steps."""
    weights = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))
    found = kind([weights], lr=0.1, **options)
    assert take_steps(found, lambda: (weights**2).sum(), 3) > 0
    restored = kind([weights], lr=0.3, **options)
    restored.load_state_dict(found.state_dict())
    take_steps(restored, lambda: (weights**3).sum(), 2)
    return [float(each) for each in weights.detach()]


@pytest.mark.parametrize("options", [{}, {"fused": True}, {"fused": True, "eps": 1e-5, "betas": (0.5, 0.9)}])
def test_adam_takes_the_steps_of_pytorch(options: dict[str, Any]) -> None:
    assert weights_after(Adam, **options) == weights_after(torch.optim.Adam, **options)
