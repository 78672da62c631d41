"""Training script `mccfr`: a strategy for heads-up limit hold'em by Monte Carlo CFR with buckets of similar equity.

The shipped strategy of `cfr_small` is such a run; `solvers/data/limit_holdem_heads_up.json` holds its settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from card_baselines.run_folder import RunFolder
from card_baselines.runs.config import require
from card_baselines.solvers.buckets.equity_buckets import equal_bounds
from card_baselines.solvers.limit.mccfr import Mccfr
from card_baselines.solvers.limit.strategies import STRATEGY, EquityStrategy
from card_baselines.solvers.training import SolverConfig, SolverLearner, make_algorithm
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig


@dataclass(frozen=True, kw_only=True)
class Config(SolverConfig):
    """Settings of a run; it ends when the iterations or the minutes are used up."""

    iterations: int = 4_000_000
    """Deals that are played through, for both players."""
    minutes: float = 60.0
    buckets: int = 40
    """Buckets of hands on each street after the first."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "shi_rules", "equity")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 600.0
    evaluation_hands: int = 2000
    final_hands: int = 50_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 2, "buckets")


class MccfrLearner(SolverLearner):
    """Runs `Mccfr`."""

    iterations_at_once = 20_000

    def __init__(self, config: Config, game: Game) -> None:
        """Start a new run; `game` is heads-up limit hold'em."""
        super().__init__(config)
        self._config = config

    def make_solver(self) -> Mccfr:
        """Return a new solver."""
        config = self._config
        return Mccfr(HoldemConfig.limit(), equal_bounds(config.buckets, config.seed), config.seed)

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy."""
        with replace_file(run.path / STRATEGY) as temporary:
            EquityStrategy(self.solver.strategy(), self.solver.bounds).save(temporary)


ALGORITHM = make_algorithm("mccfr", Config, MccfrLearner)
