"""Action masks for algorithms of Stable-Baselines3 without mask support: appended to the observation vector.

Dictionary observations are no alternative, because SB3's replay buffers for them have no n-step returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from card_envs.game import Game
from card_wrappers.sb3 import CardVecEnv


class MaskAtEnd(VecEnvWrapper):
    """Appends the action mask to observations; the mask of a terminal observation is all ones."""

    def __init__(self, tables: CardVecEnv) -> None:
        """Wrap the tables."""
        self._tables = tables
        size = tables.game.layout.size + tables.game.num_actions
        space = tables.game.layout.space
        low = np.concatenate([space.low, np.zeros(tables.game.num_actions)]).astype(np.float32)
        high = np.concatenate([space.high, np.ones(tables.game.num_actions)]).astype(np.float32)
        super().__init__(tables, spaces.Box(low, high, (size,), np.float32))

    def reset(self) -> NDArray[np.float32]:
        """Start a new episode at every table."""
        return self._append_masks(self._tables.reset())

    def step_wait(self) -> VecEnvStepReturn:
        """Apply the actions given to `step_async`."""
        observation, rewards, dones, infos = self._tables.step_wait()
        all_actions = np.ones(self._tables.game.num_actions, np.float32)
        for i in np.flatnonzero(dones).tolist():
            infos[i]["terminal_observation"] = np.concatenate([infos[i]["terminal_observation"], all_actions])
        return self._append_masks(observation), rewards, dones, infos

    def _append_masks(self, observation: Any) -> NDArray[np.float32]:
        return np.concatenate([observation, self._tables.action_masks()], axis=1, dtype=np.float32)


def mask_values(values: torch.Tensor, observation: torch.Tensor) -> torch.Tensor:
    """Return values or logits (n, actions) with the smallest finite number for illegal actions.

    Minus infinity would give NaN when it is multiplied by the zero discount at the end of an episode.
    """
    mask = observation[:, -values.shape[1] :]
    return values.masked_fill(mask < 0.5, torch.finfo(values.dtype).min)


class MaskRemover(BaseFeaturesExtractor):
    """Removes the mask from observations; `latest` keeps the whole ones, since the policy needs the mask."""

    def __init__(self, observation_space: spaces.Box, num_actions: int) -> None:
        """Make an extractor that cuts off the last `num_actions` numbers."""
        self._size = int(observation_space.shape[0]) - num_actions
        super().__init__(observation_space, self._size)
        self.latest = torch.zeros(0)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return observations without mask (n, d), given (n, d + actions)."""
        self.latest = observation
        return observation[:, : self._size]


def extractor_settings(game: Game) -> dict[str, Any]:
    """Return the arguments of an SB3 policy whose observations end with the mask of a game."""
    return {"features_extractor_class": MaskRemover, "features_extractor_kwargs": {"num_actions": game.num_actions}}
