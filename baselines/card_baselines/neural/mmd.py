"""Magnetic mirror descent with deep networks: PPO with a penalty on the KL divergence from a reference policy.

Sokota et al. (A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum games,
ICLR 2023) add the KL divergence from a reference policy, the magnet, to the objective: self-play with a fixed magnet
converges in its latest policy rather than in the average. If the magnet is replaced by the latest policy every few
million decisions, the bias towards it vanishes (NashPG, 2025: one magnet for 1,000 updates of 4,096 decisions).

Everything else is self-play PPO, `card_baselines.ppo`: this file adds one term to its loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Annotated, Any

import torch

from card_baselines.ppo.algorithm import make_callbacks
from card_baselines.ppo.config import Config as PpoConfig
from card_baselines.ppo.config import Schedules
from card_baselines.ppo.fast_cpu import FastPpo
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.ppo import Loss, evaluate_actions, ppo_loss
from card_baselines.ppo.presets import PRESETS as PPO_PRESETS
from card_baselines.run_folder import RunFolder
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.ranges import AT_LEAST_0, AT_LEAST_1
from card_envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Config(PpoConfig):
    """Settings of self-play PPO, and those of the magnet."""

    magnet: Annotated[float, AT_LEAST_0] = 0.2
    """Weight of the KL divergence of the policy from the magnet; advantages are normalised, so it has no unit."""
    magnet_decisions: Annotated[int, AT_LEAST_1] = 4_096_000
    """Decisions after which the latest policy becomes the magnet."""


class MagneticPpo(FastPpo):
    """Self-play PPO whose loss has the KL divergence from a magnet as one more term."""

    config: Config
    counts = (*FastPpo.counts, "magnet_since")

    def __init__(self, config: Config, game: Game) -> None:
        """Make the learner; the initial policy is the magnet."""
        super().__init__(config, game, make_callbacks(config, game))
        self.magnet = deepcopy(self.network).requires_grad_(False)
        self.magnet_since = 0
        """Number of decisions when the policy became the magnet."""

    def _replace_magnet(self) -> None:
        """Copy the latest policy."""
        self.magnet.load_state_dict(self.network.state_dict())
        self.magnet_since = self.decisions

    def update(self, fraction: float) -> dict[str, float]:
        """Update as self-play PPO, then replace the magnet if it is due; returns measures."""
        measures = super().update(fraction)
        if self.decisions - self.magnet_since >= self.config.magnet_decisions:
            self._replace_magnet()
        return measures

    @property
    def parts(self) -> Mapping[str, Any]:
        """The parts of self-play PPO, and the magnet."""
        return {**super().parts, "magnet": self.magnet}

    def networks(self) -> list[ActorCritic]:
        """Return all networks of the run, the magnet included."""
        return [*super().networks(), self.magnet]

    def start_from(self, run: RunFolder) -> None:
        """Load the networks of another run; its policy is the magnet."""
        super().start_from(run)
        self._replace_magnet()

    def compute_loss(self, minibatch: Mapping[str, torch.Tensor], schedules: Schedules) -> Loss:
        """Return the loss of PPO plus the weighted KL divergence of the policy from the magnet."""
        log_probabilities, value = evaluate_actions(self.network, minibatch)
        loss, measures = ppo_loss(log_probabilities, value, minibatch, schedules, self.config)
        with torch.no_grad():
            log_magnet, _ = evaluate_actions(self.magnet, minibatch)
        divergence = (log_probabilities.exp() * (log_probabilities - log_magnet)).sum(dim=1).mean()
        return loss + self.config.magnet * divergence, {**measures, "kl_from_magnet": divergence.detach()}


def _with_magnet(preset: PpoConfig, **changes: Any) -> Config:
    """Return the settings of a preset of PPO, changed to the published settings of NashPG and then by `changes`."""
    published: dict[str, Any] = {
        "learning_rate": (3e-4,), "entropy": (0.05,), "kl_penalty": (0.0,), "normalise": True, "epochs": 4,
        "batch": 4096, "minibatch": 1024,
    }  # fmt: skip
    return replace(Config(**vars(preset)), **(published | changes))


_FROM_SOLVER: dict[str, Any] = {
    "opponents": ("self", "always_raise", "always_call", "loose_passive"), "mixed": 0.2, "hidden": (512, 256),
    "batch": 32_768, "minibatch": 4096, "epochs": 2, "entropy": (0.0,),
}  # fmt: skip
"""Settings of networks that start from one distilled from a solver (`distill`), and move away from it slowly."""

PRESETS = {
    "leduc": _with_magnet(PPO_PRESETS["leduc"], magnet_decisions=400_000, learning_rate=(3e-3, 3e-4)),
    "leduc_nashpg": _with_magnet(PPO_PRESETS["leduc"], minutes=60.0, hidden=(512, 512, 512)),
    "kuhn": _with_magnet(PPO_PRESETS["kuhn"], magnet_decisions=100_000, learning_rate=(2e-3, 3e-4)),
    "flop": _with_magnet(PPO_PRESETS["flop"]),
    # Starts from `distilled_limit_hu` (--start-from).
    "mmd_limit_hu": _with_magnet(
        PPO_PRESETS["ppo_limit_hu"],
        minutes=24.0,
        panel=(*PPO_PRESETS["ppo_limit_hu"].panel, "equity"),
        learning_rate=(2e-4, 2e-5),
        magnet=0.3,
        magnet_decisions=20_000_000,
        **_FROM_SOLVER,
    ),
    # Starts from a run of `distill --preset no_limit_hu` (--start-from). Its teacher folds too often, so this network
    # is held to it less.
    "mmd_no_limit_hu": _with_magnet(
        PPO_PRESETS["ppo_no_limit_hu"],
        minutes=40.0,
        panel=(*PPO_PRESETS["ppo_no_limit_hu"].panel, "equity"),
        learning_rate=(3e-4, 2e-5),
        magnet=0.2,
        magnet_decisions=10_000_000,
        **_FROM_SOLVER,
    ),
}

ALGORITHM = make_game_algorithm("mmd", Config, MagneticPpo, presets=PRESETS, keeps_frozen_selves=True)
