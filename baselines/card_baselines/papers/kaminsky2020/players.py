"""The networks and policies of the trained agents: of teachers, and of students when they do not explore.

Networks have four layers of 256, an unusual activation, and tanh at the end (section 3.4.2).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import leaky_relu

from card_baselines.agents.learned.mlp_policy import load_policy
from card_baselines.papers.kaminsky2020.situation import ENCODER, STACK, choose_nearest, is_playable
from card_baselines.run_folder import CONFIG
from card_envs.agent import Agent, Decisions
from card_envs.agent.loading import require_playable
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.actions import FOLD_ACTION
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.records import Tables
from card_envs.rng import SEED_SCALE, splitmix64, to_unit

OBSERVATION_SIZE = 404
DESIRES = 4
"""Size of a continuous action: the desires to fold, call and raise, and the size of a raise."""
PRINTED_SLOPE = -0.001
"""The activation is printed as max(x, -0.001x): below zero it rises to the left, unlike a leaky ReLU's."""
_BATCH_SIZE = 4096
"""Maximum number of decisions in one forward pass."""
_UNIT = 2.0**-53
"""Distance between the numbers of `to_unit`: adding it leaves no 0, whose logarithm is infinite."""
_LEAST_LOG_STD, _MOST_LOG_STD = -20.0, 2.0
_HALF_LOG_2_PI, _LOG_2 = 0.9189385332046727, 0.6931471805599453


# --- networks ---


class PrintedReLU(nn.Module):
    """max(x, slope * x), as printed."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the activation, of the shape of `x`."""
        return leaky_relu(x, PRINTED_SLOPE)


def make_hidden_layers(inputs: int, width: int, layers: int) -> nn.Sequential:
    """Return `layers` layers of `width` neurons, each with its activation."""
    parts: list[nn.Module] = []
    for number in range(layers):
        parts += [nn.Linear(inputs if number == 0 else width, width), PrintedReLU()]
    return nn.Sequential(*parts)


class _Network(nn.Module):
    """Hidden layers with a linear head."""

    def __init__(self, inputs: int, outputs: int, width: int = 256, layers: int = 4) -> None:
        super().__init__()
        self.hidden = make_hidden_layers(inputs, width, layers)
        self.head = nn.Linear(width, outputs)


