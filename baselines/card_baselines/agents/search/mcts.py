"""The agent `mcts`: information-set Monte Carlo tree search for Texas hold'em and Big 2.

Cowling, Powley and Whitehouse (2012), Information set Monte Carlo tree search: each simulation samples the hidden
cards, given what the seat sees, and all simulations share one tree. `mcts_holdem` and `mcts_big2` define the tree of
each game.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.search import mcts_big2, mcts_holdem
from card_envs.agent import Agent, Decisions
from card_envs.game import Game
from card_envs.games.big2.config import is_big2
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.rng import SEED_SCALE

SIMULATIONS = 500
"""Number of simulations per decision."""


class Mcts(Agent):
    """Plays the most visited action of an information-set Monte Carlo tree search."""

    name = "mcts"

    def __init__(self, game: Game, simulations: int = SIMULATIONS) -> None:
        """Run `simulations` simulations for each decision."""
        if simulations < 1:
            raise ValueError(f"simulations {simulations} must be at least 1")
        self.simulations = simulations
        self._rules = mcts_big2 if is_big2(game) else mcts_holdem
        self._nodes = np.zeros(simulations + 1, self._rules.NODE)
        self._search = np.zeros(1, self._rules.SEARCH)

    def can_play(self, game: Game) -> bool:
        """Return True for Big 2, and for Texas hold'em unless every amount is an action."""
        if is_big2(game):
            return True
        return is_texas_holdem(game) and game.num_actions <= mcts_holdem.MAX_ACTIONS

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the most visited action of each decision's search."""
        actions = np.empty(len(decisions), np.int64)
        seeds = (decisions.random_numbers * SEED_SCALE).astype(np.uint64)
        self._rules.choose_rows(decisions.views, seeds, np.int64(self.simulations), self._nodes, self._search, actions)
        return actions
