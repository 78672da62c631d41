"""Training script `public_chance_cfr`: a strategy for heads-up limit hold'em by CFR with public chance sampling.

The shipped strategy of `cfr_large` is such a run; `solvers/data/limit_holdem_heads_up_large.json` holds its settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from card_baselines.run_folder import RunFolder
from card_baselines.solvers.limit.cfr_br import PublicChanceCfrBr
from card_baselines.solvers.limit.public_chance_cfr import PublicChanceCfr
from card_baselines.solvers.limit.strategies import STRATEGY, BucketStrategy
from card_baselines.solvers.training import BucketConfig, BucketLearner, make_algorithm
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig


@dataclass(frozen=True, kw_only=True)
class Config(BucketConfig):
    """Settings of a run; it ends when the iterations or the minutes are used up."""

    iterations: int = 100_000
    """Boards that are drawn; on each, both players learn with all their hands against all of the opponent's."""
    minutes: float = 0.0
    width: int = 32
    cfr_br: bool = False
    """Each player learns against a responder that plays the best response on the river, not against the other player
    (CFR-BR): harder to exploit, and an iteration costs 2.6 times as much."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "equity", "cfr_small")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 20_000
    final_hands: int = 100_000


class PublicChanceLearner(BucketLearner):
    """Runs `PublicChanceCfr` or `PublicChanceCfrBr`."""

    iterations_at_once = 20

    def __init__(self, config: Config, game: Game) -> None:
        """Start a new run; `game` is heads-up limit hold'em."""
        super().__init__(config)
        self._config = config

    def make_solver(self) -> PublicChanceCfr:
        """Return a new solver."""
        solver = PublicChanceCfrBr if self._config.cfr_br else PublicChanceCfr
        return solver(HoldemConfig.limit(), *self.tables, self._config.seed, self.num_threads)

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy with its buckets."""
        with replace_file(run.path / STRATEGY) as temporary:
            BucketStrategy(self.solver.strategy(), self.solver.buckets).save(temporary)


ALGORITHM = make_algorithm("public_chance_cfr", Config, PublicChanceLearner, checkpoint_seconds=600.0)