class StateValues(_Network):
    """One pass gives the values of all moves: the network of Qlearn-All."""

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return (n, num_moves) values in -1 .. 1."""
        return torch.tanh(self.head(self.hidden(observation)))

    def evaluate_moves(self, observation: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        """Return the value (n,) of one move in each state."""
        values: torch.Tensor = self(observation)
        return values.gather(1, moves[:, None])[:, 0]


class PairValues(nn.Module):
    """The value of a state and a move, which are both inputs: the network of Qlearn-8.

    The first layer's part that reads the state is computed once for all moves of a state.
    """

    def __init__(self, observation_size: int, num_moves: int, width: int = 256, layers: int = 4) -> None:
        super().__init__()
        self.state = nn.Linear(observation_size, width)
        self.move = nn.Embedding(num_moves, width)  # a linear layer that reads the move one-hot
        nn.init.uniform_(self.move.weight, -(observation_size**-0.5), observation_size**-0.5)
        self.hidden = nn.Sequential(PrintedReLU(), *make_hidden_layers(width, width, layers - 1))
        self.head = nn.Linear(width, 1)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return (n, num_moves) values in -1 .. 1."""
        first = self.state(observation)[:, None] + self.move.weight
        return torch.tanh(self.head(self.hidden(first)))[:, :, 0]

    def evaluate_moves(self, observation: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        """Return the value (n,) of one move in each state."""
        return torch.tanh(self.head(self.hidden(self.state(observation) + self.move(moves))))[:, 0]


class Critic(_Network):
    """The value of a state and a continuous action, for the soft actor-critic; its inputs are both."""

    def forward(self, observation: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        """Return values (n,) in -1 .. 1."""
        return torch.tanh(self.head(self.hidden(torch.cat((observation, action), dim=1))))[:, 0]


class GaussianPolicy(_Network):
    """A normal distribution over some numbers, squashed by tanh (section 2.2.3); its outputs are two for each."""

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return means and logarithms of standard deviations, (n, numbers) each, before the squashing."""
        mean, log_std = self.head(self.hidden(observation)).chunk(2, dim=1)
        return mean, log_std.clamp(_LEAST_LOG_STD, _MOST_LOG_STD)

    def sample(self, observation: torch.Tensor, normals: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return squashed actions (n, numbers) made of standard normal numbers, and their log densities (n,)."""
        mean, log_std = (part.float() for part in self(observation))
        raw = mean + log_std.exp() * normals
        density = -0.5 * normals**2 - log_std - _HALF_LOG_2_PI
        squashing = 2 * (_LOG_2 - raw - nn.functional.softplus(-2 * raw))  # log(1 - tanh(raw)^2), without overflow
        return torch.tanh(raw), (density - squashing).sum(dim=1)


def find_dtype(name: str) -> torch.dtype:
    """Return the number type of networks that play: "auto" means bfloat16 where the processor multiplies it itself."""
    if name not in ("auto", "float32", "bfloat16"):
        raise ValueError(f"dtype {name!r} is not known: choose auto, float32 or bfloat16")
    return torch.bfloat16 if name == "bfloat16" or (name == "auto" and native_bfloat16()) else torch.float32


def native_bfloat16() -> bool:
    """Return True where the processor multiplies bfloat16 numbers itself."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16") or capabilities.get("bf16"))


# --- moves ---


@dataclass(frozen=True)
class Moves:
    """Moves of a Q-learner besides folding: calling is move 0, and each amount of a raise is a move."""

    amounts: tuple[int, ...]
    every: bool = False
    """Whether every legal amount is a move, so that others are illegal; else amounts are clipped to legal ones."""

    def __len__(self) -> int:
        """Return the number of moves."""
        return 1 + len(self.amounts)

    def legal(self, views: Tables) -> NDArray[np.bool_]:
        """Return the legal moves as booleans (n, moves)."""
        amounts = np.array([0, *self.amounts])
        low, high = views["min_raise_to"][:, None], views["max_raise_to"][:, None]
        legal = (
            (amounts >= low) & (amounts <= high) & (high > 0) if self.every else np.repeat(high > 0, len(self), axis=1)
        )
        legal[:, 0] = True
        return np.asarray(legal, np.bool_)

    def actions(self, views: Tables, moves: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return action ids (n,) of moves; -1 folds."""
        kinds = np.where(moves < 0, FOLD, np.where(moves == 0, CALL, RAISE))
        amounts = np.array([0, *self.amounts])[np.maximum(moves, 0)]
        return choose_nearest(views, kinds, amounts)


EIGHT = Moves((4, 8, 16, 32, 64, 100, 200))
"""Moves of Qlearn-8."""
ALL = Moves(tuple(range(1, STACK + 1)), every=True)
"""Moves of Qlearn-All."""


def to_tensor(decisions: Decisions) -> torch.Tensor:
    """Return the observations (n, 404) of decisions in float32."""
    return torch.from_numpy(np.asarray(decisions.observation, np.float32))


@torch.inference_mode()
def compute_values(network: nn.Module, decisions: Decisions) -> NDArray[np.float32]:
    """Return the values (n, moves) of all moves in each decision."""
    dtype = next(network.parameters()).dtype
    parts = [network(part.to(dtype)).float() for part in torch.split(to_tensor(decisions), _BATCH_SIZE)]
    return np.asarray(torch.cat(parts).numpy())


def best_moves(values: NDArray[np.float32], moves: Moves, views: Tables, scale: float) -> NDArray[np.int64]:
    """Return the moves (n,) of highest value. -1 folds, and its value are the chips put in (section 3.4.2).

    Args:
        values: (n, moves) values of the moves.
        moves: The moves.
        views: The decisions, (n,) views of their actors.
        scale: Number of chips that make a value of 1.
    """
    legal_values = np.where(moves.legal(views), values, -np.inf)
    best = np.argmax(legal_values, axis=1)
    stakes = views["hand_commit"][np.arange(len(views)), views["actor"]] / STACK
    fold_values = -stakes.astype(np.float32) * (STACK / scale)
    may_fold = (views["legal"] & (1 << FOLD_ACTION)) != 0
    folds = may_fold & (fold_values > legal_values[np.arange(len(best)), best])
    return np.where(folds, -1, best)


@kernel
def write_normals(random_numbers: Any, normals: Any) -> None:
    """Write standard normal numbers (n, k), made from one random number in each row by the method of Box and Muller."""
    for j in range(random_numbers.shape[0]):
        bits = np.uint64(np.int64(random_numbers[j] * SEED_SCALE))
        for k in range(normals.shape[1]):
            bits = splitmix64(bits)
            radius = np.sqrt(-2.0 * np.log(to_unit(bits) + _UNIT))
            bits = splitmix64(bits)
            normals[j, k] = radius * np.cos(2.0 * np.pi * to_unit(bits))


@torch.inference_mode()
def sample_desires(network: nn.Module, decisions: Decisions) -> NDArray[np.float32]:
    """Return the four numbers (n, 4) that a policy samples in each decision, by its random number."""
    assert isinstance(network, GaussianPolicy)
    normals = np.empty((len(decisions), DESIRES))
    write_normals(decisions.random_numbers, normals)
    observation = to_tensor(decisions).to(next(network.parameters()).dtype)
    return np.asarray(network.sample(observation, torch.from_numpy(normals.astype(np.float32)))[0].numpy())


def choose_desired_actions(desires: NDArray[np.float32], views: Tables) -> NDArray[np.int64]:
    """Return action ids (n,) for the four numbers of the soft actor-critic (n, 4), each in -1 .. 1 (section 3.4.3).

    The strongest of the three desires is the action; the fourth number interpolates between the smallest raise and the
    largest.
    """
    kinds = np.argmax(desires[:, :3], axis=1)  # FOLD, CALL, RAISE in this order
    share = (desires[:, 3] + 1) / 2
    low, high = (views[name].astype(np.int64) for name in ("min_raise_to", "max_raise_to"))
    return choose_nearest(views, kinds, np.rint(low + share * (high - low)).astype(np.int64))


def choose_actions(network: nn.Module, config: dict[str, Any], decisions: Decisions) -> NDArray[np.int64]:
    """Return the actions (n,) of a network without exploration; `config` as in config.json."""
    if config["kind"].startswith("sac"):
        return choose_desired_actions(sample_desires(network, decisions), decisions.views)
    moves = find_moves(config)
    values = compute_values(network, decisions)
    return moves.actions(decisions.views, best_moves(values, moves, decisions.views, config["reward_scale"]))


def find_moves(config: dict[str, Any]) -> Moves:
    """Return the moves of the Q-learner of a config.json."""
    return ALL if config["kind"] == "qlearn_all" else EIGHT


def make_network(config: dict[str, Any]) -> nn.Module:
    """Return the network that plays, with random weights, for a config.json."""
    sizes = config["width"], config["layers"]
    if config["kind"].startswith("sac"):
        return GaussianPolicy(OBSERVATION_SIZE, 2 * DESIRES, *sizes)
    kind = StateValues if config["kind"] == "qlearn_all" else PairValues
    return kind(OBSERVATION_SIZE, len(find_moves(config)), *sizes)


class Kaminsky2020Agent(Agent):
    """A saved clone or trainee, which plays without exploration."""

    encoder = ENCODER

    def __init__(self, folder: Path, game: Game) -> None:
        """Load config.json and policy.safetensors.

        Args:
            folder: Folder of the files.
            game: The game that is played.

        Raises:
            ValueError: The agent does not play the game, or the files do not fit each other.
        """
        self.name = folder.name
        require_playable(self, game)
        self.config: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        self.network = load_policy(make_network, self.config, folder).eval()

    def can_play(self, game: Game) -> bool:
        """Return True for six-max no-limit hold'em with 200 chips."""
        return is_playable(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        return choose_actions(self.network, self.config, decisions)
