"""What both players do before a subgame, which tells their ranges there, and the strategy that re-solving replaces.

The trunk of a river is the blueprint, or the solution of the turn before it; that of a turn is the blueprint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.tree import NUM_PLAYERS, BettingTree, Numbers, endgame_of, grow_all
from card_envs.agent import Agent
from card_envs.analysis.exploitability.holdem import HoldemHiddenHands
from card_envs.analysis.exploitability.range_strategy import RangeStrategy
from card_envs.game import Game, Tables
from card_envs.poker.hands import NUM_HANDS, possible_hands

FIRST_BOARD_CARD = 4
"""Index of the first board card in the field `deck`."""
_TREMBLE = 1e-3
"""Probability of a random action when ranges are computed: no range becomes empty."""

Probabilities = NDArray[np.floating[Any]]


class Trunk(ABC):
    """Probabilities of both players at the decisions of a game, or of a part of it."""

    def __init__(self, betting: BettingTree, ranges: Probabilities) -> None:
        """Store the betting, and the ranges (2, 1326) with which both players come to the first decision."""
        self.betting, self.ranges = betting, ranges

    @abstractmethod
    def ask(self, tables: Tables, board: Numbers) -> Probabilities:
        """Return the probabilities (n, 1326, actions) at tables of these decisions, whose cards are not read.

        Args:
            tables: (n,) tables.
            board: The cards that lie at each of them, or more; hands with one of these are left out.
        """

    def find_ranges(self, first: Tables, board: Numbers) -> Probabilities:
        """Return the ranges (2, 1326) of both players, each summing to 1, at a table (1,) with a board."""
        possible = possible_hands(board)
        ranges = np.where(possible, self.ranges, 0.0)
        nodes, actions = self.betting.find_path(int(self.betting.find(first)[0]))
        if len(nodes):
            tables = self.betting.tables_at(nodes)
            taken = self.ask(tables, board)[np.arange(len(nodes)), :, actions]
            num_legal = np.array([int(legal).bit_count() for legal in tables["legal"]])
            taken = (1 - _TREMBLE) * taken + _TREMBLE / num_legal[:, None]
            for player in range(NUM_PLAYERS):
                ranges[player] *= taken[tables["actor"] == player].prod(axis=0)
        return np.asarray(ranges / ranges.sum(axis=1, keepdims=True))


class Blueprint(Trunk):
    """An agent at the decisions of the whole game."""

    def __init__(self, game: Game, agent: Agent) -> None:
        """Find the decisions of the game; ValueError where it has too many sequences of bets."""
        endgame = endgame_of(game)
        ranges = np.ones((NUM_PLAYERS, NUM_HANDS)) if endgame is None else endgame.weights
        super().__init__(grow_all(game), ranges)
        self._strategy = RangeStrategy(game, agent, HoldemHiddenHands(game.config))

    def ask(self, tables: Tables, board: Numbers) -> Probabilities:
        """Return the agent's probabilities (n, 1326, actions)."""
        asked = tables.copy()
        asked["deck"][:, FIRST_BOARD_CARD : FIRST_BOARD_CARD + len(board)] = board
        wanted = np.broadcast_to(possible_hands(board), (len(asked), NUM_HANDS))
        return self._strategy.probabilities(asked, asked["actor"].astype(np.int64), wanted)
