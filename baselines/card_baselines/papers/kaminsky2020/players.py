"""How the trained agents decide, from a network alone: what teachers do, and students when they do not explore."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from card_baselines.agents.learned.mlp_policy import load_weights, read_weights
from card_baselines.papers.kaminsky2020.networks import (
    GaussianPolicy,
    PairValues,
    StateValues,
    native_bfloat16,
)
from card_baselines.papers.kaminsky2020.situation import ENCODER, STACK, Situations, is_playable
from card_baselines.run_folder import CONFIG, WEIGHTS
from card_envs.agent import Agent, Decisions
from card_envs.agent.loading import require_playable
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.rng import splitmix64

OBSERVATION_SIZE = 404
DESIRES = 4
"""Numbers of a continuous action: the desires to fold, call and raise, and how much to raise."""
_BATCH = 4096
"""Decisions that go through a network at once."""
_BITS, _LAST_PLACE = 2.0**53, 2.0**-53


@dataclass(frozen=True)
class Moves:
    """Moves of a Q-learner besides folding: to call is move 0, and each amount is a move."""

    amounts: tuple[int, ...]
    every: bool = False
    """Each legal amount is a move of its own, so others are forbidden; else amounts are brought into what is legal."""

    def __len__(self) -> int:
        """Return the number of moves."""
        return 1 + len(self.amounts)

    def legal(self, situations: Situations) -> NDArray[np.bool_]:
        """Return which moves (n, moves) a decision allows."""
        amounts = np.array([0, *self.amounts])
        low, high = situations.low[:, None], situations.high[:, None]
        legal = (
            (amounts >= low) & (amounts <= high) & (high > 0) if self.every else np.repeat(high > 0, len(self), axis=1)
        )
        legal[:, 0] = True
        return np.asarray(legal, np.bool_)

    def actions(self, situations: Situations, moves: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return action ids (n,) of moves; -1 is to fold."""
        kinds = np.where(moves < 0, FOLD, np.where(moves == 0, CALL, RAISE))
        amounts = np.array([0, *self.amounts])[np.maximum(moves, 0)]
        return situations.actions(kinds, amounts)


EIGHT = Moves((4, 8, 16, 32, 64, 100, 200))
ALL = Moves(tuple(range(1, STACK + 1)), every=True)


def play_dtype(name: str) -> torch.dtype:
    """Return the type of numbers that networks play in: "float32", or "auto" for bfloat16 where it is native."""
    if name not in ("auto", "float32", "bfloat16"):
        raise ValueError(f"dtype {name!r} is not known: choose auto, float32 or bfloat16")
    return torch.bfloat16 if name == "bfloat16" or (name == "auto" and native_bfloat16()) else torch.float32


def as_played(network: nn.Module, dtype: torch.dtype) -> nn.Module:
    """Return a copy of a network in another type of numbers, or the network itself."""
    if dtype == torch.float32:
        return network
    return deepcopy(network).to(dtype)


def observations_of(decisions: Decisions) -> torch.Tensor:
    """Return the observations (n, 404) of a batch of decisions."""
    return torch.from_numpy(np.asarray(decisions.observation, np.float32))


@torch.inference_mode()
def values_of(network: nn.Module, observation: torch.Tensor, dtype: torch.dtype) -> NDArray[np.float32]:
    """Return the values (n, moves) of all moves, for observations in float32."""
    parts = [network(part.to(dtype)).float() for part in torch.split(observation, _BATCH)]
    return np.asarray(torch.cat(parts).numpy())


def best_moves(values: NDArray[np.float32], moves: Moves, situations: Situations, scale: float) -> NDArray[np.int64]:
    """Return the moves (n,) of highest value, -1 to fold: folding is worth what has been put in (section 3.4.2).

    `scale` is the number of chips that make a value of 1.
    """
    allowed = np.where(moves.legal(situations), values, -np.inf)
    best = np.argmax(allowed, axis=1)
    folded = -situations.stakes * (STACK / scale)
    gives_up = situations.may_fold & (folded > allowed[np.arange(len(best)), best])
    return np.where(gives_up, -1, best)


