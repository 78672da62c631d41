"""Training script `cfr`: an equilibrium of a small two-player game by any variant of CFR, and the agent that plays it.

Every variant in `regret.SCHEDULES` has a preset of its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from card_baselines.run_folder import RunFolder
from card_baselines.solvers.regret import SCHEDULES
from card_baselines.solvers.training import EnvConfig, SolverLearner, make_algorithm
from card_baselines.solvers.vector_cfr import VectorCfr
from card_baselines.solvers.vector_game import STRATEGY, VectorGame, VectorStrategy
from card_envs.agent import Decisions, StochasticAgent
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.typing import Floats

AGENT = "vector_cfr"


@dataclass(frozen=True, kw_only=True)
class Config(EnvConfig):
    """Settings of a run; it ends when the iterations or the minutes are used up."""

    env: str = "leduc_holdem-v0"
    """Environment id: two players, and cards that come at most once after the first bets."""
    variant: str = "discounted_cfr"
    """How regrets and strategies are weighted: cfr, cfr_plus, linear_cfr, discounted_cfr or predictive_cfr_plus."""
    iterations: int = 1_000
    """In each, both players learn with every hand on every board."""
    minutes: float = 10.0
    panel: tuple[str, ...] = ("random", "always_call")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 60.0
    evaluation_hands: int = 2_000
    final_hands: int = 10_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for unknown variants and numbers out of range."""
        super().__post_init__()
        if self.variant not in SCHEDULES:
            raise ValueError(f"variant {self.variant!r} is not known: choose one of {sorted(SCHEDULES)}")


class CfrLearner(SolverLearner):
    """Runs `VectorCfr`."""

    iterations_at_once = 100

    def __init__(self, config: Config, game: Game) -> None:
        """Start a new run; ValueError for games that are no `VectorGame`."""
        super().__init__(config)
        self._solver = VectorCfr(game, config.variant)

    def make_solver(self) -> VectorCfr:
        """Return a new solver."""
        return self._solver

    def update(self, fraction: float) -> dict[str, float]:
        """Run some iterations; return the exploitability of the average strategy."""
        super().update(fraction)
        return {"exploitability": self._solver.exploitability}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy."""
        with replace_file(run.path / STRATEGY) as temporary:
            self._solver.strategy().save(temporary)


class VectorCfrAgent(StochasticAgent):
    """Plays the strategy of a run of `card-envs train cfr`.

    Args:
        game: The game of the run.
        folder: The run folder.

    Raises:
        ValueError: For other games.
    """

    def __init__(self, game: Game, folder: Path) -> None:
        self.name = folder.name
        self._strategy = VectorStrategy.load(folder / STRATEGY, VectorGame(game))

    def compute_probabilities(self, decisions: Decisions) -> Floats:
        """Return the probabilities of the actions, (n, num_actions)."""
        return self._strategy.probabilities(decisions.views)


ALGORITHM = make_algorithm(
    "cfr", Config, CfrLearner, env=Config.env, agent=AGENT,
    presets={variant: Config(variant=variant) for variant in SCHEDULES},
)  # fmt: skip
