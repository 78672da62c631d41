"""The agent `cfr_no_limit`: plays a strategy for heads-up no-limit hold'em, found by `card-envs train menu_cfr`."""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.no_limit.menu_strategy import STRATEGY, MenuStrategy
from card_baselines.solvers.no_limit.menu_tree import NUM_PLAYERS, grow_menu_tree, is_two_player_menu
from card_baselines.solvers.no_limit.translation import find_places, translate
from card_baselines.solvers.same_stakes import has_same_stakes
from card_envs.agent import Decisions, StochasticAgent
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import CALL_ACTION
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem

_SHIPPED = Path(__file__).parents[1] / "data" / "no_limit_holdem_heads_up.npz"


class CfrNoLimit(StochasticAgent):
    """Plays a CFR strategy for stacks of 100 big blinds and raises by half the pot, the pot or all chips.

    In games with other bet menus and the same stacks, bets are translated (`translation`).

    Args:
        game: Heads-up no-limit Texas hold'em.
        folder: Run folder of `card-envs train menu_cfr`; by default the shipped strategy.

    Raises:
        ValueError: For games with other players, blinds or stacks than those of the strategy.
    """

    name = "cfr_no_limit"

    def __init__(self, game: Game, folder: Path | None = None) -> None:
        self._path = _SHIPPED if folder is None or not (folder / STRATEGY).exists() else folder / STRATEGY
        if not self.can_play(game):
            raise ValueError(
                f"agent {self.name!r} cannot play {game.name} with these settings: it needs two players, no-limit "
                "bets, and the blinds and stacks (in big blinds) of its strategy"
            )
        self._game = game

    @cached_property
    def strategy(self) -> MenuStrategy:
        """The strategy that is played; the file is read on first access."""
        return MenuStrategy.load(self._path)

    def can_play(self, game: Game) -> bool:
        """Return True for Texas hold'em with two players, no-limit, and the strategy's blinds and stacks."""
        if not is_texas_holdem(game) or game.num_seats != NUM_PLAYERS:
            return False
        return has_same_stakes(game.config, MenuStrategy.load_config(self._path))

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probabilities of the actions, (n, num_actions)."""
        views, strategy = decisions.views, self.strategy
        if has_same_betting(self._game.config, strategy.config):
            return strategy.probabilities(views)
        return translate_strategy(strategy, views, self._game.num_actions)


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
