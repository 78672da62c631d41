"""A fully connected policy as an agent: loaded from the run folder of a training script, or from its two files.

The weights are safetensors and the settings JSON, so loading never executes code from a file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from card_baselines.run_folder import CONFIG, WEIGHTS
from card_envs.agent import Decisions, choose
from card_envs.game import Game

ACTIVATIONS = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}


class MlpPolicy(torch.nn.Module):
    """Observation vector -> one logit per action id."""

    def __init__(self, observation_size: int, hidden: list[int], num_actions: int, activation: str = "tanh") -> None:
        """Make a network with the given widths of hidden layers."""
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation {activation!r} is not known: choose one of {sorted(ACTIVATIONS)}")
        layers: list[torch.nn.Module] = []
        width = observation_size
        for size in hidden:
            layers += [torch.nn.Linear(width, size), ACTIVATIONS[activation]()]
            width = size
        self.layers = torch.nn.Sequential(*layers, torch.nn.Linear(width, num_actions))

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return logits (n, num_actions) of observations (n, d)."""
        logits: torch.Tensor = self.layers(observation)
        return logits


class MlpAgent:
    """Plays a trained `MlpPolicy`: samples from its probabilities over legal actions, or takes the most likely one."""

    def __init__(self, folder: Path, game: Game, greedy: bool = False) -> None:
        """Load config.json and policy.safetensors; raises ValueError when they belong to another environment."""
        self.name = folder.name
        config = json.loads((folder / CONFIG).read_text())
        _check_fit(folder, config, game)
        self.encoder: str = config["encoder"]
        self.greedy = greedy
        self.policy = MlpPolicy(
            config["observation_size"], config["hidden"], config["num_actions"], config["activation"]
        )
        self.policy.load_state_dict(load_file(folder / WEIGHTS))
        self.policy.eval()

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        probabilities = self.probabilities(decisions)
        if self.greedy:
            return np.asarray(probabilities.argmax(axis=1), np.int64)
        return choose(probabilities, decisions.uniforms)

    @torch.inference_mode()
    def probabilities(self, decisions: Decisions) -> NDArray[np.float32]:
        """Return the probability of every action (n, num_actions), zero for illegal ones."""
        logits = self.policy(torch.from_numpy(np.asarray(decisions.observation, np.float32)))
        legal = torch.from_numpy(decisions.action_mask.astype(np.bool_))
        masked: torch.Tensor = torch.softmax(logits.masked_fill(~legal, -torch.inf), dim=1)
        return np.asarray(masked.numpy() * decisions.action_mask)


def save_policy(policy: MlpPolicy, path: Path) -> None:
    """Write the weights as safetensors."""
    save_file({name: tensor.contiguous() for name, tensor in policy.state_dict().items()}, path)


def _check_fit(folder: Path, config: dict[str, Any], game: Game) -> None:
    """Raise ValueError unless the trained network fits the game that is to be played."""
    trained = {"game": config["game"], "num_seats": config["num_seats"], "num_actions": config["num_actions"]}
    asked = {"game": game.name, "num_seats": game.num_seats, "num_actions": game.num_actions}
    for key, value in trained.items():
        if value != asked[key]:
            raise ValueError(f"the agent in {folder} was trained for {key} {value!r}, this match has {asked[key]!r}")
