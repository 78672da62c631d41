"""Exact best responses in small hold'em games: how much the best opponent would win.

The betting does not depend on the cards, so the game is a tree of public states, each with one table per deal. At a
state of its own, a best response takes for each hand that it may hold the action that is best on average over the deals
with that hand, weighted by how likely the others play to get there. All seats but one play the agent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import (
    Agent,
    action_probabilities,
    decisions_at,
    require_playable,
    sampled_probabilities,
    shows_probabilities,
)
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import HoldemConfig

MAX_DEALS = 50_000
"""Deals of the largest game that is solved exactly."""

Floats = NDArray[np.float64]


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


@dataclass(frozen=True, eq=False)
class _Node:
    """A public state. Arrays have one entry per deal."""

    seat: int
    views: NDArray[np.int64]
    """Number of what the seat to act sees."""
    chances: Floats
    """(deals, children): with which probability the agent takes each legal action."""
    children: list[_Node]
    rewards: Floats
    """(deals, seats), at the end of a hand."""


def exact_exploitability(
    game: Game, agent: Agent, draws: int = 1000, progress: Callable[[int], None] | None = None
) -> Exploitability:
    """Return the exploitability of an agent in a small hold'em game, such as Kuhn or Leduc.

    Agents without `probabilities` are asked `draws` times at each state (see `sampled_probabilities`). `progress` is
    called with the number of public states that were added since its last call. Raises ValueError for other games.
    """
    tables = _all_deals(game)
    require_playable(agent, game)
    encoder = getattr(agent, "encoder", None)
    grower = _Grower(game if encoder is None else game.with_encoder(encoder), agent, draws, progress)
    root = grower.grow(tables)
    reach = np.full(len(tables), 1 / len(tables))
    values = reach @ _agent_values(root)
    best = [float(reach @ _best_values(root, seat, reach)) for seat in range(game.num_seats)]
    return Exploitability(tuple(values.tolist()), tuple(best))


def num_deals(game: Game) -> int:
    """Return how many deals a hold'em game has, the order of the cards counted; ValueError for other games."""
    config = game.config
    if not isinstance(config, HoldemConfig):
        raise ValueError(f"exact best responses are for small hold'em games, not for {game.name}")
    return perm(config.deck_size, config.num_dealt)


def _all_deals(game: Game) -> Tables:
    if (count := num_deals(game)) > MAX_DEALS:
        raise ValueError(
            f"{game.name} has {count:,} deals, exact best responses go through {MAX_DEALS:,} at most: "
            "use a local or a learned best response"
        )
    tables = game.new_tables(count)
    for i, deck in enumerate(permutations(game.config.deck_cards, game.config.num_dealt)):
        game.deal_with(tables, i, {"deck": deck, "button": game.num_seats - 1})
    return tables


class _Grower:
    def __init__(self, game: Game, agent: Agent, draws: int, progress: Callable[[int], None] | None) -> None:
        self.game, self.agent, self.draws, self.progress = game, agent, draws, progress
        self.rng = np.random.default_rng(0)

    def grow(self, tables: Tables) -> _Node:
        """Return the node of the same betting in all deals."""
        if self.progress is not None:
            self.progress(1)
        if tables["is_over"][0]:
            rewards = tables["payoff"][:, : self.game.num_seats] / self.game.chips_per_reward
            return _Node(-1, np.empty(0, np.int64), np.empty((0, 0)), [], rewards)
        chances = self._chances(tables)
        legal = np.flatnonzero((chances >= 0).all(axis=0))
        children = [self.grow(self._after(tables, int(action))) for action in legal]
        seat = int(tables["actor"][0])
        return _Node(seat, _views(tables, seat), chances[:, legal], children, np.empty((0, 0)))

    def _chances(self, tables: Tables) -> Floats:
        """Return the probability of every action (deals, actions), -1 for those that are not legal."""
        rows = np.arange(len(tables))
        decisions = decisions_at(self.game, tables, rows, rows, np.full(len(rows), 0.5))
        if shows_probabilities(self.agent):
            chances = action_probabilities(self.agent, decisions)
        else:
            chances = sampled_probabilities(self.agent, decisions, self.rng, self.draws)
        return np.where(decisions.action_mask == 1, chances, -1.0)

    def _after(self, tables: Tables, action: int) -> Tables:
        after, rows = tables.copy(), np.arange(len(tables))
        rewards, is_over = np.empty((len(rows), self.game.num_seats), np.float32), np.empty(len(rows), np.uint8)
        self.game.step_rows(after, rows, np.full(len(rows), action), rewards, is_over, False)
        return after


def _views(tables: Tables, seat: int) -> NDArray[np.int64]:
    """Number the deals by what `seat` sees of the cards: its own, in any order, and the board."""
    t: Any = tables[0]
    own, start = int(t.num_hole_cards), int(t.num_seats) * int(t.num_hole_cards)
    shown = int(t.board_cards[: int(t.street) + 1].sum())
    hole = np.sort(tables["deck"][:, seat * own : (seat + 1) * own], axis=1)
    seen = np.concatenate([hole, tables["deck"][:, start : start + shown]], axis=1)
    return np.asarray(np.unique(seen, axis=0, return_inverse=True)[1].ravel(), np.int64)


def _agent_values(node: _Node) -> Floats:
    """Return what every seat wins in each deal (deals, seats) if all play the agent."""
    if not node.children:
        return node.rewards
    branches = zip(node.chances.T, node.children, strict=True)
    return np.asarray(sum(chance[:, None] * _agent_values(child) for chance, child in branches), np.float64)


def _best_values(node: _Node, seat: int, reach: Floats) -> Floats:
    """Return what `seat` wins in each deal (deals,) by a best response; `reach` is the others' probability to come."""
    if not node.children:
        return np.asarray(node.rewards[:, seat], np.float64)
    if node.seat != seat:
        branches = zip(node.chances.T, node.children, strict=True)
        return np.asarray(
            sum(chance * _best_values(child, seat, reach * chance) for chance, child in branches), np.float64
        )
    values = np.array([_best_values(child, seat, reach) for child in node.children])
    by_view = np.array([np.bincount(node.views, reach * value) for value in values])
    return np.asarray(values[by_view.argmax(axis=0)[node.views], np.arange(len(reach))], np.float64)
