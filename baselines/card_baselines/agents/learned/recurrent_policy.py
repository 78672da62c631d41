"""A recurrent policy and the agent that plays it: an LSTM over the decisions of a seat in a deal, then dense layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_agent import require_fit
from card_baselines.agents.learned.mlp_policy import MlpPolicy, load_policy
from card_baselines.run_folder import read_config
from card_envs.agent import Agent, Decisions, choose, likeliest
from card_envs.game import Game

State = tuple[torch.Tensor, torch.Tensor]


class RecurrentPolicy(torch.nn.Module):
    """Network that maps observations and LSTM states to one logit per action id and the new states."""

    def __init__(
        self, observation_size: int, memory: int, hidden: list[int], num_actions: int, activation: str = "tanh"
    ) -> None:
        """Make a network with `memory` numbers in the hidden state and in the cell state of the LSTM."""
        super().__init__()
        self.lstm = torch.nn.LSTM(observation_size, memory)
        self.head = MlpPolicy(memory, hidden, num_actions, activation)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return the network that a config.json describes, with random weights."""
        sizes = config["observation_size"], config["memory"], config["hidden"], config["num_actions"]
        return cls(*sizes, config["activation"])

    def forward(self, observation: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        """Return logits (n, num_actions) of observations (n, d), and the state, two tensors (1, n, memory)."""
        output, state = self.lstm(observation[None], state)
        return self.head(output[0]), state


class RecurrentAgent(Agent):
    """Plays a trained `RecurrentPolicy`: samples from its probabilities over legal actions.

    Arguments and errors are those of `MlpAgent`.
    """

    greedy = False

    def __init__(self, folder: Path, game: Game, device: str = "cpu") -> None:
        self.name = folder.name
        config = read_config(folder)
        self.encoder = require_fit(folder, config, game)
        self.policy, self.device = load_policy(RecurrentPolicy.from_config, config, folder), find_device(device)
        self.policy.to(self.device)
        self._memories: dict[tuple[int, int], NDArray[np.float32]] = {}
        self._initial_state = np.zeros((2, config["memory"]), np.float32)
        self._num_seats = game.num_seats

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Reset the LSTM states of these tables."""
        for table in table_ids.tolist():
            for seat in range(self._num_seats):
                self._memories.pop((table, seat), None)

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        """Reset the LSTM states of these tables."""
        self.deal_starts(table_ids)

    @torch.inference_mode()
    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision."""
        keys = list(zip(decisions.table_ids.tolist(), decisions.seats.tolist(), strict=True))
        before = np.stack([self._memories.get(key, self._initial_state) for key in keys], axis=1)
        hidden, cell = torch.from_numpy(before).to(self.device)[:, None]
        observation = torch.from_numpy(np.asarray(decisions.observation, np.float32)).to(self.device)
        logits, (hidden, cell) = self.policy(observation, (hidden, cell))
        logits, after = logits.cpu(), torch.cat((hidden, cell)).cpu().numpy()
        self._memories.update((key, after[:, j]) for j, key in enumerate(keys))
        legal = torch.from_numpy(decisions.action_mask.astype(np.bool_))
        probabilities = torch.softmax(logits.masked_fill(~legal, -torch.inf), dim=1).numpy()
        weights = probabilities * decisions.action_mask
        return choose(likeliest(weights) if self.greedy else weights, decisions.random_numbers)
