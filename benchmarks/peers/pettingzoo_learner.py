"""MaskablePPO on PettingZoo's classic limit hold'em: one seat against a random player, in eight DummyVecEnvs."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import DummyVecEnv

from card_baselines.speed.paths import random_legal
from card_baselines.speed.stopwatch import Work
from peers.learner import learning, with_eight_tables
from peers.pettingzoo_classic import GAMES


class OneSeat(gymnasium.Env[NDArray[Any], int]):
    """player_0 of an AEC environment; all other agents choose at random."""

    def __init__(self) -> None:
        module, _ = GAMES["limit2"]
        self._env = module.env()
        self._env.reset()
        self.observation_space = self._env.observation_space("player_0")["observation"]
        self.action_space = self._env.action_space("player_0")
        self._mask: NDArray[Any] = np.zeros(0, np.int8)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[NDArray[Any], dict[str, Any]]:
        """Deal, and let the other player act until it is our turn."""
        self._env.reset(seed=seed)
        observation, _, is_over = self._next_turn()
        while is_over:  # the other player folded before our first turn
            self._env.reset()
            observation, _, is_over = self._next_turn()
        return observation, {}

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Act, and let the other player act until it is our turn or the deal is over."""
        self._env.step(int(action))
        observation, reward, is_over = self._next_turn()
        return observation, reward, is_over, False, {}

    def _next_turn(self) -> tuple[NDArray[Any], float, bool]:
        """Let the others act; return what player_0 sees, its reward, and whether the deal is over."""
        while True:
            seen, reward, termination, truncation, _ = self._env.last()
            mine, is_over = self._env.agent_selection == "player_0", termination or truncation
            if mine:
                self._mask = seen["action_mask"]
                return seen["observation"], float(reward), is_over
            self._env.step(None if is_over else random_legal(seen["action_mask"]))

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions."""
        return self._mask.astype(np.bool_)


def eight_tables(steps: str) -> Work:
    return learning(with_eight_tables(DummyVecEnv([OneSeat] * 8), steps))
