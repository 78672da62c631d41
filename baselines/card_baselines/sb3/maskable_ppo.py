"""The algorithm `maskable_ppo`: sb3-contrib's MaskablePPO at one seat, against a pool of opponents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from sb3_contrib import MaskablePPO

from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.ranges import AT_LEAST_1, SHARE
from card_baselines.sb3.sb3_run import MAY_CHANGE, Sb3Config, Sb3Learner


@dataclass(frozen=True, kw_only=True)
class Config(Sb3Config):
    """Settings of a run."""

    steps_per_update: Annotated[int, AT_LEAST_1] = 32
    """Number of decisions per table in an update; the batch is num_tables times as large."""
    minibatch: int = 2048
    epochs: Annotated[int, AT_LEAST_1] = 2
    """Number of passes over a batch."""
    entropy: float = 0.01
    """Weight of the entropy in the objective."""
    gae_lambda: Annotated[float, SHARE] = 0.95
    """Lambda of generalised advantage estimation."""
    clip: float = 0.2
    """The probability ratio is clipped to 1 - clip .. 1 + clip."""


class MaskablePpoLearner(Sb3Learner):
    """Learner of MaskablePPO, with separate networks for policy and value."""

    model_class = MaskablePPO

    @staticmethod
    def model_settings(config: Config) -> dict[str, Any]:
        """Return the arguments of MaskablePPO."""
        return {
            "policy": "MlpPolicy",
            "n_steps": config.steps_per_update,
            "batch_size": config.minibatch,
            "n_epochs": config.epochs,
            "gae_lambda": config.gae_lambda,
            "clip_range": config.clip,
            "ent_coef": config.entropy,
            "policy_kwargs": {"net_arch": {"pi": list(config.hidden), "vf": list(config.hidden)}},
        }

    def policy_parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return the parameters of the policy."""
        policy = self.model.policy
        return [*policy.mlp_extractor.policy_net.parameters(), *policy.action_net.parameters()]


ALGORITHM = make_game_algorithm("maskable_ppo", Config, MaskablePpoLearner, may_change=MAY_CHANGE, activation="tanh")
