"""The agent `cfr_no_limit_six_max`: plays a CFR strategy for no-limit hold'em with six seats."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.multiplayer.strategy import STRATEGY, PublicStateStrategy, translate_strategy
from card_baselines.solvers.same_stakes import has_same_stakes
from card_envs.agent import Decisions, StochasticAgent
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem

_SHIPPED = Path(__file__).parents[1] / "data" / "no_limit_holdem_six_max.npz"


class CfrNoLimitSixMax(StochasticAgent):
    """Plays a CFR strategy for six seats, stacks of 100 big blinds and raises by half the pot, the pot or all chips.

    Args:
        game: No-limit Texas hold'em with these seats and stacks; with `folder`, the game of the run. With another bet
            menu, the agent takes the legal raise nearest to its own.
        folder: Run folder of `card-envs train multiplayer_mccfr`; by default the shipped strategy.

    Raises:
        ValueError: For games with other seats, blinds or stacks than those of the strategy.
    """

    name = "cfr_no_limit_six_max"

    def __init__(self, game: Game, folder: Path | None = None) -> None:
        self._path = _SHIPPED
        if folder is not None and (folder / STRATEGY).exists():
            self.name, self._path = folder.name, folder / STRATEGY
        if not self.can_play(game):
            raise ValueError(
                f"agent {self.name!r} cannot play {game.name} with these settings: it needs the seats, blinds and "
                "stacks (in big blinds) of its strategy"
            )
        self._game = game

    @cached_property
    def strategy(self) -> PublicStateStrategy:
        """The strategy that is played; the file is read on first access."""
        return PublicStateStrategy.load(self._path)

    def can_play(self, game: Game) -> bool:
        """Return True for Texas hold'em with seats, blinds, stacks and rules of the strategy; bet menus may differ."""
        return is_texas_holdem(game) and has_same_stakes(game.config, PublicStateStrategy.load_config(self._path))

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probabilities of the actions, (n, num_actions)."""
        views, strategy = decisions.views, self.strategy
        if self._game.config.menu == strategy.config.menu:
            return strategy.probabilities(views)
        return translate_strategy(strategy, views, self._game.num_actions)
