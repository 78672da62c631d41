"""Callbacks of self-play learners that keep the average of all their policies, in games of any size.

Self-play may cycle, so that the average of all policies is less exploitable than the latest one. The policy of update t
has the weight t. Both callbacks write a folder inside the run folder that plays the average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.mlp_policy import save_policy
from card_baselines.average_strategy.average_network import AverageNetwork
from card_baselines.average_strategy.snapshots import Snapshots
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.checkpoint import tables_part
from card_baselines.runs.learner import LearnerCallback
from card_envs.agent import choose
from card_envs.agent.probabilities import softmax
from card_envs.game import Game

SNAPSHOTS_FOLDER, NETWORK_FOLDER = "average_snapshots", "average_network"
"""Folders inside the run folder that play the average."""


class SnapshotAverage(LearnerCallback):
    """Keeps copies of the network; the agent (`SnapshotAgent`) draws one of them for each deal."""

    def __init__(self, max_snapshots: int = 60) -> None:
        """Keep at most `max_snapshots` copies."""
        self.snapshots = Snapshots(max_snapshots)

    def on_update(self, learner: Any) -> dict[str, float]:
        """Add the latest policy."""
        self.snapshots.add(learner.network.policy, float(learner.updates))
        return {}

    def save_policy(self, run: RunFolder) -> None:
        """Write the folder that plays the mixture, as soon as there is a snapshot."""
        if len(self.snapshots):
            self.snapshots.save(run.make_inner(SNAPSHOTS_FOLDER, agent="snapshots", output="logits"))

    def parts(self, learner: Any) -> Mapping[str, Any]:
        """Return the snapshots, which must be of networks of the learner's shape."""
        return {"snapshots": self.snapshots.part_of(learner.network.policy)}


class NetworkAverage(LearnerCallback):
    """Fits one network to decisions of all policies of the run.

    After each update the policy plays some deals at one seat against uniformly random play. Against fixed opponents,
    the frequency of a decision depends only on the policy's own actions, as the average of strategies requires; in
    self-play it would also depend on the opponents' current policy.
    """

    def __init__(
        self, game: Game, hidden: Sequence[int], seed: int, device: torch.device, num_deals: int = 64, steps: int = 4
    ) -> None:
        """Play `num_deals` deals and take `steps` optimiser steps after each update."""
        with torch.random.fork_rng(devices=[]):  # the random numbers of the run do not depend on this callback
            torch.manual_seed(seed)
            self.average = AverageNetwork(game, hidden, 1_000_000, 1e-3, device)
        self._game, self._steps = game, steps
        self._rng = np.random.default_rng([seed % 2**64, 6])
        self._tables = game.seeded_tables(num_deals, seed, first_table=2**40)

    def on_update(self, learner: Any) -> dict[str, float]:
        """Add decisions of the latest policy, and fit the network."""
        self._play(learner.network.policy, float(learner.updates))
        return {"average_loss": self.average.fit(self._rng, self._steps, 1024)}

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
