"""MaskablePPO of sb3-contrib: what its measurements share, with a network of two layers of 64 and one core."""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib import MaskablePPO

from card_baselines.speed.stopwatch import Work

torch.set_num_threads(1)

NETWORK: dict[str, Any] = {"net_arch": {"pi": [64, 64], "vf": [64, 64]}}


def with_eight_tables(tables: Any, steps: str) -> MaskablePPO:
    """Return a learner from batches of `steps` decisions at each table; minibatches of 64, ten epochs by default."""
    return MaskablePPO("MlpPolicy", tables, n_steps=int(steps), policy_kwargs=NETWORK, device="cpu")


def learning(model: MaskablePPO) -> Work:
    """Collect one batch and learn from it."""
    decisions = model.n_steps * model.n_envs

    def run() -> int:
        model.learn(decisions, reset_num_timesteps=False)
        return decisions

    return run
