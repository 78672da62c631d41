"""Agents that play CFR strategies for hold'em at any number of seats: of a run folder, or shipped ones by name."""

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

_DATA = Path(__file__).parents[1] / "data"


class PublicStateCfr(StochasticAgent):
    """Plays the strategy of a run of `card-envs train multiplayer_mccfr`.

    Args:
        game: Texas hold'em with the seats, blinds and stacks of the run. With another bet menu, the agent takes the
            legal raise nearest to its own.
        folder: The run folder.

    Raises:
        ValueError: For games with other seats, blinds or stacks than those of the strategy.
    """

    def __init__(self, game: Game, folder: Path) -> None:
        self.name = folder.name
        self._prepare(game, folder / STRATEGY)

    def _prepare(self, game: Game, path: Path) -> None:
        """Remember the game and the file of the strategy, which is read on first access."""
        self._game, self._path = game, path
        if not self.can_play(game):
            raise ValueError(
                f"agent {self.name!r} cannot play {game.name} with these settings: it needs the seats, blinds and "
                "stacks (in big blinds) of its strategy"
            )

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


class CfrNoLimitSixMax(PublicStateCfr):
    """Plays no-limit at six seats with 100 big blinds; raises half the pot, the pot or all chips.

    Args:
        game: No-limit Texas hold'em with these seats and stacks; bet menus may differ.

    Raises:
        ValueError: For games with other seats, blinds or stacks.
    """

    name = "cfr_no_limit_six_max"

    def __init__(self, game: Game) -> None:
        self._prepare(game, _DATA / "no_limit_holdem_six_max.npz")


class CfrLimitSixMax(PublicStateCfr):
    """Plays limit at six seats with 100 big blinds, which never run out.

    Args:
        game: Limit Texas hold'em with these seats and stacks.

    Raises:
        ValueError: For games with other seats, blinds or stacks.
    """

    name = "cfr_limit_six_max"

    def __init__(self, game: Game) -> None:
        self._prepare(game, _DATA / "limit_holdem_six_max.npz")
