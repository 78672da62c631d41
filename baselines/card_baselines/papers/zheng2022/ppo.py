"""The PPO that the paper compares with, as its code runs: small, on-policy in batches of 50 decisions, one at a time.

One-step advantages with raw rewards, critic targets with standardised ones and a slow copy of the critic, no entropy
term, no mask in the loss. The paper speaks of an adaptive KL penalty; the code clips.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.networks import NetworkLearners, make_network, to_tensors
from card_baselines.papers.zheng2022.situation import NUM_COLUMNS
from card_baselines.papers.zheng2022.stacks import Stack, make_networks
from card_envs.agent import Decisions, choose
from card_envs.agent.probabilities import softmax
from card_envs.typing import Rows

DECISIONS, PASSES = 50, 5
"""Decisions between two trainings, all of which are learned from, and how often."""
GAMMA, CLIP, EXPLORATION, TARGET_SHARE = 0.99, 0.2, 0.1, 0.01
ACTOR_LEARNING_RATE, CRITIC_LEARNING_RATE = 5e-5, 5e-4
_TINY = 1e-8


class PpoLearners(NetworkLearners):
    """Learners of the paper's PPO."""

    name = "zheng2022_ppo"
    kind = "ppo"
    steps_of_training = 2 * PASSES * DECISIONS

    def __init__(self, seeds: Sequence[int]) -> None:
        """Start from random networks."""
        super().__init__(seeds, stream=2)
        self.played = Stack(make_networks(lambda: make_network("ppo"), seeds), ACTOR_LEARNING_RATE)
        critics = make_networks(lambda: make_network("ppo", outputs=1), [seed + 1_000_000 for seed in seeds])
        self._critics, self._targets = Stack(critics, CRITIC_LEARNING_RATE), Stack(critics, 0.0)

    def choose_columns(self, decisions: Decisions, outputs: NDArray[np.float32], legal: NDArray[np.uint8]) -> Rows:
        """Return sampled columns; one in ten is any of the four, legal or not."""
        numbers, probabilities = decisions.random_numbers, softmax(outputs.astype(np.float64), legal)
        any_column = (numbers / EXPLORATION * NUM_COLUMNS).astype(np.int64)
        explores = numbers < EXPLORATION
        kept = np.where(explores, numbers / EXPLORATION, (numbers - EXPLORATION) / (1 - EXPLORATION))
        return np.where(explores, any_column, choose(probabilities, kept))

    def needs_training(self) -> NDArray[np.bool_]:
        """Return who has 50 decisions."""
        return np.array([len(queue) >= DECISIONS for queue in self.queues])

    def train(self, tables: Rows) -> None:
        """Make five passes over 50 decisions, each a batch of its own."""
        taken = np.stack([[self.queues[table].popleft() for _ in range(DECISIONS)] for table in tables.tolist()])
        observations, columns, rewards, following, is_last, _ = to_tensors(taken)
        columns, future = columns[..., None], GAMMA * (1.0 - is_last)
        stacks = self.played, self._critics, self._targets
        actors, critics, targets = (nets.part(tables) for nets in stacks)
        advantages = rewards + future * critics(following)[..., 0] - critics(observations)[..., 0]
        old = torch.log_softmax(actors(observations), dim=-1).gather(-1, columns)
        standard = (rewards - rewards.mean(dim=1, keepdim=True)) / (rewards.std(dim=1, keepdim=True) + _TINY)
        order = torch.from_numpy(np.array([self.rngs[t].permutation(DECISIONS) for t in tables.tolist()]))
        rows = torch.arange(len(tables))

        def actor_loss(flat: torch.Tensor) -> torch.Tensor:
            now = torch.log_softmax(actors(observations[rows, pick][:, None], flat), dim=-1)[:, 0]
            ratio = torch.exp(now.gather(-1, columns[rows, pick]) - old[rows, pick])[:, 0]
            gain = ratio * advantages[rows, pick]
            return -torch.minimum(gain, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[rows, pick])

        def critic_loss(flat: torch.Tensor) -> torch.Tensor:
            value = critics(observations[rows, pick][:, None], flat)[:, 0, 0]
            return (value - goals[rows, pick]) ** 2

        for _ in range(PASSES):
            goals = standard + future * targets(following)[..., 0]
            for pick in order.T:  # noqa: B007  both losses read it
                actors.step(actor_loss)
                critics.step(critic_loss)
            targets.flat.lerp_(critics.flat, TARGET_SHARE)
        for nets, part in zip(stacks, (actors, critics, targets), strict=True):
            nets.write(tables, part)
