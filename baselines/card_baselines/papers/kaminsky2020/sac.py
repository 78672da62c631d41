"""SAC-High and SAC-Low: soft actor-critic over four numbers (sections 2.2.3, 3.4.3).

Two critics, each with a target network, learn the payoff of the hand plus the temperature times the entropy of later
decisions, by bootstrapping from the seat's next decision, without discount. The policy maximises the smaller critic.

The paper prints a learning rate of 0.1 for the policy; here it has that of the critics. Results of both are in
docs/reproductions/kaminsky2020.md.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from card_baselines.league import Choices, Experience
from card_baselines.papers.kaminsky2020.networks import Critic, GaussianPolicy
from card_baselines.papers.kaminsky2020.players import (
    DESIRES,
    OBSERVATION_SIZE,
    choose_desired_actions,
    sample_desires,
)
from card_baselines.papers.kaminsky2020.situation import Situations
from card_baselines.papers.kaminsky2020.trainee import POLICY, KaminskyTrainee, Settings
from card_envs.agent import Decisions

CRITICS, TARGETS = ("critic_0", "critic_1"), ("target_0", "target_1")


@dataclass(frozen=True)
class SacSettings(Settings):
    """Further settings of the soft actor-critic (section 3.4.3)."""

    temperature: float = 0.01
    polyak: float = 0.999
    """Weight of a target network's own parameters in every update (Polyak averaging)."""
    policy_rate: float = 0.001
    """Learning rate of the policy."""
    passes: int = 2


class Sac(KaminskyTrainee):
    """A soft actor-critic."""

    settings: ClassVar[SacSettings]

    def make_networks(self) -> dict[str, nn.Module]:
        """Return the policy, two critics and their target networks."""
        sizes = OBSERVATION_SIZE, DESIRES, self.settings.width, self.settings.layers
        networks: dict[str, nn.Module] = {POLICY: GaussianPolicy(*sizes)}
        for critic, target in zip(CRITICS, TARGETS, strict=True):
            networks[critic] = Critic(*sizes)
            networks[target] = deepcopy(networks[critic]).requires_grad_(False)
        return networks

    def rates(self) -> dict[str, float]:
        """Return the learning rates of policy and critics."""
        return {POLICY: self.settings.policy_rate, **dict.fromkeys(CRITICS, self.settings.learning_rate)}

    def explore(self, decisions: Decisions, rng: np.random.Generator) -> Choices:
        """Return actions sampled from the policy; the notes are the sampled numbers."""
        desires = sample_desires(self.played, decisions)
        return Choices(choose_desired_actions(desires, Situations.from_decisions(decisions)), desires)

    def learn_batch(self, experience: Experience, rows: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        """Update critics, policy and targets once."""
        assert experience.notes is not None
        observation = torch.from_numpy(experience.observations[rows])
        action = torch.from_numpy(experience.notes[rows])
        target_of = self._targets(experience, rows)
        losses = {}
        for critic, target in zip(CRITICS, target_of, strict=True):
            error = self._critic(critic)(observation, action).float() - target
            losses[critic] = self.update(critic, (error**2).mean())
        losses[POLICY] = self._update_policy(observation)
        self._update_targets()
        return losses

    @torch.no_grad()
    def _targets(self, experience: Experience, rows: NDArray[np.int64]) -> list[torch.Tensor]:
        """Return the target (n,) of each critic: the payoff after the last decision, else the next decision's value."""
        following = experience.following[rows]
        goes_on = torch.from_numpy(following >= 0)
        chips = experience.rewards[rows] * experience.game.chips_per_reward
        paid = torch.from_numpy((chips / self.settings.reward_scale).astype(np.float32))
        later = torch.from_numpy(experience.observations[np.maximum(following, 0)])
        action, density = self._policy().sample(later, self._normals(len(rows)))
        bonus = self.settings.temperature * density
        return [torch.where(goes_on, self._critic(name)(later, action).float() - bonus, paid) for name in TARGETS]

    def _update_policy(self, observation: torch.Tensor) -> torch.Tensor:
        action, density = self._policy().sample(observation, self._normals(len(observation)))
        value = torch.minimum(*(self._critic(name)(observation, action).float() for name in CRITICS))
        return self.update(POLICY, (self.settings.temperature * density - value).mean())

    @torch.no_grad()
    def _update_targets(self) -> None:
        """Update the target networks by Polyak averaging."""
        for critic, target in zip(CRITICS, TARGETS, strict=True):
            pairs = zip(self.networks[target].parameters(), self.networks[critic].parameters(), strict=True)
            for slow, fast in pairs:
                slow.lerp_(fast, 1 - self.settings.polyak)

    def _normals(self, count: int) -> torch.Tensor:
        return torch.randn(count, DESIRES, generator=self.generator)

    def _policy(self) -> GaussianPolicy:
        policy = self.networks[POLICY]
        assert isinstance(policy, GaussianPolicy)
        return policy

    def _critic(self, name: str) -> Critic:
        critic = self.networks[name]
        assert isinstance(critic, Critic)
        return critic


class SacHigh(Sac):
    """Temperature 0.01."""

    name = "sac_high"
    settings: ClassVar[SacSettings] = SacSettings("sac", temperature=0.01)


class SacLow(Sac):
    """Temperature 0.0005."""

    name = "sac_low"
    settings: ClassVar[SacSettings] = SacSettings("sac", temperature=0.0005)
