"""The solvers that `card-envs train` runs: settings, learner and presets of each.

The shipped strategies are such runs; the files `solvers/data/*.json` hold their settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from card_baselines.runs.config import EnvArgs
from card_baselines.runs.ranges import AT_LEAST_0, AT_LEAST_2, SHARE
from card_baselines.solvers.buckets.equity_buckets import equal_bounds
from card_baselines.solvers.buckets.hand_buckets import BoardBuckets, HandBuckets, sort_buckets
from card_baselines.solvers.game_trees import is_two_player_menu
from card_baselines.solvers.limit.mccfr import Mccfr
from card_baselines.solvers.limit.public_chance_cfr import PublicChanceCfr, PublicChanceCfrBr
from card_baselines.solvers.menu_cfr import MenuCfr, require_memory
from card_baselines.solvers.multiplayer.mccfr import MultiplayerMccfr
from card_baselines.solvers.multiplayer.public_state import MAX_ACTIONS
from card_baselines.solvers.regret import SCHEDULES
from card_baselines.solvers.strategy import check_largest_river_bet
from card_baselines.solvers.training import (
    BucketConfig,
    BucketLearner,
    EnvConfig,
    SolverConfig,
    SolverLearner,
    make_algorithm,
)
from card_baselines.solvers.vector_cfr import VectorCfr
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem

# --- cfr: two-player games with small decks or few streets, every hand on every board ---------------------------------


@dataclass(frozen=True, kw_only=True)
class CfrConfig(EnvConfig):
    """Settings of a run of `cfr`; it ends when the iterations or the minutes are used up."""

    env: str = "leduc_holdem-v0"
    """Environment id: two players, and tables of every hand on every board that fit into memory."""
    variant: str = "discounted_cfr"
    """How regrets and strategies are weighted: a name in `regret.SCHEDULES`, each of which is a preset."""
    iterations: int = 1_000
    """In each, both players learn with every hand on every board, which takes five seconds in flop hold'em."""
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
    """Runs `VectorCfr`; ValueError for games that are no `VectorGame`."""

    iterations_at_once = 100
    _numbers_at_once = 7 * 10**9
    """In large games, the number of regrets that are updated at once, which takes about a minute."""

    def __init__(self, config: CfrConfig, game: Game) -> None:
        super().__init__(config, game)
        self.solver = VectorCfr(game, config.variant)
        numbers = sum(array.size for array in self.solver.state().values())
        self.iterations_at_once = max(1, min(self.iterations_at_once, self._numbers_at_once // numbers))

    def update(self, fraction: float) -> dict[str, float]:
        """Run some iterations; return the exploitability of the average strategy, and the value of the game.

        The value is that to the first seat, which has no button, and is known up to the exploitability.
        """
        super().update(fraction)
        first, button = self.solver.find_best_responses()
        return {"exploitability": float(first + button) / 2, "value": float(first - button) / 2}


CFR = make_algorithm(
    "cfr", CfrConfig, CfrLearner, 600.0, env=CfrConfig.env, agent="vector_cfr",
    presets={
        **{variant: CfrConfig(variant=variant) for variant in SCHEDULES},
        "cfr_flop": CfrConfig(
            env="flop_holdem-v0", variant="discounted_cfr_plus", iterations=400, minutes=360.0, evaluation_seconds=600.0
        ),
    },
)  # fmt: skip

# --- mccfr: heads-up limit hold'em, buckets of similar equity ---------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class MccfrConfig(SolverConfig):
    """Settings of a run of `mccfr`; it ends when the iterations or the minutes are used up."""

    iterations: int = 4_000_000
    """Deals that are played through, for both players."""
    minutes: float = 60.0
    buckets: Annotated[int, AT_LEAST_2] = 40
    """Buckets of hands on each street after the first."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "shi_rules", "equity")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 600.0
    evaluation_hands: int = 2000
    final_hands: int = 50_000


class MccfrLearner(SolverLearner):
    """Runs `Mccfr`; ValueError for tables that do not fit into memory."""

    iterations_at_once = 20_000

    def __init__(self, config: MccfrConfig, game: Game) -> None:
        Mccfr.require_memory(HoldemConfig.limit(), config.buckets)  # before their bounds, which many buckets slow down
        super().__init__(config, game)

    def make_solver(self) -> Mccfr:
        """Return a new solver."""
        config = self._config
        return Mccfr(HoldemConfig.limit(), equal_bounds(config.buckets, config.seed), config.seed)


MCCFR = make_algorithm("mccfr", MccfrConfig, MccfrLearner)

# --- public_chance_cfr: heads-up limit hold'em, all hands on drawn boards ---------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PublicChanceConfig(BucketConfig):
    """Settings of a run of `public_chance_cfr`; it ends when the iterations or the minutes are used up."""

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
    """Runs `PublicChanceCfr` or `PublicChanceCfrBr`; ValueError for tables that do not fit into memory."""

    iterations_at_once = 20

    def __init__(self, config: PublicChanceConfig, game: Game) -> None:
        self._make = PublicChanceCfrBr if config.cfr_br else PublicChanceCfr
        self._make.require_memory(HoldemConfig.limit(), config.hands_by_street)  # before buckets, which take minutes
        super().__init__(config, game)

    def make_solver(self) -> PublicChanceCfr:
        """Return a new solver."""
        return self._make(HoldemConfig.limit(), *self.tables, self._config.seed, self.num_threads)


PUBLIC_CHANCE_CFR = make_algorithm("public_chance_cfr", PublicChanceConfig, PublicChanceLearner, 600.0)

# --- menu_cfr: heads-up no-limit hold'em on a bet menu ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class MenuConfig(EnvConfig, BucketConfig):
    """Settings of a run of `menu_cfr`; it ends when the iterations or the minutes are used up."""

    iterations: int = 1_000_000
    """Boards that are drawn; on each, both players learn with all their hands against all of the opponent's."""
    minutes: float = 60.0
    width: int = 16
    responder_share: Annotated[float, SHARE] = 0.5
    """Share of the iterations in which the players learn against responders that play the best response on the river;
    in the others they learn against each other. 1 is CFR-BR, hard to exploit and timid, 0 plain CFR."""
    plain_iterations: Annotated[int, AT_LEAST_0] = 30_000
    """Iterations before the first with responders, none of which count in the average; not read without responders."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "equity", "ppo_no_limit_hu")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 5_000
    final_hands: int = 20_000


class MenuLearner(BucketLearner):
    """Runs `MenuCfr`; ValueError for other games than heads-up Texas hold'em with a bet menu, and for large ones."""

    iterations_at_once = 50

    def __init__(self, config: MenuConfig, game: Game) -> None:
        if not is_texas_holdem(game) or not is_two_player_menu(game.config):
            raise ValueError(
                "menu_cfr needs Texas hold'em for two with equal stacks and antes, and a bet menu of at most 6 raises"
            )
        require_memory(game.config, config.hands_by_street)  # before buckets, which take minutes
        super().__init__(config, game)

    def make_buckets(self) -> HandBuckets:
        """Return the buckets of a new run, numbered by strength."""
        return sort_buckets(super().make_buckets())

    def make_solver(self) -> MenuCfr:
        """Return a new solver."""
        config = self._config
        plain = config.plain_iterations if config.responder_share else None
        return MenuCfr(
            self._game.config, BoardBuckets(*self.tables), config.seed, plain_iterations=plain,
            responder_share=config.responder_share, num_threads=self.num_threads,
        )  # fmt: skip


MENU_CFR = make_algorithm(
    "menu_cfr", MenuConfig, MenuLearner, 600.0, env=MenuConfig.env, agent="cfr_no_limit",
    presets={
        "cfr_no_limit": MenuConfig(minutes=230.0),
        "cfr_no_limit_200": MenuConfig(
            env_args=("stacks=20000", "small_blind=50", "big_blind=100"), minutes=131.0, width=10
        ),
    },
)  # fmt: skip

# --- multiplayer_mccfr: Texas hold'em at any number of seats ----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class MultiplayerConfig(EnvConfig, BucketConfig):
    """Settings of a run of `multiplayer_mccfr`; it ends when the iterations or the minutes are used up."""

    env_args: EnvArgs = ("num_players=6",)
    """Environment arguments."""
    iterations: int = 1_000_000_000
    """Deals; in each, every player learns in turn."""
    minutes: float = 40.0
    width: int = 10
    largest_river_bet: int = 0
    """Bets on the river by more than this percentage of the pot are played as the next smaller one; 0 for no limit."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "position_ranges", "equity")
    """Agents that have all other seats in the matches of an evaluation."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 20_000
    final_hands: int = 100_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        check_largest_river_bet(self.largest_river_bet)


class MultiplayerLearner(BucketLearner):
    """Runs `MultiplayerMccfr`; ValueError for other games than Texas hold'em with a few bet sizes."""

    iterations_at_once = 50

    def __init__(self, config: MultiplayerConfig, game: Game) -> None:
        if not is_texas_holdem(game) or game.num_actions > MAX_ACTIONS:
            raise ValueError(
                f"multiplayer_mccfr needs Texas hold'em with at most {MAX_ACTIONS} action ids: choose another bet_menu"
            )
        MultiplayerMccfr.require_memory(game)  # before buckets, which take minutes
        super().__init__(config, game)

    def make_solver(self) -> MultiplayerMccfr:
        """Return a new solver."""
        config = self._config
        return MultiplayerMccfr(
            self._game, BoardBuckets(*self.tables), config.seed, self.num_threads, config.largest_river_bet
        )


MULTIPLAYER_MCCFR = make_algorithm(
    "multiplayer_mccfr", MultiplayerConfig, MultiplayerLearner, 600.0, env=MultiplayerConfig.env,
    agent="public_state_cfr",
    presets={
        "cfr_limit_six_max": MultiplayerConfig(
            env="limit_holdem-v0", panel=("always_call", "tight_aggressive", "equity", "ppo_limit_six_max")
        ),
        "cfr_no_limit_six_max": MultiplayerConfig(
            minutes=307.0, width=12, largest_river_bet=300,
            panel=("always_call", "tight_aggressive", "position_ranges", "ppo_no_limit_six_max"),
        ),
    },
)  # fmt: skip
