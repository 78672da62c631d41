"""What PPO and DQN share: the player that a network becomes, and the transitions that they learn from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import read_tensors
from card_baselines.papers.zheng2022.duel import Hand, make_paper_game
from card_baselines.papers.zheng2022.situation import (
    CHECK,
    FOLD,
    NUM_COLUMNS,
    action_of,
    is_legal_column,
    plays_heads_up_limit,
)
from card_baselines.papers.zheng2022.table_player import to_action_probabilities
from card_baselines.run_folder import CONFIG, WEIGHTS, RunFolder
from card_envs.agent import Decisions, StochasticAgent
from card_envs.agent.probabilities import softmax
from card_envs.compiler import kernel
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.observation import mask_records, observation_records
from card_envs.typing import Floats32, Rows

ENCODER = "rlcard"
OBSERVATION_SIZE, HIDDEN = 72, 64
KINDS = ("ppo", "dqn")


def make_network(kind: str, outputs: int = NUM_COLUMNS) -> torch.nn.Sequential:
    """Return a network from 72 numbers to `outputs`: "ppo" with ReLU, "dqn" as RLCard's, normalised and with tanh."""
    if kind not in KINDS:
        raise ValueError(f"network {kind!r} is not known: choose one of {KINDS}")
    activation = torch.nn.ReLU if kind == "ppo" else torch.nn.Tanh
    layers: list[torch.nn.Module] = [] if kind == "ppo" else [torch.nn.BatchNorm1d(OBSERVATION_SIZE)]
    for inputs in (OBSERVATION_SIZE, HIDDEN):
        layers += [torch.nn.Linear(inputs, HIDDEN), activation()]
    network = torch.nn.Sequential(*layers, torch.nn.Linear(HIDDEN, outputs))
    if kind == "dqn":
        for parameter in network.parameters():
            if parameter.ndim > 1:
                torch.nn.init.xavier_uniform_(parameter)
    return network


class NetworkAgent(StochasticAgent):
    """Plays a network of the paper's PPO (sampled) or DQN (the highest value); learns nothing."""

    encoder = ENCODER

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Load what `save` wrote; `device` computes the network: auto, cpu, cuda or cuda:N."""
        self._set(json.loads((folder / CONFIG).read_text(encoding="utf-8"))["network"], None)
        self.network.load_state_dict(read_tensors(folder / WEIGHTS))
        self.device = find_device(device)
        self.network.to(self.device)

    @classmethod
    def from_network(cls, kind: str, network: torch.nn.Sequential) -> Self:
        """Return the player of a network."""
        agent = cls.__new__(cls)
        agent._set(kind, network)
        return agent

    def _set(self, kind: str, network: torch.nn.Sequential | None) -> None:
        self.kind, self.name = kind, f"zheng2022_{kind}"
        self.greedy = None if kind == "dqn" else False  # the outputs of DQN are values, no probabilities
        self.network = (make_network(kind) if network is None else network).eval()
        self.device = torch.device("cpu")

    def can_play(self, game: Game) -> bool:
        """Return True for heads-up limit hold'em; it is trained under the rules of RLCard."""
        return plays_heads_up_limit(game)

    @torch.inference_mode()
    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of every action id (n, 3)."""
        inputs = torch.from_numpy(np.asarray(decisions.observation, np.float32)).to(self.device)
        outputs = self.network(inputs).cpu().double().numpy()
        legal = find_legal_columns(decisions)
        if self.kind == "dqn":
            best = np.where(legal == 1, outputs, -np.inf).argmax(axis=1)
            return to_action_probabilities(np.eye(NUM_COLUMNS)[best], decisions.game.num_actions, legal)
        return to_action_probabilities(softmax(outputs, legal), decisions.game.num_actions, legal)

    def save(self, folder: Path, **facts: Any) -> None:
        """Write config.json, with `facts` about the training, and policy.safetensors."""
        save_agent(folder, {"agent": "zheng2022_network", "network": self.kind, **facts}, self.network.state_dict())


def save_agent(folder: Path, description: dict[str, Any], tensors: dict[str, torch.Tensor]) -> None:
    """Write config.json and policy.safetensors, from which `find_agent` makes the player again."""
    folder.mkdir(parents=True, exist_ok=True)
    run = RunFolder(folder)
    with replace_file(run.path / WEIGHTS) as temporary:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, temporary)
    run.write_json(CONFIG, description)


class Transition(NamedTuple):
    """A decision and what came of it."""

    observation: Floats32
    column: int
    reward: float
    next_observation: Floats32
    is_last: bool
    next_legal: NDArray[np.uint8]
    """(4,): of the own next decision; all 1 after the last."""


class Transitions:
    """Transitions of the learners of each table in the hand that is being played."""

    def __init__(self, num_tables: int) -> None:
        self._game = make_paper_game(ENCODER)
        self._decided: list[list[tuple[Floats32, int, NDArray[np.uint8]]]] = [[] for _ in range(num_tables)]

    def add(self, decisions: Decisions, columns: Rows, legal: NDArray[np.uint8]) -> None:
        """Keep what was seen and decided; `columns` as the learner meant them, legal or not."""
        seen = np.asarray(decisions.observation, np.float32)
        for j, table in enumerate(decisions.table_ids.tolist()):
            self._decided[table].append((seen[j], int(columns[j]), legal[j]))

    def pop_hand(self, table: int, hand: Hand, seat: int) -> list[Transition]:
        """Return the transitions of the hand that is over, and forget it."""
        decided, self._decided[table] = self._decided[table], []
        if not decided:
            return []
        rewards = hand.rewards_of(seat)
        following = [*decided[1:], (self._final_observation(hand, seat), 0, np.ones(NUM_COLUMNS, np.uint8))]
        return [
            Transition(now[0], now[1], float(reward), later[0], later is following[-1], later[2])
            for now, later, reward in zip(decided, following, rewards, strict=True)
        ]

    def _final_observation(self, hand: Hand, seat: int) -> Floats32:
        observation = np.zeros((1, OBSERVATION_SIZE), self._game.layout.dtype)
        masks = np.zeros((1, self._game.num_actions), np.int8)
        self._game.encoder.observe(hand.final, 0, seat, observation_records(observation), mask_records(masks))
        return np.asarray(observation[0], np.float32)


def find_legal_columns(decisions: Decisions) -> NDArray[np.uint8]:
    """Return which of the four columns are legal, (n, 4)."""
    legal = np.zeros((len(decisions), NUM_COLUMNS), np.uint8)
    write_legal(decisions.views, legal)
    return legal


def to_actions(columns: Rows, legal: NDArray[np.uint8]) -> Rows:
    """Return action ids; an illegal column is played as a check if that is legal, else as a fold, as RLCard does."""
    rows = np.arange(len(columns))
    instead = np.where(legal[:, CHECK] == 1, CHECK, FOLD)
    played = np.where(legal[rows, columns] == 1, columns, instead)
    return np.array([action_of(column) for column in range(NUM_COLUMNS)], np.int64)[played]


@kernel
def write_legal(views: Any, legal: Any) -> None:
    """Write which columns each view's actor may take."""
    for j in range(views.shape[0]):
        for column in range(NUM_COLUMNS):
            legal[j, column] = is_legal_column(views[j], column)
