"""Double DQN with the settings of RLCard 1.2's `DQNAgent`, two hidden layers of 64: what the paper compares with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.networks import TRANSITION, NetworkLearners, make_network, to_tensors
from card_baselines.papers.zheng2022.stacks import Stack, make_networks
from card_envs.agent import Decisions, choose, likeliest
from card_envs.typing import Rows

LEARNING_RATE, GAMMA, BATCH = 5e-5, 0.99, 32
MEMORY, FIRST_TRAINING, TARGET_PERIOD = 20_000, 100, 1000
EPSILONS = np.linspace(1.0, 0.1, 20_000)
"""Probability of a random action, by the number of decisions learned from."""


class DqnLearners(NetworkLearners):
    """Learners of RLCard's DQN."""

    name = "zheng2022_dqn"
    kind = "dqn"
    steps_of_training = 4

    def __init__(self, seeds: Sequence[int]) -> None:
        """Start from random networks and empty memories."""
        super().__init__(seeds, stream=3)
        networks = make_networks(lambda: make_network("dqn"), seeds)
        self.played, self.targets = Stack(networks, LEARNING_RATE), Stack(networks, 0.0)
        self._memory = np.zeros((len(seeds), MEMORY), TRANSITION)
        self._total, self._trained = np.zeros(len(seeds), np.int64), np.zeros(len(seeds), np.int64)

    def choose_columns(self, decisions: Decisions, outputs: NDArray[np.float32], legal: NDArray[np.uint8]) -> Rows:
        """Return the best legal columns, or any legal ones with the probability of the moment."""
        epsilon = EPSILONS[np.minimum(self._total[decisions.table_ids], len(EPSILONS) - 1)][:, None]
        probabilities = epsilon * legal / legal.sum(axis=1, keepdims=True)
        probabilities += (1 - epsilon) * likeliest(np.where(legal == 1, outputs, -np.inf))
        return choose(probabilities, decisions.random_numbers)

    def needs_training(self) -> NDArray[np.bool_]:
        """Return who has decisions that it has not learned from."""
        return np.array([len(queue) > 0 for queue in self.queues])

    def train(self, tables: Rows) -> None:
        """Store decision after decision, and train once after each."""
        while len(tables):
            for table in tables.tolist():
                self._memory[table, self._total[table] % MEMORY] = self.queues[table].popleft()
                self._total[table] += 1
            self._train_once(tables[self._total[tables] >= FIRST_TRAINING])
            tables = tables[[len(self.queues[table]) > 0 for table in tables.tolist()]]

    def _train_once(self, tables: Rows) -> None:
        if len(tables) == 0:
            return
        every = np.arange(len(self.played))[:, None]
        filled = np.minimum(np.maximum(self._total, BATCH), MEMORY)
        picked = np.stack([rng.choice(int(n), BATCH, replace=False) for rng, n in zip(self.rngs, filled, strict=True)])
        seen, columns, rewards, later, is_last, legal = to_tensors(self._memory[every, picked])
        best = self.played(later).masked_fill(legal == 0, -torch.inf).argmax(dim=-1, keepdim=True)
        goals = rewards + GAMMA * (1 - is_last) * self.targets(later).gather(-1, best)[..., 0]

        def loss(flat: torch.Tensor) -> torch.Tensor:
            values = self.played(seen, flat, training=True).gather(-1, columns[..., None])[..., 0]
            return ((values - goals) ** 2).mean(dim=-1)

        self.played.step(loss, np.isin(np.arange(len(self.played)), tables))
        due = tables[self._trained[tables] % TARGET_PERIOD == 0]
        self.targets.write(due, self.played.part(due))
        self._trained[tables] += 1
