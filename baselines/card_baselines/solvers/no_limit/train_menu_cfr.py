"""Training script `menu_cfr`: a strategy for heads-up no-limit hold'em on a bet menu.

The shipped strategy of `cfr_no_limit` is such a run; `solvers/data/no_limit_holdem_heads_up.json` holds its settings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from card_baselines.run_folder import RunFolder
from card_baselines.runs.config import require, require_shares
from card_baselines.solvers.buckets.board_buckets import BoardBuckets
from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.no_limit.menu_cfr import MenuCfr
from card_baselines.solvers.no_limit.menu_strategy import MenuStrategy, to_shares
from card_baselines.solvers.no_limit.menu_tree import is_two_player_menu
from card_baselines.solvers.stored_strategy import STRATEGY
from card_baselines.solvers.training import BucketConfig, BucketLearner, EnvConfig, make_algorithm
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.typing import Floats32


@dataclass(frozen=True, kw_only=True)
class Config(EnvConfig, BucketConfig):
    """Settings of a run; it ends when the iterations or the minutes are used up."""

    iterations: int = 1_000_000
    """Boards that are drawn; on each, both players learn with all their hands against all of the opponent's."""
    minutes: float = 60.0
    width: int = 16
    least: float = 0.1
    """The opponent's reach probability below which its actions are sampled, 0 to 1: more is faster and noisier."""
    cfr_br: bool = True
    """Learning against responders that play the best response on the river (CFR-BR), on by default."""
    plain_iterations: int = 30_000
    """Iterations, before those with `cfr_br`, in which the players learn against each other."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "equity", "ppo_no_limit_hu")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 5_000
    final_hands: int = 20_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 0, "plain_iterations")
        require_shares(self, "least")


class MenuLearner(BucketLearner):
    """Runs `MenuCfr`."""

    iterations_at_once = 50

    def __init__(self, config: Config, game: Game) -> None:
        """Start a new run; ValueError for games other than heads-up Texas hold'em with equal stacks and a bet menu."""
        if not is_texas_holdem(game) or not is_two_player_menu(game.config):
            raise ValueError(
                "menu_cfr needs Texas hold'em for two with equal stacks and a bet menu of at most 6 raises"
            )
        super().__init__(config)
        self._config, self._game = config, game

    def make_buckets(self) -> HandBuckets:
        """Return the buckets of a new run, numbered by strength."""
        return sort_buckets(super().make_buckets())

    def make_solver(self) -> MenuCfr:
        """Return a new solver."""
        config = self._config
        return MenuCfr(
            self._game.config, BoardBuckets(*self.tables), config.seed, least=config.least, cfr_br=config.cfr_br,
            plain_iterations=config.plain_iterations, num_threads=self.num_threads,
        )  # fmt: skip

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy with its buckets."""
        shares = to_shares(self.solver.tree, self.solver.averages)
        with replace_file(run.path / STRATEGY) as temporary:
            MenuStrategy(self._game.config, shares, self.tables[0]).save(temporary)


def sort_buckets(buckets: HandBuckets) -> HandBuckets:
    """Return the same turn and river buckets, numbered by strength: strategies then compress better."""
    return replace(buckets, turn=_sort_centres(buckets.turn), river=_sort_centres(buckets.river))


def _sort_centres(tree: Floats32) -> Floats32:
    """Return a tree of centres (1 + width, features, width) in the order of the sums of their features."""
    groups = np.argsort(tree[0].sum(axis=0), kind="stable")
    below = [tree[1 + group][:, np.argsort(tree[1 + group].sum(axis=0), kind="stable")] for group in groups]
    return np.stack([tree[0][:, groups], *below])


ALGORITHM = make_algorithm(
    "menu_cfr",
    Config,
    MenuLearner,
    600.0,
    env=Config.env,
    agent="cfr_no_limit",
    presets={"cfr_no_limit": Config(minutes=95.0)},
)
