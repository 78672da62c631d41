"""The agents `cfr`, `cfr_small` and `cfr_large`, which play strategies found by counterfactual regret minimisation.

Kuhn poker and Leduc hold'em for two are solved by CFR+ when the agent first plays. For heads-up limit hold'em two
strategies of abstract games are shipped: one with buckets of similar equity (`card-envs train mccfr`), and one with
buckets of similar distributions of equity (`card-envs train public_chance_cfr`).
"""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.limit.betting_tree import grow_tree, is_two_player_limit
from card_baselines.solvers.limit.strategies import TableStrategy, load_strategy
from card_baselines.solvers.stored_strategy import DATA, STRATEGY
from card_baselines.solvers.vector_cfr import VectorCfr
from card_baselines.solvers.vector_game import VectorStrategy
from card_envs.agent import Decisions, StochasticAgent
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem

SMALL, LARGE = "limit_holdem_heads_up.npz", "limit_holdem_heads_up_large.npz"
ITERATIONS = 2000
"""Iterations of CFR+ in small games: Kuhn poker is then exploitable by at most 0.0001 chips a hand, Leduc by 0.001."""


class Cfr(StochasticAgent):
    """Plays an equilibrium of Kuhn or Leduc; in heads-up limit hold'em a CFR-BR strategy with 1,024 buckets a street.

    Args:
        game: Kuhn poker, Leduc hold'em or limit hold'em for two players.
        folder: Run folder of `card-envs train mccfr` or `public_chance_cfr`; by default the shipped strategy.

    Raises:
        ValueError: For games with other betting: three or more players, no-limit, short stacks, other caps.
    """

    name = "cfr"
    shipped: ClassVar[str] = LARGE
    """File of the strategy for limit hold'em that comes with the package."""

    def __init__(self, game: Game, folder: Path | None = None) -> None:
        if not self.can_play(game):
            raise ValueError(
                f"agent {self.name!r} cannot play {game.name} with these settings: it needs two players, limit bets, "
                "the usual caps, stacks that never run out, and rules standard or acpc"
            )
        self._game = game
        if is_texas_holdem(game) and folder is not None and (folder / STRATEGY).exists():
            self.strategy = load_strategy(folder / STRATEGY)

    @cached_property
    def strategy(self) -> TableStrategy | VectorStrategy:
        """The strategy that is played; the shipped file is read, or a small game solved, on first access."""
        if is_texas_holdem(self._game):
            return load_strategy(DATA / self.shipped)
        solver = VectorCfr(self._game)
        solver.run(ITERATIONS)
        return solver.strategy()

    def can_play(self, game: Game) -> bool:
        """Return True for Kuhn poker, Leduc hold'em and limit hold'em for two, with stacks for every bet."""
        if not is_two_player_limit(game.config):
            return False
        return can_play_texas(game) if is_texas_holdem(game) else _is_small_game(game.config)

    def table(self) -> TableStrategy | None:
        """Return the strategy for limit hold'em, None in small games."""
        return None if isinstance(self.strategy, VectorStrategy) else self.strategy

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probabilities to fold, call and raise, (n, 3)."""
        return self.strategy.probabilities(decisions.views)


class CfrSmall(Cfr):
    """Plays like cfr, in limit hold'em with the small strategy, which has 40 buckets a street."""

    name = "cfr_small"
    shipped = SMALL


class CfrLarge(Cfr):
    """Plays like cfr, in limit hold'em with the large strategy, which has 1,024 buckets a street."""

    name = "cfr_large"
    shipped = LARGE


def _is_small_game(config: HoldemConfig) -> bool:
    """Return True for the cards of Kuhn poker and Leduc hold'em with any deck: one each, later one on the board."""
    return config.num_hole_cards == 1 and config.board_cards in ((0,), (0, 1))


def can_play_texas(game: Game) -> bool:
    """Return True for limit hold'em for two, with the usual caps and stacks for every bet."""
    is_limit = is_texas_holdem(game) and is_two_player_limit(game.config)
    return is_limit and _has_same_betting(game.config, HoldemConfig.limit())


@cache
def _has_same_betting(config: HoldemConfig, other: HoldemConfig) -> bool:
    """Return True if the same actions are legal after the same actions in both games."""
    if config == other:
        return True
    trees = [grow_tree(c, [1] * len(c.board_cards)) for c in (config, other)]
    return all(np.array_equal(trees[0][name], trees[1][name]) for name in ("player", "street", "folded", "child"))
