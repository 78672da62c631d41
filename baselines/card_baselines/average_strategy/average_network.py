"""The average of all strategies of a run as one network, for games of any size.

A reservoir keeps a sample of the strategies' decisions, which a policy network learns to predict (Heinrich and Silver
2016; Brown et al. 2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.mlp_policy import MlpPolicy, save_policy
from card_baselines.learning.adam import Adam
from card_baselines.learning.memories import DecisionReservoir
from card_baselines.learning.optimisation import take_steps
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.checkpoint import tables_part
from card_baselines.runs.learner import LearnerCallback
from card_envs.agent import choose
from card_envs.agent.probabilities import softmax
from card_envs.game import Game
from card_envs.rng import make_generator

NETWORK_FOLDER = "average_network"
"""Folder inside the run folder that plays the average."""
_DEALS = 64
"""Deals that `NetworkAverage` plays after each update."""
_STEPS = 4
"""Optimiser steps that it takes then."""


class AverageNetwork:
    """A reservoir of decisions and the policy network that is fitted to it."""

    def __init__(
        self, game: Game, hidden: Sequence[int], capacity: int, learning_rate: float, device: torch.device
    ) -> None:
        """Make an empty reservoir and a network with random weights."""
        self.reservoir = DecisionReservoir(capacity, game, "probabilities")
        """Decisions with the probabilities of the strategy that decided, or 1 for the action that it took."""
        self.policy = MlpPolicy(game.layout.size, list(hidden), game.num_actions, "relu").to(device)
        self.optimiser = Adam(self.policy.parameters(), learning_rate, fused=True)
        self._device = device

    def fit(self, rng: np.random.Generator, steps: int, batch: int) -> float:
        """Take optimiser steps on minibatches of the reservoir; return the mean cross-entropy, 0 without decisions."""
        if not len(self.reservoir):
            return 0.0
        heaviest = float(self.reservoir.column("weight").max())

        def compute_loss() -> torch.Tensor:
            rows = self.reservoir.sample(rng, batch, self._device)
            logits = self.policy(rows["observation"].float()).masked_fill(rows["action_mask"] == 0, -1e9)
            cross_entropy = -(rows["probabilities"] * torch.log_softmax(logits, dim=1)).sum(dim=1)
            return (rows["weight"] / heaviest * cross_entropy).mean()

        return take_steps(self.optimiser, compute_loss, steps)

    @property
    def parts(self) -> Mapping[str, Any]:
        """What a checkpoint holds, see `runs.checkpoint.collect_parts`."""
        return {"policy": self.policy, "adam": self.optimiser, "reservoir": self.reservoir}


class NetworkAverage(LearnerCallback):
    """Callback of self-play that fits one network to decisions of all its policies; that of update t has the weight t.

    After each update the policy plays some deals at one seat against uniformly random play. Against fixed opponents,
    the frequency of a decision depends only on the policy's own actions, as the average of strategies requires; in
    self-play it would also depend on the opponents' current policy.
    """

    def __init__(self, game: Game, hidden: Sequence[int], seed: int, device: torch.device) -> None:
        """Start with a new network and an empty reservoir."""
        with torch.random.fork_rng(devices=[]):  # the random numbers of the run do not depend on this callback
            torch.manual_seed(seed)
            self.average = AverageNetwork(game, hidden, 1_000_000, 1e-3, device)
        self._game = game
        self._rng = make_generator(seed, 6)
        self._tables = game.seeded_tables(_DEALS, seed, first_table=2**40)

    def on_update(self, learner: Any) -> dict[str, float]:
        """Add decisions of the latest policy, and fit the network."""
        self._play(learner.network.policy, float(learner.updates))
        return {"average_loss": self.average.fit(self._rng, _STEPS, 1024)}

    def _play(self, policy: torch.nn.Module, weight: float) -> None:
        """Play the deals, and add the policy's decisions to the reservoir."""
        game, tables = self._game, self._tables
        rows = np.arange(len(tables))
        game.deal_batch(tables, rows)
        own_seat = self._rng.integers(game.num_seats, size=len(tables))
        device = next(policy.parameters()).device
        while len(rows):
            observation, mask = game.observe_actors(tables, rows)
            is_own = tables["actor"][rows] == own_seat[rows]
            with torch.inference_mode():
                logits = policy(torch.from_numpy(observation).to(device).float()).cpu().numpy()
            strategy = softmax(logits, mask)
            self.average.reservoir.add_decisions(self._rng, observation[is_own], mask[is_own], strategy[is_own], weight)
            actions = choose(np.where(is_own[:, None], strategy, mask), self._rng.random(len(rows)))
            rewards, is_over = np.empty((len(rows), game.num_seats), np.float32), np.empty(len(rows), np.uint8)
            game.step_batch(tables, rows, actions, rewards, is_over, False)
            rows = rows[is_over == 0]

    def save_policy(self, run: RunFolder) -> None:
        """Write the folder that plays the network."""
        sizes = [layer.out_features for layer in self.average.policy.layers if isinstance(layer, torch.nn.Linear)]
        folder = run.make_inner(NETWORK_FOLDER, agent="mlp", hidden=sizes[:-1], activation="relu")
        save_policy(self.average.policy, folder.path / WEIGHTS)

    def parts(self, learner: Any) -> Mapping[str, Any]:
        """Return the network with its memory, the tables, and the random generator."""
        return {"average": self.average.parts, "rng": self._rng, "tables": tables_part(self._game, self._tables)}
