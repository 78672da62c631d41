"""Double DQN with the settings of RLCard 1.2's `DQNAgent`, two hidden layers of 64: what the paper compares with."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.duel import Hand, Learners
from card_baselines.papers.zheng2022.networks import (
    ENCODER,
    OBSERVATION_SIZE,
    NetworkAgent,
    Transition,
    Transitions,
    find_legal_columns,
    make_network,
    to_actions,
)
from card_baselines.papers.zheng2022.situation import NUM_COLUMNS
from card_baselines.papers.zheng2022.stacks import Stack, make_networks
from card_envs.agent import Decisions, choose
from card_envs.typing import Rows

LEARNING_RATE, GAMMA, BATCH = 5e-5, 0.99, 32
MEMORY, FIRST_TRAINING, TARGET_PERIOD = 20_000, 100, 1000
EPSILONS = np.linspace(1.0, 0.1, 20_000)
"""Probability of a random action, by the number of decisions learned from."""


class DqnLearners(Learners):
    """Learners of RLCard's DQN, one run at each table."""

    name = "zheng2022_dqn"
    steps_of_training = 4
    encoder = ENCODER

    def __init__(self, seeds: Sequence[int]) -> None:
        """Start from random networks and empty memories."""
        networks = make_networks(lambda: make_network("dqn"), seeds)
        self._networks, self._targets = Stack(networks, LEARNING_RATE), Stack(networks, 0.0)
        shape = len(seeds), MEMORY, OBSERVATION_SIZE
        self._seen, self._following = np.zeros(shape, np.int8), np.zeros(shape, np.int8)  # the numbers are 0 and 1
        self._columns, self._rewards = np.zeros(shape[:2], np.int64), np.zeros(shape[:2], np.float32)
        self._is_last, self._legal = np.zeros(shape[:2], np.float32), np.zeros((*shape[:2], NUM_COLUMNS), np.uint8)
        self._total, self._trained = np.zeros(len(seeds), np.int64), np.zeros(len(seeds), np.int64)
        self._transitions = Transitions(len(seeds))
        self._queues: list[deque[Transition]] = [deque() for _ in seeds]
        self._rngs = [np.random.default_rng([seed, 3]) for seed in seeds]

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Rows:
        """Return the best legal action for each decision, or any legal one with the probability of the moment."""
        legal, tables = find_legal_columns(decisions), decisions.table_ids
        seen = np.asarray(decisions.observation, np.float32)
        values = np.where(legal == 1, self._networks.compute_at(tables, seen).numpy(), -np.inf)
        epsilon = EPSILONS[np.minimum(self._total[tables], len(EPSILONS) - 1)][:, None]
        probabilities = epsilon * legal / legal.sum(axis=1, keepdims=True)
        probabilities += (1 - epsilon) * np.eye(NUM_COLUMNS)[values.argmax(axis=1)]
        columns = choose(probabilities, decisions.random_numbers)
        self._transitions.add(decisions, columns, legal)
        return to_actions(columns, legal)

    def learn(self, table: int, hand: Hand, seat: int) -> None:
        """Queue the decisions of a hand."""
        self._queues[table].extend(self._transitions.pop_hand(table, hand, seat))

    def needs_training(self) -> NDArray[np.bool_]:
        """Return who has decisions that it has not learned from."""
        return np.array([len(queue) > 0 for queue in self._queues])

    def train(self, tables: Rows) -> None:
        """Store decision after decision, and train once after each."""
        while len(tables):
            for table in tables.tolist():
                self._store(table, self._queues[table].popleft())
            self._train_once(tables[self._total[tables] >= FIRST_TRAINING])
            tables = tables[[len(self._queues[table]) > 0 for table in tables.tolist()]]

    def _store(self, table: int, step: Transition) -> None:
        place = self._total[table] % MEMORY
        self._seen[table, place], self._following[table, place] = step.observation, step.next_observation
        self._columns[table, place], self._rewards[table, place] = step.column, step.reward
        self._is_last[table, place], self._legal[table, place] = step.is_last, step.next_legal
        self._total[table] += 1

    def _train_once(self, tables: Rows) -> None:
        if len(tables) == 0:
            return
        every = np.arange(len(self._networks))[:, None]
        filled = np.minimum(np.maximum(self._total, BATCH), MEMORY)
        picked = np.stack([rng.choice(int(n), BATCH, replace=False) for rng, n in zip(self._rngs, filled, strict=True)])
        seen, following, columns, rewards, is_last, legal = (
            torch.from_numpy(kept[every, picked])
            for kept in (self._seen, self._following, self._columns, self._rewards, self._is_last, self._legal)
        )
        later = following.float()
        best = self._networks(later).masked_fill(legal == 0, -torch.inf).argmax(dim=-1, keepdim=True)
        goals = rewards + GAMMA * (1 - is_last) * self._targets(later).gather(-1, best)[..., 0]

        def loss(flat: torch.Tensor) -> torch.Tensor:
            values = self._networks(seen.float(), flat, training=True).gather(-1, columns[..., None])[..., 0]
            return ((values - goals) ** 2).mean(dim=-1)

        self._networks.step(loss, np.isin(np.arange(len(self._networks)), tables))
        due = tables[self._trained[tables] % TARGET_PERIOD == 0]
        self._targets.write(due, self._networks.part(due))
        self._trained[tables] += 1

    def make_player(self, table: int) -> NetworkAgent:
        """Return the trained player of a learner, which takes the best action."""
        return NetworkAgent.from_network("dqn", self._networks.network(table))
