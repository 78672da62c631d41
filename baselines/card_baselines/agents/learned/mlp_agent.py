"""The agent that plays a fully connected policy network from a run folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.dense_layers import apply_layers
from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.legal_logits import NO_ACTION, legal_logits, list_legal
from card_baselines.agents.learned.mlp_policy import MlpPolicy, load_policy
from card_baselines.run_folder import CONFIG, read_config
from card_envs.agent import Agent, Decisions, choose, likeliest
from card_envs.analysis.exploitability.range_strategy import ObservationParts, RangeDecisions
from card_envs.compiler import kernel
from card_envs.files import replace_text
from card_envs.game import Game
from card_envs.locations import registered_names_only
from card_envs.observation import Encoder, find_encoder


class MlpAgent(Agent):
    """Plays a trained `MlpPolicy`: samples from its probabilities over legal actions, or if `greedy` takes the best.

    Args:
        folder: Run folder, with config.json and policy.safetensors.
        game: The game to play.
        device: Device of the network: auto, cpu, cuda or cuda:N.

    Raises:
        ValueError: If the network was trained for another game, or the device does not exist.
    """

    def __init__(self, folder: Path, game: Game, device: str = "cpu") -> None:
        self.name = folder.name
        config = read_config(folder)
        self.encoder = require_fit(folder, config, game)
        self.greedy = config.get("greedy", False)
        self.policy, self.device = load_policy(MlpPolicy.from_config, config, folder), find_device(device)
        self.policy.eval().to(self.device)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        legal, probabilities = self._legal_and_probabilities(decisions)
        pick = choose(probabilities, decisions.random_numbers)
        return np.asarray(legal[np.arange(len(decisions)), pick], np.int64)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of every action (n, num_actions), zero for illegal ones."""
        legal, probabilities = self._legal_and_probabilities(decisions)
        by_action = np.zeros(decisions.action_mask.shape)
        rows, columns = np.nonzero(legal != NO_ACTION)
        by_action[rows, legal[rows, columns]] = probabilities[rows, columns]
        return by_action

    @torch.inference_mode()
    def _legal_and_probabilities(self, decisions: Decisions) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
        """Return lists of legal actions and their probabilities, both (n, k)."""
        legal = list_legal(decisions.action_mask, np.empty(len(decisions), np.int64))
        last = self.policy.layers[-1]
        assert isinstance(last, torch.nn.Linear)
        logits = legal_logits(self._compute_hidden(decisions), last, torch.from_numpy(legal).to(self.device)).cpu()
        if self.greedy:
            return legal, likeliest(logits.numpy())
        return legal, np.asarray(torch.softmax(logits.double(), dim=1).numpy())

    def _compute_hidden(self, decisions: Decisions) -> torch.Tensor:
        """Return the values (n, width) of the last hidden layer."""
        parts = decisions.parts if isinstance(decisions, RangeDecisions) and self.device.type == "cpu" else None
        first = self.policy.layers[0]
        if parts and len(self.policy.layers) > 1 and isinstance(first, torch.nn.Linear):
            return apply_layers(list(self.policy.layers)[1:-1], apply_to_parts(parts, first))
        observation = torch.from_numpy(np.asarray(decisions.observation, np.float32)).to(self.device)
        return apply_layers(list(self.policy.layers)[:-1], observation)


def write_agent_config(folder: Path, kind: str, game: Game, **extra: Any) -> None:
    """Write the config.json of a saved agent, from which `require_fit` reads what it was trained for.

    Args:
        folder: Folder of the agent.
        kind: Kind of saved agents, a name of the entry points `card_envs.saved_agents`.
        game: The game that the agent was trained for, with its encoder.
        **extra: Further entries.
    """
    config = {"agent": kind, **describe_game(game), **extra}
    replace_text(folder / CONFIG, json.dumps(config, indent=1) + "\n")


def describe_game(game: Game) -> dict[str, Any]:
    """Return the entries of config.json that `require_fit` compares, and the sizes of a network for the game."""
    return {
        "game": game.name,
        "encoder": game.encoder.name,
        "encoder_version": game.encoder.version,
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.layout.size,
    }


def require_fit(folder: Path, config: dict[str, Any], game: Game) -> Encoder:
    """Return the encoder of a trained network; ValueError unless the network was trained for the game."""
    _require(folder, config, game=game.name, num_seats=game.num_seats, num_actions=game.num_actions)
    name = str(config["encoder"])  # one of the game's own, or the one that the game currently uses
    with registered_names_only(folder / CONFIG):
        is_in_use = name not in game.encoders and name == game.encoder.name
        encoder = game.encoder if is_in_use else find_encoder(game.encoders, name)
    size = encoder.layout(game.config).size
    _require(folder, config, encoder_version=encoder.version, observation_size=size)
    return encoder


def _require(folder: Path, config: dict[str, Any], **expected: Any) -> None:
    """Raise ValueError unless entries of config.json have the expected values."""
    for key, value in expected.items():
        if config[key] != value:
            raise ValueError(f"the agent in {folder} was trained for {key} {config[key]!r}, this match has {value!r}")


@torch.inference_mode()
def apply_to_parts(parts: ObservationParts, layer: torch.nn.Linear) -> torch.Tensor:
    """Return `layer(parts.join())`, (n, width), up to rounding; shared public rows are multiplied once."""
    public: torch.Tensor = layer(torch.from_numpy(np.asarray(parts.public, np.float32)))
    columns = layer.weight[:, torch.from_numpy(parts.columns)].t().contiguous()
    output = torch.empty(len(parts.private), public.shape[1])
    private = np.asarray(parts.private, np.float32)
    write_sums_of_parts(private, columns.numpy(), public.numpy(), parts.public_of, output.numpy())
    return output


@kernel
def write_sums_of_parts(private: Any, columns: Any, public: Any, public_of: Any, output: Any) -> None:
    """Write public[public_of] (n, width) plus the matrix product of `private` (n, k) and `columns` (k, width)."""
    width = output.shape[1]
    for i in range(private.shape[0]):
        begin = public_of[i]
        for j in range(width):
            output[i, j] = public[begin, j]
        for k in range(private.shape[1]):
            number = private[i, k]
            if number != 0:
                for j in range(width):
                    output[i, j] += number * columns[k, j]
