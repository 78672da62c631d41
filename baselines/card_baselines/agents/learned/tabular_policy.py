"""A tabular strategy of a small game, and the agent that plays it: action probabilities for every observation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from card_baselines.agents.learned.mlp_agent import require_fit, write_agent_config
from card_baselines.agents.learned.mlp_policy import read_tensors
from card_baselines.run_folder import RunFolder, read_config
from card_envs.agent import Decisions, StochasticAgent
from card_envs.files import replace_file
from card_envs.game import Game

AGENT = "tabular"
STRATEGY = "strategy.safetensors"
"""File of a run folder: `observation` (states, d) and `strategy` float64 (states, num_actions)."""
_UNKNOWN = -1


class TabularAgent(StochasticAgent):
    """Plays a strategy that is stored as a table over observations."""

    def __init__(self, folder: Path, game: Game) -> None:
        """Load config.json and the strategy; raises ValueError if they belong to another environment."""
        self.name = folder.name
        config = read_config(folder)
        self.encoder = require_fit(folder, config, game)
        arrays = {name: tensor.numpy() for name, tensor in read_tensors(folder / STRATEGY).items()}
        observation, self._strategy = arrays["observation"], arrays["strategy"]
        if self._strategy.dtype != np.float64 or not np.isfinite(self._strategy).all():
            raise ValueError(f"{folder / STRATEGY} holds no probabilities: they are finite and float64")
        if self._strategy.shape != (len(observation), game.num_actions):
            raise ValueError(
                f"{folder / STRATEGY} has {self._strategy.shape} probabilities of {len(observation)} states"
            )
        self._path = folder / STRATEGY
        self._rows = {observation.tobytes(): row for row, observation in enumerate(observation)}

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of every action (n, num_actions); raises ValueError for an unknown observation."""
        rows = np.array([self._rows.get(observation.tobytes(), _UNKNOWN) for observation in decisions.observation])
        if (rows == _UNKNOWN).any():
            raise ValueError(
                f"{self._path} has no row for this observation: its strategy was made with other settings of "
                f"{decisions.game.name}, or is damaged"
            )
        return np.asarray(self._strategy[rows], np.float64)


def save_strategy(folder: RunFolder, observation: NDArray[Any], strategy: NDArray[np.float64]) -> None:
    """Write a strategy (states, num_actions), and the observation (states, d) at each state, into a run folder.

    Raises ValueError if two states have the same observation: a table over observations cannot distinguish them.
    """
    if len(np.unique(observation, axis=0)) < len(observation):
        raise ValueError("some information states have the same observation: choose an encoder that remembers more")
    with replace_file(folder.path / STRATEGY) as temporary:
        save_file({"observation": np.ascontiguousarray(observation), "strategy": strategy}, temporary)


def save_table_agent(folder: str | Path, game: Game, observation: NDArray[Any], strategy: NDArray[np.float64]) -> Path:
    """Save a strategy of a small game as an agent: the folder plays wherever an agent's name does.

    Args:
        folder: Folder to write, which is made if there is none.
        game: The game, with the encoder of the observations.
        observation: (states, d) observation at each information state, all different.
        strategy: (states, num_actions) action probabilities.

    Returns:
        The folder.

    Raises:
        ValueError: If two states have the same observation.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_strategy(RunFolder(folder), observation, strategy)
    write_agent_config(folder, AGENT, game)
    return folder
