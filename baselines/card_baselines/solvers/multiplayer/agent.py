"""Agents that play CFR strategies for hold'em at any number of seats: of a run folder, or shipped ones by name."""

from __future__ import annotations

from pathlib import Path

from card_baselines.solvers.multiplayer.strategy import PublicStateStrategy, translate_strategy
from card_baselines.solvers.stored_strategy import DATA, STRATEGY, StoredStrategyAgent
from card_envs.game import Game, Tables
from card_envs.typing import Floats


class PublicStateCfr(StoredStrategyAgent):
    """Plays the strategy of a run of `card-envs train multiplayer_mccfr`.

    Args:
        game: Texas hold'em with the seats, blinds and stacks of the run. With another bet menu, the agent takes the
            legal raise nearest to its own.
        folder: The run folder.

    Raises:
        ValueError: For games with other seats, blinds or stacks than those of the strategy.
    """

    strategy_class = PublicStateStrategy
    needs = "the seats, blinds and stacks (in big blinds) of its strategy"

    def __init__(self, game: Game, folder: Path) -> None:
        self.name = folder.name
        self._prepare(game, folder / STRATEGY)

    def has_same_betting(self) -> bool:
        """Return True if the bet menus are the same."""
        return bool(self._game.config.menu == self.strategy.config.menu)

    def translate(self, views: Tables) -> Floats:
        """Return the probabilities of the actions (n, num_actions) with another bet menu."""
        return translate_strategy(self.strategy, views, self._game.num_actions)


class CfrNoLimitSixMax(PublicStateCfr):
    """Plays no-limit at six seats with 100 big blinds; raises half the pot, the pot or all chips.

    Args:
        game: No-limit Texas hold'em with these seats and stacks; bet menus may differ.

    Raises:
        ValueError: For games with other seats, blinds or stacks.
    """

    name = "cfr_no_limit_six_max"

    def __init__(self, game: Game) -> None:
        self._prepare(game, DATA / "no_limit_holdem_six_max.npz")


class CfrLimitSixMax(PublicStateCfr):
    """Plays limit at six seats with 100 big blinds, which never run out.

    Args:
        game: Limit Texas hold'em with these seats and stacks.

    Raises:
        ValueError: For games with other seats, blinds or stacks.
    """

    name = "cfr_limit_six_max"

    def __init__(self, game: Game) -> None:
        self._prepare(game, DATA / "limit_holdem_six_max.npz")