@kernel
def write_normals(random_numbers: Any, normals: Any) -> None:
    """Write standard normal numbers (n, k), made of one uniform number each row, by the method of Box and Muller."""
    for j in range(random_numbers.shape[0]):
        bits = np.uint64(np.int64(random_numbers[j] * _BITS))
        for k in range(normals.shape[1]):
            bits = splitmix64(bits)
            radius = np.sqrt(-2.0 * np.log((np.float64(bits >> np.uint64(11)) + 1.0) * _LAST_PLACE))
            bits = splitmix64(bits)
            normals[j, k] = radius * np.cos(2.0 * np.pi * np.float64(bits >> np.uint64(11)) * _LAST_PLACE)


def normals_of(decisions: Decisions, count: int) -> torch.Tensor:
    """Return standard normal numbers (n, count), fixed by each decision's uniform number."""
    normals = np.empty((len(decisions), count))
    write_normals(decisions.random_numbers, normals)
    return torch.from_numpy(normals.astype(np.float32))


def choose_desired_actions(desires: NDArray[np.float32], situations: Situations) -> NDArray[np.int64]:
    """Return action ids (n,) of the four numbers of the soft actor-critic (n, 4), each in -1 .. 1 (section 3.4.3).

    The strongest of the three desires is done; the fourth number leads from the smallest raise to the largest.
    """
    kinds = np.argmax(desires[:, :3], axis=1)  # FOLD, CALL, RAISE stand in this order
    share = (desires[:, 3] + 1) / 2
    amounts = np.rint(situations.low + share * (situations.high - situations.low)).astype(np.int64)
    return situations.actions(kinds, amounts)


class Player(Agent):
    """A player of the paper that does not learn any more."""

    encoder = ENCODER

    def __init__(self, network: nn.Module, config: dict[str, Any]) -> None:
        """Play with a network, in its own type of numbers; `config` as in config.json."""
        self.network, self.config = network.eval(), config
        self.dtype = next(network.parameters()).dtype

    def can_play(self, game: Game) -> bool:
        """Return True for six-max no-limit hold'em with 200 chips."""
        return is_playable(game)


class QlearnPlayer(Player):
    """Takes the move of the highest value."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        moves, situations = moves_of(self.config), Situations.from_decisions(decisions)
        values = values_of(self.network, observations_of(decisions), self.dtype)
        return moves.actions(situations, best_moves(values, moves, situations, self.config["reward_scale"]))


class SacPlayer(Player):
    """Samples four numbers from its policy, and does what they wish."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        desires = desires_of(self.network, decisions, self.dtype)
        return choose_desired_actions(desires.numpy(), Situations.from_decisions(decisions))


@torch.inference_mode()
def desires_of(network: nn.Module, decisions: Decisions, dtype: torch.dtype) -> torch.Tensor:
    """Return the four numbers (n, 4) that a policy samples in each decision."""
    assert isinstance(network, GaussianPolicy)
    normals = normals_of(decisions, DESIRES)
    return network.sample(observations_of(decisions).to(dtype), normals)[0]


def moves_of(config: dict[str, Any]) -> Moves:
    """Return the moves of the Q-learner of a config.json."""
    return ALL if config["kind"] == "qlearn_all" else EIGHT


def make_network(config: dict[str, Any]) -> nn.Module:
    """Return the network that plays, with random weights, for a config.json."""
    sizes = config["width"], config["layers"]
    if config["kind"].startswith("sac"):
        return GaussianPolicy(OBSERVATION_SIZE, DESIRES, *sizes)
    kind = StateValues if config["kind"] == "qlearn_all" else PairValues
    return kind(OBSERVATION_SIZE, len(moves_of(config)), *sizes)


def load_player(folder: Path, dtype: str = "float32") -> Player:
    """Return the player of a folder with config.json and policy.safetensors."""
    config = json.loads((folder / CONFIG).read_text())
    network = make_network(config)
    load_weights(network, read_weights(folder / WEIGHTS), folder)
    kind = SacPlayer if config["kind"].startswith("sac") else QlearnPlayer
    player = kind(as_played(network, play_dtype(dtype)), config)
    player.name = folder.name
    return player


class Kaminsky2020Agent(Agent):
    """A clone or a trainee in a folder, as `find_agent` makes it."""

    encoder = ENCODER

    def __init__(self, folder: Path, game: Game, name: str = "") -> None:
        """Load it; raises ValueError for other games, and for files that do not fit each other.

        It is called `name`, by default as the folder is.
        """
        self.name = name or folder.name
        require_playable(self, game)
        self.player = load_player(folder)

    def can_play(self, game: Game) -> bool:
        """Return True for six-max no-limit hold'em with 200 chips."""
        return is_playable(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        return self.player.act(decisions, rng)
