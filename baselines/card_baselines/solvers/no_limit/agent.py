"""The agent `cfr_no_limit`: plays a strategy for heads-up no-limit hold'em, found by `card-envs train menu_cfr`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.no_limit.menu_strategy import MenuStrategy
from card_baselines.solvers.no_limit.menu_tree import grow_menu_tree, is_two_player_menu
from card_baselines.solvers.no_limit.translation import find_places, translate
from card_baselines.solvers.stored_strategy import DATA, STRATEGY, StoredStrategyAgent
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import CALL_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.typing import Floats

_SHIPPED = DATA / "no_limit_holdem_heads_up.npz"


class CfrNoLimit(StoredStrategyAgent):
    """Plays a CFR strategy for stacks of 100 big blinds and raises by half the pot, the pot or all chips.

    In games with other bet menus and the same stacks, bets are translated (`translation`).

    Args:
        game: Heads-up no-limit Texas hold'em.
        folder: Run folder of `card-envs train menu_cfr`; by default the shipped strategy.

    Raises:
        ValueError: For games with other players, blinds or stacks than those of the strategy.
    """

    name = "cfr_no_limit"
    strategy_class = MenuStrategy
    needs = "two players, no-limit bets, and the blinds and stacks (in big blinds) of its strategy"

    def __init__(self, game: Game, folder: Path | None = None) -> None:
        is_trained = folder is not None and (folder / STRATEGY).exists()
        self._prepare(game, folder / STRATEGY if folder is not None and is_trained else _SHIPPED)

    def has_same_betting(self) -> bool:
        """Return True if every sequence of actions leads to the same bets in the strategy's game."""
        return has_same_betting(self._game.config, self.strategy.config)

    def translate(self, views: Tables) -> Floats:
        """Return the probabilities of the actions (n, num_actions) with another bet menu."""
        return translate_strategy(self.strategy, views, self._game.num_actions)


@cache
def has_same_betting(config: HoldemConfig, other: HoldemConfig) -> bool:
    """Return True if every sequence of actions leads to the same bets in both games."""
    if config == other:
        return True
    if not is_two_player_menu(config) or config.num_actions != other.num_actions:
        return False
    ours, theirs = (grow_menu_tree(each, [1] * len(each.board_cards)).keys for each in (config, other))
    return np.array_equal(ours, theirs)


def translate_strategy(strategy: MenuStrategy, views: Tables, num_actions: int) -> NDArray[np.float64]:
    """Return the probabilities of the actions (n, num_actions) in a game with another bet menu.

    The agent checks or calls where the tree of the strategy has no similar betting.
    """
    found, buckets = np.zeros((len(views), num_actions)), strategy.find_buckets(views)
    for j, t in enumerate(views):
        places = find_places(strategy.tree, t)
        for weight, number in places:
            node = strategy.tree.decisions[number]
            shares = strategy.look_up(np.array([node["state"]]), buckets[j : j + 1])[0]
            translate(t, node, shares, found[j], weight)
        found[j, CALL_ACTION] += max(0.0, 1.0 - found[j].sum())
    return np.asarray(found / found.sum(axis=1, keepdims=True), np.float64)
