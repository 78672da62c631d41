"""External-sampling Monte Carlo CFR with a table: the reference for the neural learners in small games.

Lanctot et al. (2009), with the traversals, linear weights and exact average of `sd_cfr`, but a table of mean advantages
in place of the network. The difference between both is the approximation error of the network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.learned.tabular_policy import AGENT, save_strategy
from card_baselines.average_strategy.snapshots import match_regrets
from card_baselines.neural.advantage_memory import MeanAdvantages
from card_baselines.neural.external_sampling import deal, traverse
from card_baselines.neural.measured_learner import MeasuredLearner
from card_baselines.run_folder import RunFolder
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.checkpoint import (
    join_parts,
    load_state,
    read_count,
    restore_rng,
    restore_tables,
    save_state,
    strip_prefix,
    to_arrays,
)
from card_baselines.runs.config import GameRunConfig, require
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST
from card_envs.agent import Decisions
from card_envs.game import Game
from card_envs.typing import Floats

_MAX_STATES = 1_000_000
NUM_PLAYERS = 2


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings of a run."""

    env: str = "leduc_holdem-v0"
    traversals: int = 1000
    """Number of deals that each player traverses in an iteration."""
    panel: tuple[str, ...] = ("random", "always_call")
    evaluation_hands: int = 2_000
    final_hands: int = 10_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 1, "traversals")


class TabularMccfr(MeasuredLearner):
    """The learner: the table of advantages and the exact average strategy."""

    def __init__(self, config: Config, game: Game) -> None:
        """Start with the uniform strategy; ValueError for large games and for more than two players."""
        if game.num_seats != NUM_PLAYERS:
            raise ValueError(f"tabular_mccfr is for two players, {game.name} has {game.num_seats} seats")
        super().__init__(game, measures_exploitability=True)
        self.config = config
        self.table = MeanAdvantages(_MAX_STATES, game)
        self.rng = np.random.default_rng([config.seed % 2**64, 5])
        self._tables = game.seeded_tables(config.traversals, config.seed)
        self.decisions = self.iterations = 0

    @property
    def num_steps(self) -> int:
        """Number of decisions visited so far."""
        return self.decisions

    def strategy(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Floats:
        """Return the strategy of regret matching (n, num_actions)."""
        return match_regrets(self.table.sums(observation), action_mask)

    def update(self, fraction: float) -> dict[str, float]:
        """Run one iteration, which updates the players in turn; returns measures."""
        for player in range(NUM_PLAYERS):
            deal(self.game, self._tables)
            first = self._tables["actor"].astype(np.int64)
            traversers = first if player == 0 else 1 - first
            samples = traverse(self.game, self._tables, traversers, self.strategy, self.rng)
            self.table.add(self.rng, samples, float(self.iterations + 1))
            self.decisions += samples.num_decisions
        self.iterations += 1
        self.add_to_average(self.strategy, float(self.iterations))
        return {"iterations": float(self.iterations)}

    def strategies(self, decisions: Decisions) -> dict[str, Floats]:
        """Return the latest strategy and the average."""
        return {LATEST: self.strategy(decisions.observation, decisions.action_mask), AVERAGE: self.exact_average()}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy as a table."""
        assert self._tree is not None
        save_strategy(run, self._tree.decisions.observation, self.exact_average())

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write table, average, tables and the random generator."""
        parts: dict[str, Mapping[str, Any]] = {
            "table": self.table.state(),
            "exploitability": self.exploitability_state(),
            "tables": {"records": self._tables.view(np.uint8)},
        }
        counts = {"decisions": self.decisions, "iterations": self.iterations}
        save_state(path, join_parts(parts), {**progress, **counts, "rng": json.dumps(self.rng.bit_generator.state)})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; returns the progress that was saved with it."""
        tensors, progress = load_state(path)
        self.table.restore(to_arrays(strip_prefix("table.", tensors)))
        self.restore_exploitability(strip_prefix("exploitability.", tensors))
        restore_tables(self.game, self._tables, "tables.records", tensors["tables.records"].numpy())
        restore_rng(self.rng, json.loads(progress["rng"]))
        self.decisions, self.iterations = read_count(progress, "decisions"), read_count(progress, "iterations")
        return progress


PRESETS = {
    "leduc": Config(minutes=1.0, evaluation_seconds=5.0),
    "kuhn": replace(Config(), env="kuhn_poker-v0", traversals=200, minutes=0.2, evaluation_seconds=2.0),
}

ALGORITHM = make_game_algorithm("tabular_mccfr", Config, TabularMccfr, agent=AGENT, presets=PRESETS)
