"""Compute a strategy for heads-up limit hold'em by CFR with public chance sampling, for the player `cfr`.

The run folder is an agent. The strategy of `cfr_large` is such a run: `solvers/data` says with which settings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from card_baselines.run_folder import RunFolder
from card_baselines.solvers.bucket_learner import BucketConfig, BucketLearner
from card_baselines.solvers.bucket_strategy import BucketStrategy
from card_baselines.solvers.cfr import STRATEGY
from card_baselines.solvers.hand_buckets import HandBuckets
from card_baselines.solvers.public_chance_cfr import PublicChanceCfr
from card_baselines.solvers.public_chance_cfr_br import PublicChanceCfrBr
from card_baselines.solvers.solver_run import make_algorithm
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig


@dataclass(frozen=True, kw_only=True)
class Config(BucketConfig):
    """Settings of a run; it ends with the first of iterations and minutes."""

    iterations: int = 100_000
    """Boards that are drawn; on each, both players learn with all their hands against all of the opponent's."""
    minutes: float = 0.0
    width: int = 32
    """Flop, turn and river have width * width buckets of hands each."""
    cfr_br: bool = False
    """Each player learns against a responder that plays the best response on the river, not against the other player
    (CFR-BR): harder to exploit, and an iteration costs 2.6 times as much."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "equity", "cfr_small")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 20_000
    final_hands: int = 100_000


class PublicChanceLearner(BucketLearner):
    """Public chance sampling, plain or CFR-BR."""

    iterations_at_once = 20

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with nothing."""
        super().__init__(config)
        self._config = config

    def make_solver(self, buckets: HandBuckets, turn: NDArray[np.uint16]) -> PublicChanceCfr:
        """Return a new solver of heads-up limit hold'em."""
        solver = PublicChanceCfrBr if self._config.cfr_br else PublicChanceCfr
        return solver(HoldemConfig.limit(), buckets, turn, self._config.seed)

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy with its buckets."""
        with replace_file(run.path / STRATEGY) as temporary:
            BucketStrategy(self.solver.strategy(), self.solver.buckets).save(temporary)


ALGORITHM = make_algorithm("public_chance_cfr", Config, PublicChanceLearner, checkpoint_seconds=600.0)
