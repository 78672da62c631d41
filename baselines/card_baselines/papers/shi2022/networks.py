"""The networks of Shi et al. (2022, section 4.2, figure 3) for limit hold'em, and the agent that plays them.

Actor and critic are built alike: fully connected layers over what has a fixed length, a reader of the betting so far
(an LSTM, or what the ablations of section 5.3 put in its place), and fully connected layers over both. The actor sees
what its seat sees; the critic all hole cards too. The critic returns the value of every action at once, where the
paper's is given one.

The encoder `shi2022` lists the betting the same way for all seats of a table. So one pass over it serves all decisions
of a hand in training, and in play each decision costs one step of the reader: see `TableHistories`.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_agent import require_fit
from card_baselines.agents.learned.mlp_policy import load_weights, read_weights
from card_baselines.papers.shi2022.encoder import num_tokens
from card_baselines.run_folder import CONFIG, WEIGHTS
from card_envs.agent import Decisions, StochasticAgent
from card_envs.cards import DECK_SIZE
from card_envs.game import Game
from card_envs.observation import Layout

ENCODER = "shi2022"
HAND_FEATURES = ("category", "percentile")
"""Blocks of the encoder that are not in the paper; they stand last of those with a fixed length."""
NO_DECISION = 0
"""Token of the history where no decision is yet."""
_EMBEDDING = 32


class History(nn.Module):
    """Encodes a sequence of decisions: at once, or step by step by a state of `state_size` numbers, at first zeros."""

    state_size: int

    def encode_first(self, tokens: torch.Tensor, hand: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        """Return the encoding (m, width) of the first `length` (m,) decisions of tokens[hand]: one pass over all.

        `tokens` (hands, longest) are the decisions of some hands, `hand` (m,) says which of them.
        """
        if tokens.shape[1] == 0:
            return self.read(torch.zeros(len(hand), self.state_size, device=hand.device))
        return self._encode(tokens, hand, length)

    @abstractmethod
    def _encode(self, tokens: torch.Tensor, hand: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        """Return the encoding (m, width) for `encode_first`, where some hand has a decision."""

    @abstractmethod
    def step(self, tokens: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """Return the states (n, state_size) after one more decision (n,) each."""

    @abstractmethod
    def read(self, states: torch.Tensor) -> torch.Tensor:
        """Return the encoding (n, width) of states."""


class LstmHistory(History):
    """Encodes a sequence of decisions with an LSTM."""

    def __init__(self, tokens: int, width: int) -> None:
        """Make a history encoder for `tokens` token ids with `width` outputs."""
        super().__init__()
        self.embedding = nn.Embedding(tokens, _EMBEDDING)
        self.lstm = nn.LSTM(_EMBEDDING, width, batch_first=True)
        self.state_size = 2 * width

    def _encode(self, tokens: torch.Tensor, hand: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        outputs: torch.Tensor = self.lstm(self.embedding(tokens))[0]
        return outputs[hand, (length - 1).clamp(min=0)] * (length > 0)[:, None]

    def step(self, tokens: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """Return the hidden and cell states after one more decision each."""
        hidden, cell = states.chunk(2, dim=1)
        return torch.cat(torch.lstm_cell(self.embedding(tokens), (hidden, cell), *self.lstm.all_weights[0]), dim=1)

    def read(self, states: torch.Tensor) -> torch.Tensor:
        """Return the hidden states."""
        return states.chunk(2, dim=1)[0]


class FcHistory(History):
    """A fully connected layer over which decisions were made (ablation FC).

    No decision comes twice in a hand, so the layer's input is one number per possible decision, and its output a sum of
    weights: one term more for each decision.
    """

    def __init__(self, tokens: int, width: int) -> None:
        """Make a history encoder for `tokens` token ids with `width` outputs."""
        super().__init__()
        self.weights = nn.Embedding(tokens, width)
        nn.init.normal_(self.weights.weight, std=0.1)
        self.bias = nn.Parameter(torch.zeros(width))
        self.state_size = width

    def _encode(self, tokens: torch.Tensor, hand: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        made = torch.arange(tokens.shape[1], device=tokens.device) < length[:, None]
        sums = nn.functional.embedding_bag(
            torch.where(made, tokens[hand], NO_DECISION), self.weights.weight, mode="sum", padding_idx=NO_DECISION
        )
        return self.read(sums)

    def step(self, tokens: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """Return the sums after one more decision each."""
        after: torch.Tensor = states + self.weights(tokens)
        return after

    def read(self, states: torch.Tensor) -> torch.Tensor:
        """Return the layer's output."""
        return torch.relu(states + self.bias)


