"""The algorithm `maskable_dqn`: Stable-Baselines3's DQN (Mnih et al. 2015) with action masks.

Illegal actions have the smallest finite value when acting and in the maximum of the bootstrap target, and exploration
draws among legal actions. With `n_steps` above 1, targets sum the rewards of several decisions without a correction for
the older policy that made them. Checkpoints leave the replay buffer out: a continued run fills it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.ranges import AT_LEAST_1, SHARE
from card_baselines.sb3.mask_at_end import MaskAtEnd, extractor_settings, mask_values
from card_baselines.sb3.sb3_run import MAY_CHANGE, Sb3Config, Sb3Learner
from card_envs.agent import choose


@dataclass(frozen=True, kw_only=True)
class Config(Sb3Config):
    """Settings of a run."""

    num_tables: int = 64
    buffer_size: Annotated[int, AT_LEAST_1] = 100_000
    """Capacity of the replay buffer in decisions; in Big 2 each takes 17 kB."""
    learning_starts: int = 5_000
    """Number of random decisions before training starts."""
    minibatch: int = 512
    gradient_steps: Annotated[int, AT_LEAST_1] = 2
    """Number of optimiser steps after each decision of all tables."""
    n_steps: Annotated[int, AT_LEAST_1] = 3
    """Number of decisions whose rewards a target sums before it bootstraps."""
    target_updates: Annotated[int, AT_LEAST_1] = 2_000
    """Number of decisions between two updates of the target network."""
    exploration: Annotated[float, SHARE] = 0.3
    """Probability of random actions at the start; falls linearly to `final_exploration` over half of the budget."""
    final_exploration: Annotated[float, SHARE] = 0.05
    """Probability of random actions in the second half of the budget."""


class MaskedQNetwork(QNetwork):
    """Q-network whose values of illegal actions are the smallest finite number."""

    def forward(self, obs: torch.Tensor | dict[str, torch.Tensor]) -> torch.Tensor:
        """Return values (n, actions) of observations that end with the mask."""
        assert isinstance(obs, torch.Tensor)
        return mask_values(super().forward(obs), obs)


class MaskedPolicy(DQNPolicy):
    """SB3's policy around masked networks."""

    def make_q_net(self) -> MaskedQNetwork:
        """Return a new network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MaskedQNetwork(**arguments).to(self.device)


class MaskableDQN(DQN):
    """DQN whose exploration draws among legal actions."""

    def predict(
        self,
        observation: Any,
        state: tuple[NDArray[Any], ...] | None = None,
        episode_start: NDArray[Any] | None = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], tuple[NDArray[Any], ...] | None]:
        """Return the best actions (n,); unless deterministic, random legal ones at the rate of exploration."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic=True)
        return actions if deterministic else self._explore(observation, actions, self.exploration_rate), state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        best, _ = self.predict(self._last_obs, deterministic=True)
        rate = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
        actions = self._explore(self._last_obs, best, rate)
        return actions, actions

    def _explore(self, observation: Any, actions: NDArray[Any], rate: float) -> NDArray[Any]:
        """Return actions (n,), each replaced by a random legal one with probability `rate`.

        Random numbers come from NumPy's global generator, which SB3 seeds.
        """
        assert isinstance(self.action_space, spaces.Discrete)
        masks = np.atleast_2d(observation)[:, -int(self.action_space.n) :]
        picks = choose(masks, np.random.random(len(masks))).reshape(actions.shape)  # noqa: NPY002
        return np.where(np.random.random(actions.shape) < rate, picks, actions)  # noqa: NPY002


class MaskableDqnLearner(Sb3Learner):
    """Learner of `MaskableDQN`; exploration falls over the first half of the budget."""

    model_class = MaskableDQN
    wrap_tables = MaskAtEnd
    steps_per_update = 32
    model_counts = (*Sb3Learner.model_counts, "_n_calls")

    @staticmethod
    def model_settings(config: Config) -> dict[str, Any]:
        """Return the arguments of DQN."""
        return {
            "policy": MaskedPolicy,
            "buffer_size": config.buffer_size,
            "learning_starts": config.learning_starts,
            "batch_size": config.minibatch,
            "train_freq": 1,
            "gradient_steps": config.gradient_steps,
            "n_steps": config.n_steps,
            "target_update_interval": config.target_updates,
            "policy_kwargs": {"net_arch": list(config.hidden), **extractor_settings(config.game())},
        }

    def policy_parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return the parameters of the network of action values."""
        parameters: Iterable[torch.nn.Parameter] = self.model.q_net.q_net.parameters()
        return parameters

    def set_progress(self, fraction: float) -> None:
        """Set the rate of exploration."""
        config: Config = self.config
        rate = config.exploration + 2 * fraction * (config.final_exploration - config.exploration)
        self.model.exploration_schedule = lambda _: max(config.final_exploration, rate)


ALGORITHM = make_game_algorithm(
    "maskable_dqn", Config, MaskableDqnLearner, may_change=MAY_CHANGE, activation="relu", greedy=True
)
