"""Exact best responses in small hold'em games: how much the best opponent would win.

At a state of its own, a best response takes for each hand that it may hold the action that is best on average over the
deals with that hand, weighted by how likely the others play to get there. All seats but one play the strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from card_envs.agent import Agent, action_probabilities, require_playable, sampled_probabilities, shows_probabilities
from card_envs.game import Game
from card_envs.match.public_tree import Floats, Node, PublicTree


@dataclass(frozen=True)
class Exploitability:
    """How much better a best response does than the agent, in the unit of the game's rewards per hand."""

    values: tuple[float, ...]
    """What the agent wins at each seat if it has all of them."""
    best_responses: tuple[float, ...]
    """What a best response wins at each seat, the agent having the others."""

    @property
    def nash_conv(self) -> float:
        """Sum of the gains of all seats; 0 in an equilibrium."""
        return float(sum(self.best_responses) - sum(self.values))

    @property
    def exploitability(self) -> float:
        """Gain of a seat on average; with two seats, what a best response wins per hand."""
        return self.nash_conv / len(self.values)


def exact_exploitability(
    game: Game, agent: Agent, draws: int = 1000, progress: Callable[[int], None] | None = None
) -> Exploitability:
    """Return the exploitability of an agent in a small hold'em game, such as Kuhn or Leduc.

    Agents without `probabilities` are asked `draws` times at each state (see `sampled_probabilities`). `progress` is
    called with the number of public states that were added since its last call. Raises ValueError for other games.
    """
    require_playable(agent, game)
    encoder = getattr(agent, "encoder", None)
    tree = PublicTree(game if encoder is None else game.with_encoder(encoder), progress)
    return strategy_exploitability(tree, strategy_of(agent, tree, draws))


def strategy_of(agent: Agent, tree: PublicTree, draws: int = 1000) -> Floats:
    """Return what an agent plays at all information states (states, num_actions).

    The tree must be of the game with the agent's encoder. Agents without `probabilities` are asked `draws` times.
    """
    if shows_probabilities(agent):
        return action_probabilities(agent, tree.decisions)
    return sampled_probabilities(agent, tree.decisions, np.random.default_rng(0), draws)


def strategy_exploitability(tree: PublicTree, strategy: Floats) -> Exploitability:
    """Return the exploitability of a strategy (states, num_actions)."""
    reach = np.full(tree.num_deals, 1 / tree.num_deals)
    values = reach @ _values(tree.root, strategy)
    best = [float(reach @ _best_values(tree.root, strategy, seat, reach)) for seat in range(tree.game.num_seats)]
    return Exploitability(tuple(values.tolist()), tuple(best))


def _values(node: Node, strategy: Floats) -> Floats:
    """Return what every seat wins in each deal (deals, seats) if all play the strategy."""
    if not node.children:
        return node.rewards
    branches = zip(node.chances(strategy), node.children, strict=True)
    return np.asarray(sum(chance[:, None] * _values(child, strategy) for chance, child in branches), np.float64)


def _best_values(node: Node, strategy: Floats, seat: int, reach: Floats) -> Floats:
    """Return what `seat` wins in each deal (deals,) by a best response; `reach` is the others' probability to come."""
    if not node.children:
        return np.asarray(node.rewards[:, seat], np.float64)
    if node.seat != seat:
        branches = zip(node.chances(strategy), node.children, strict=True)
        return np.asarray(
            sum(chance * _best_values(child, strategy, seat, reach * chance) for chance, child in branches), np.float64
        )
    values = np.array([_best_values(child, strategy, seat, reach) for child in node.children])
    views = node.states - node.states.min()
    by_view = np.array([np.bincount(views, reach * value) for value in values])
    return np.asarray(values[by_view.argmax(axis=0)[views], np.arange(len(reach))], np.float64)
