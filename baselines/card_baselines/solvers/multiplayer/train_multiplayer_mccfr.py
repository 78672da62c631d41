"""Training script `multiplayer_mccfr`: a strategy for Texas hold'em at any number of seats.

The shipped strategies of `cfr_limit_six_max` and `cfr_no_limit_six_max` are such runs; `solvers/data` holds their
settings.
"""

from __future__ import annotations

from dataclasses import dataclass

from card_baselines.run_folder import RunFolder
from card_baselines.solvers.buckets.board_buckets import BoardBuckets
from card_baselines.solvers.multiplayer.mccfr import MultiplayerMccfr
from card_baselines.solvers.multiplayer.public_state import MAX_ACTIONS
from card_baselines.solvers.multiplayer.strategy import make_strategy
from card_baselines.solvers.stored_strategy import STRATEGY
from card_baselines.solvers.training import BucketConfig, BucketLearner, EnvConfig, make_algorithm
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem


@dataclass(frozen=True, kw_only=True)
class Config(EnvConfig, BucketConfig):
    """Settings of a run; it ends when the iterations or the minutes are used up."""

    settings: tuple[str, ...] = ("num_players=6",)
    """Environment arguments."""
    iterations: int = 1_000_000_000
    """Deals; in each, every player learns in turn."""
    minutes: float = 40.0
    width: int = 10
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "position_ranges", "equity")
    """Agents that have all other seats in the matches of an evaluation."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 20_000
    final_hands: int = 100_000


class MultiplayerLearner(BucketLearner):
    """Runs `MultiplayerMccfr`."""

    iterations_at_once = 50

    def __init__(self, config: Config, game: Game) -> None:
        """Start a new run; ValueError for other games than Texas hold'em with a few bet sizes."""
        if not is_texas_holdem(game) or game.num_actions > MAX_ACTIONS:
            raise ValueError(
                f"multiplayer_mccfr needs Texas hold'em with at most {MAX_ACTIONS} action ids: choose another bet_menu"
            )
        super().__init__(config)
        self._game = game

    def make_solver(self) -> MultiplayerMccfr:
        """Return a new solver."""
        return MultiplayerMccfr(self._game, BoardBuckets(*self.tables), self._settings.seed, self.num_threads)

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy with its buckets."""
        strategy = make_strategy(self._game.config, self.solver.states, self.tables[0])
        with replace_file(run.path / STRATEGY) as temporary:
            strategy.save(temporary)


ALGORITHM = make_algorithm(
    "multiplayer_mccfr",
    Config,
    MultiplayerLearner,
    600.0,
    env=Config.env,
    agent="public_state_cfr",
    presets={
        "cfr_limit_six_max": Config(
            env="limit_holdem-v0", panel=("always_call", "tight_aggressive", "equity", "ppo_limit_six_max")
        ),
        "cfr_no_limit_six_max": Config(
            panel=("always_call", "tight_aggressive", "position_ranges", "ppo_no_limit_six_max")
        ),
    },
)
