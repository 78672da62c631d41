"""What the trained players share, and what PPO and DQN share: their networks, and the transitions they learn from."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import read_tensors
from card_baselines.papers.zheng2022.duel import Hand, Learners, make_paper_game
from card_baselines.papers.zheng2022.situation import (
    ACTIONS,
    CHECK,
    FOLD,
    NUM_COLUMNS,
    is_legal_column,
    plays_heads_up_limit,
)
from card_baselines.papers.zheng2022.stacks import Stack
from card_baselines.papers.zheng2022.table_player import to_action_probabilities
from card_baselines.run_folder import CONFIG, WEIGHTS, RunFolder
from card_envs.agent import Decisions, StochasticAgent, likeliest
from card_envs.agent.probabilities import softmax
from card_envs.compiler import kernel
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.typing import Floats32, Rows

ENCODER = "rlcard"
OBSERVATION_SIZE, HIDDEN = 72, 64
KINDS = ("ppo", "dqn")


class TrainedPlayer(StochasticAgent):
    """A player of heads-up limit hold'em that is trained under the rules of RLCard, and learns nothing more."""

    network: torch.nn.Sequential

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Load what `save` wrote; `device` computes the network: auto, cpu, cuda or cuda:N."""
        self._restore(json.loads((folder / CONFIG).read_text(encoding="utf-8")), read_tensors(folder / WEIGHTS))
        self.device = find_device(device)
        self.network.to(self.device)

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> Self:
        """Return the player of a config.json and its tensors."""
        player = cls.__new__(cls)
        player._restore(description, tensors)
        return player

    def _restore(self, description: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        """Set the player up from the contents of its files. Subclasses make the network, and call this at the end."""
        self._description, self._tensors = description, tensors
        self.network.eval().requires_grad_(False)
        self.device = torch.device("cpu")

    def can_play(self, game: Game) -> bool:
        """Return True for heads-up limit hold'em."""
        return plays_heads_up_limit(game)

    @torch.inference_mode()
    def compute_outputs(self, inputs: NDArray[np.floating]) -> torch.Tensor:
        """Return the outputs (n, 4) of the network, on the CPU."""
        outputs: torch.Tensor = self.network(torch.from_numpy(np.asarray(inputs, np.float32)).to(self.device))
        return outputs.cpu()

    def save(self, folder: Path, **facts: Any) -> None:
        """Write config.json, with `facts` about the training, and policy.safetensors, for `find_agent`."""
        folder.mkdir(parents=True, exist_ok=True)
        with replace_file(folder / WEIGHTS) as temporary:
            save_file({name: tensor.contiguous() for name, tensor in self._tensors.items()}, temporary)
        RunFolder(folder).write_json(CONFIG, {**self._description, **facts})


class NetworkAgent(TrainedPlayer):
    """Plays a network of the paper's PPO (sampled) or DQN (the highest value)."""

    encoder = ENCODER

    def _restore(self, description: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        self.kind = description["network"]
        self.name = f"zheng2022_{self.kind}"
        self.greedy = None if self.kind == "dqn" else False  # the outputs of DQN are values, no probabilities
        self.network = make_network(self.kind)
        self.network.load_state_dict(tensors)
        super()._restore(description, tensors)

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of every action id (n, 3)."""
        outputs, legal = self.compute_outputs(decisions.observation).double().numpy(), find_legal_columns(decisions)
        columns = likeliest(np.where(legal == 1, outputs, -np.inf)) if self.kind == "dqn" else softmax(outputs, legal)
        return to_action_probabilities(columns, legal)


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


TRANSITION = np.dtype(
    [
        ("observation", np.int8, (OBSERVATION_SIZE,)),  # the numbers are 0 and 1
        ("column", np.int64),  # that the learner chose, legal or not
        ("reward", np.float32),
        ("next_observation", np.int8, (OBSERVATION_SIZE,)),
        ("is_last", np.float32),
        ("next_legal", np.uint8, (NUM_COLUMNS,)),  # at the own next decision; all 1 after the last
    ]
)
"""A decision and what came of it."""


def to_tensors(transitions: NDArray[Any]) -> list[torch.Tensor]:
    """Return the fields of transitions, in their order, with observations in float32."""
    columns = (np.ascontiguousarray(transitions[name]) for name in TRANSITION.names or ())
    return [torch.from_numpy(each).float() if each.dtype == np.int8 else torch.from_numpy(each) for each in columns]


class NetworkLearners(Learners):
    """Learners of a kind of network, one run at each table: they queue the transitions that `train` learns from."""

    encoder = ENCODER
    kind: str
    """ "ppo" or "dqn"."""
    played: Stack
    """The networks that play."""

    def __init__(self, seeds: Sequence[int], stream: int) -> None:
        """Start with empty queues; `stream` numbers the random streams of this kind."""
        self.rngs = [np.random.default_rng([seed, stream]) for seed in seeds]
        self.queues: list[deque[NDArray[Any]]] = [deque() for _ in seeds]
        """Records of `TRANSITION` that were not learned from."""
        self._game = make_paper_game(ENCODER)
        self._decided: list[list[tuple[Floats32, int, NDArray[np.uint8]]]] = [[] for _ in seeds]

    @abstractmethod
    def choose_columns(self, decisions: Decisions, outputs: NDArray[np.float32], legal: NDArray[np.uint8]) -> Rows:
        """Return a column (n,) for each decision, given the outputs and the legal columns, both (n, 4)."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Rows:
        """Return an action for each decision, and remember what was seen and decided."""
        legal, seen = find_legal_columns(decisions), np.asarray(decisions.observation, np.float32)
        columns = self.choose_columns(decisions, self.played.compute_at(decisions.table_ids, seen).numpy(), legal)
        for j, table in enumerate(decisions.table_ids.tolist()):
            self._decided[table].append((seen[j], int(columns[j]), legal[j]))
        return to_actions(columns, legal)

    def learn(self, table: int, hand: Hand, seat: int) -> None:
        """Queue the transitions of a hand."""
        decided, self._decided[table] = self._decided[table], []
        if not decided:
            return
        final = self._game.observe_seats(hand.final, np.zeros(1, np.int64), np.array([seat]))[0][0].astype(np.float32)
        following = [*decided[1:], (final, 0, np.ones(NUM_COLUMNS, np.uint8))]
        self.queues[table].extend(
            np.array((seen, column, reward, later[0], later is following[-1], later[2]), TRANSITION)
            for (seen, column, _), later, reward in zip(decided, following, hand.rewards_of(seat), strict=True)
        )

    def make_player(self, table: int) -> NetworkAgent:
        """Return the trained player of a learner."""
        description = {"agent": "zheng2022_network", "network": self.kind}
        return NetworkAgent.from_state(description, self.played.network(table).state_dict())


def find_legal_columns(decisions: Decisions) -> NDArray[np.uint8]:
    """Return which of the four columns are legal, (n, 4)."""
    legal = np.zeros((len(decisions), NUM_COLUMNS), np.uint8)
    write_legal(decisions.views, legal)
    return legal


def to_actions(columns: Rows, legal: NDArray[np.uint8]) -> Rows:
    """Return action ids; an illegal column is played as a check if that is legal, else as a fold, as RLCard does."""
    instead = np.where(legal[:, CHECK] == 1, CHECK, FOLD)
    return ACTIONS[np.where(legal[np.arange(len(columns)), columns] == 1, columns, instead)]


@kernel
def write_legal(views: Any, legal: Any) -> None:
    """Write which columns each view's actor may take."""
    for j in range(views.shape[0]):
        for column in range(NUM_COLUMNS):
            legal[j, column] = is_legal_column(views[j], column)