class NoHistory(History):
    """Encodes no history: returns zeros (ablation None)."""

    state_size = 0

    def __init__(self, tokens: int, width: int) -> None:
        """Make an encoder with `width` outputs, all zero."""
        super().__init__()
        self._width = width

    def _encode(self, tokens: torch.Tensor, hand: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        return self.read(hand)

    def step(self, tokens: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """Return the states, which are empty."""
        return states

    def read(self, states: torch.Tensor) -> torch.Tensor:
        """Return zeros."""
        return torch.zeros(len(states), self._width, device=states.device)


HISTORIES: dict[str, Callable[[int, int], History]] = {"lstm": LstmHistory, "fc": FcHistory, "none": NoHistory}


class PokerNetwork(nn.Module):
    """Maps an observation of fixed length, and the betting as `history` encodes it, to one number per action."""

    def __init__(
        self, fixed_size: int, tokens: int, num_actions: int, history: str, hidden: int = 128, memory: int = 64
    ) -> None:
        """Make layers of width `hidden`, and a history of width `memory`."""
        super().__init__()
        self.fixed = nn.Sequential(nn.Linear(fixed_size, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.history = HISTORIES[history](tokens, memory)
        self.head = nn.Sequential(nn.Linear(hidden + memory, hidden), nn.ReLU(), nn.Linear(hidden, num_actions))

    @property
    def device(self) -> torch.device:
        """Device of the parameters."""
        return next(self.head.parameters()).device

    def forward(self, fixed: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
        """Return (n, num_actions), given (n, fixed_size) and what is known of the betting (n, memory)."""
        values: torch.Tensor = self.head(torch.cat((self.fixed(fixed), known), dim=1))
        return values


def make_actor(game: Game, config: Mapping[str, Any]) -> PokerNetwork:
    """Return an actor for a game with the encoder `shi2022`; `config` as in config.json of a run."""
    return _make_network(game, config, 0)


def make_critic(game: Game, config: Mapping[str, Any]) -> PokerNetwork:
    """Return a critic: it sees what the actor sees, and hole cards (and percentiles) of all seats."""
    return _make_network(game, config, game.num_seats * (DECK_SIZE + int(config["hand_features"])))


def _make_network(game: Game, config: Mapping[str, Any], more: int) -> PokerNetwork:
    """Return a network that reads `more` numbers than an actor."""
    sizes = actor_size(game.layout, config["hand_features"]) + more, num_tokens(game.config), game.num_actions
    return PokerNetwork(*sizes, config["history"], config["hidden"], config["memory"])


def number_actors(actors: Sequence[PokerNetwork]) -> nn.ModuleDict:
    """Return actors as one network, named "0", "1" ... as in the file of a run."""
    return nn.ModuleDict({str(number): actor for number, actor in enumerate(actors)})


def actor_size(layout: Layout, hand_features: bool) -> int:
    """Return how many of the first numbers of an observation the actor reads beside the history."""
    return int(layout.slices["history" if hand_features else HAND_FEATURES[0]].start)


class TableHistories:
    """Encodings of the betting at many tables by one network, updated after each decision."""

    def __init__(self, history: History, num_tables: int, device: torch.device | None = None) -> None:
        """Begin with hands in which nobody has decided; `device` is that of the network, by default the CPU."""
        self._history = history
        self._states = torch.zeros(num_tables, history.state_size, device=device)
        self._lengths = np.zeros(num_tables, np.int64)

    def read(self, rows: NDArray[np.int64], tokens: NDArray[np.int64]) -> torch.Tensor:
        """Return the encoding (n, width) at tables `rows`, given all their decisions (n, most), 0 where none is yet.

        Only those that came since the last call are read.
        """
        lengths = (tokens != NO_DECISION).sum(axis=1)
        while (behind := np.flatnonzero(self._lengths[rows] < lengths)).size:
            late = rows[behind]
            following = torch.from_numpy(tokens[behind, self._lengths[late]]).to(self._states.device)
            self._states[late] = self._history.step(following, self._states[late])
            self._lengths[late] += 1
        return self._history.read(self._states[rows])


def action_probabilities(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return softmax over legal actions (n, num_actions); `mask` holds 1 or True for those."""
    return torch.softmax(logits.masked_fill(mask == 0, -torch.inf), dim=1)


@torch.inference_mode()
def compute_actor_probabilities(
    actors: Sequence[PokerNetwork], players: NDArray[np.int64], fixed: NDArray[np.floating], mask: NDArray[np.int8],
    read_history: Callable[[int, NDArray[np.int64]], torch.Tensor],
) -> NDArray[np.float32]:  # fmt: skip
    """Return the action probabilities (n, num_actions) of decisions of several actors.

    Args:
        actors: The networks.
        players: (n,) index of the actor that decides.
        fixed: (n, actor_size) what the actors read beside the history.
        mask: (n, num_actions) legal actions.
        read_history: Function that returns the encoding of the betting at some decisions, given an actor's index.
    """
    probabilities = np.empty(mask.shape, np.float32)
    for number, actor in enumerate(actors):
        mine = np.flatnonzero(players == number)
        if len(mine):
            inputs = torch.from_numpy(np.ascontiguousarray(fixed[mine], np.float32)).to(actor.device)
            logits = actor(inputs, read_history(number, mine)).cpu()
            probabilities[mine] = action_probabilities(logits, torch.from_numpy(mask[mine])).numpy()
    return probabilities


class Shi2022Agent(StochasticAgent):
    """Plays what `training` learned: samples actions from the actor's probabilities.

    Of six independent actors (APU, APU-Ctrl) each plays a sixth of the tables, so that results speak of all of them.
    """

    encoder = ENCODER

    def __init__(self, folder: Path, game: Game, device: str = "cpu") -> None:
        """Load config.json and policy.safetensors; raises ValueError when they belong to another game.

        `device` computes the networks: auto, cpu, cuda or cuda:N; ValueError where there is none such.
        """
        self.name = folder.name
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        require_fit(folder, config, game)
        game = replace(game, encoder=self.find_encoder(game))
        actors = number_actors([make_actor(game, config) for _ in range(config["num_actors"])])
        load_weights(actors, read_weights(folder / WEIGHTS), folder)
        self.actors: list[Any] = list(actors.to(find_device(device)).values())
        self._fixed_size = actor_size(game.layout, config["hand_features"])
        self._first_table = 0
        self._histories: list[TableHistories] = []
        self._num_tables = 0

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Forget all hands but those that start now."""
        self._first_table = int(table_ids.min())
        self._num_tables = int(table_ids.max()) - self._first_table + 1
        self._histories = [TableHistories(actor.history, self._num_tables, actor.device) for actor in self.actors]

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the probability of every action (n, num_actions), zero for illegal ones."""
        observation = decisions.observation
        tokens = observation[:, decisions.layout.slices["history"]].astype(np.int64)
        # whole sets of duplicate deals go to the same actor
        players = decisions.table_ids // decisions.game.num_seats % len(self.actors)
        return compute_actor_probabilities(
            self.actors, players, observation[:, : self._fixed_size], decisions.action_mask,
            lambda number, mine: self._read_history(number, decisions.table_ids[mine], tokens[mine]),
        )  # fmt: skip

    def _read_history(self, number: int, tables: NDArray[np.int64], tokens: NDArray[np.int64]) -> torch.Tensor:
        """Return the encoding of the betting; hands whose start was not announced are read from the beginning."""
        rows = tables - self._first_table
        if self._histories and rows.min() >= 0 and rows.max() < self._num_tables:
            return self._histories[number].read(rows, tokens)
        actor = self.actors[number]
        return TableHistories(actor.history, len(rows), actor.device).read(np.arange(len(rows)), tokens)
