"""External-sampling Monte Carlo CFR with a table: the reference for the neural learners in small games.

The solver is `solvers.sampled_cfr`. Its traversals are those of `sd_cfr`, but it learns after each deal, and a table is
in the place of a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from card_baselines.agents.learned.tabular_policy import AGENT, save_strategy
from card_baselines.neural.external_sampling import require_two_players
from card_baselines.run_folder import RunFolder
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.checkpoint import Part, read_count
from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST, MeasuredLearner
from card_baselines.runs.ranges import AT_LEAST_1
from card_baselines.solvers.sampled_cfr import SampledCfr
from card_envs.agent import Decisions
from card_envs.game import Game
from card_envs.typing import Floats


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings of a run."""

    env: str = "leduc_holdem-v0"
    traversals: Annotated[int, AT_LEAST_1] = 1000
    """Number of deals that each player traverses in an iteration."""
    variant: str = "cfr"
    """How iterations are weighted: a name in `solvers.regret.SCHEDULES`, without predictions."""
    panel: tuple[str, ...] = ("random", "always_call")
    evaluation_hands: int = 2_000
    final_hands: int = 10_000


class TabularMccfr(MeasuredLearner):
    """The learner: the solver, and the tree of the game on which its strategies are measured."""

    def __init__(self, config: Config, game: Game) -> None:
        """Start with the uniform strategy; ValueError for large games and for more than two players."""
        require_two_players(game)
        super().__init__(game, measures_exploitability=True)
        assert self.meter is not None
        self._tree = self.meter.tree
        self.solver = SampledCfr(self._tree, config.seed, config.variant, config.traversals)

    @property
    def num_steps(self) -> int:
        """Number of decisions visited so far."""
        return self.solver.num_decisions

    def update(self, fraction: float) -> dict[str, float]:
        """Run one iteration; returns measures."""
        self.solver.run(1)
        return {"iterations": float(self.solver.iterations)}

    def strategies(self, decisions: Decisions) -> dict[str, Floats]:
        """Return the latest strategy and the average."""
        return {LATEST: self.solver.latest_strategy(), AVERAGE: self.solver.strategy()}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy as a table."""
        save_strategy(run, self._tree.decisions.observation, self.solver.strategy())

    @property
    def parts(self) -> Mapping[str, Any]:
        """The state of the solver."""
        solver = self.solver
        return {
            "solver": Part(
                lambda: {**solver.state(), "iterations": solver.iterations},
                lambda state: solver.restore(state, read_count(state, "iterations")),
            )
        }


PRESETS = {
    "leduc": Config(minutes=1.0, evaluation_seconds=5.0),
    "kuhn": replace(Config(), env="kuhn_poker-v0", traversals=200, minutes=0.2, evaluation_seconds=2.0),
}

ALGORITHM = make_game_algorithm("tabular_mccfr", Config, TabularMccfr, agent=AGENT, presets=PRESETS)
