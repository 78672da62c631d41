"""All public states of a small hold'em game, and what a seat may know in each.

The betting does not depend on the cards, so the game is a tree of public states, each with one table per deal. What the
seat to act sees of a table is its *information state*. They are numbered over the whole tree, and a strategy of all
seats is one array: a row of action probabilities, float64 (states, num_actions), for every information state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import decisions_at
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import HoldemConfig

MAX_DEALS = 50_000
"""Deals of the largest game that a tree is made of."""

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_BEGINNING = -1
"""Stands for "no decision yet"; as an index, the last place of an array."""


@dataclass(frozen=True, eq=False)
class Node:
    """A public state. Arrays have one entry per deal."""

    states: Numbers
    """(deals,): number of the information state of the seat to act."""
    seat: int
    """The seat to act, -1 at the end of a hand."""
    actions: Numbers
    """Ids of the legal actions."""
    children: list[Node]
    """The public state after each of them."""
    rewards: Floats
    """(deals, seats), at the end of a hand."""

    def chances(self, strategy: Floats) -> Floats:
        """Return with which probability each legal action is taken, (children, deals)."""
        return np.asarray(strategy[self.states, self.actions[:, None]])


class PublicTree:
    """The public states of a game, from `root` on, and its information states, in the order of their numbers."""

    def __init__(self, game: Game, progress: Callable[[int], None] | None = None) -> None:
        """Visit all states; `progress` is called with the number of public states added since its last call.

        Raises ValueError for games other than hold'em, and for those with more than `MAX_DEALS` deals.
        """
        tables = _all_deals(game)
        self.game, self.num_deals = game, len(tables)
        self._progress = progress
        self._blocks: list[slice] = []  # states of each node; those that come earlier in a hand come first
        grown: list[tuple[Tables, Numbers]] = []
        nothing = np.full((game.num_seats, self.num_deals), _BEGINNING)
        self.root = self._grow(tables, nothing, grown)
        self._before = np.concatenate([before for _, before in grown])
        seen = np.concatenate([seen for seen, _ in grown])
        rows = np.arange(len(seen))
        self.decisions = decisions_at(game, seen, rows, rows, np.full(len(rows), 0.5))
        """The decision at each information state."""

    def realisation(self, strategy: Floats) -> Floats:
        """Return how probable it is that a seat's own actions lead through a state to each action there.

        (states, num_actions): the realisation weights of the sequence form (von Stengel 1996). They leave out what the
        cards and the other seats must do, so those of a mixture of strategies are the mixture of theirs.
        """
        flat = np.ones(strategy.size + 1)  # the last place is that of the beginning
        weights = flat[:-1].reshape(strategy.shape)
        for block in self._blocks:
            weights[block] = flat[self._before[block], None] * strategy[block]
        return weights

    def _grow(self, tables: Tables, latest: Numbers, grown: list[tuple[Tables, Numbers]]) -> Node:
        """Return the node of the same betting in all deals.

        `latest` (seats, deals) holds each seat's last decision: state * num_actions + action. One table of each
        information state, and what its seat did last, are added to `grown`.
        """
        if self._progress is not None:
            self._progress(1)
        none = np.empty(0, np.int64)
        if tables["is_over"][0]:
            rewards = tables["payoff"][:, : self.game.num_seats] / self.game.chips_per_reward
            return Node(none, -1, none, [], rewards)
        seat, num_actions = int(tables["actor"][0]), self.game.num_actions
        first, views = _views(tables, seat)
        begin = self._blocks[-1].stop if self._blocks else 0
        self._blocks.append(slice(begin, begin + len(first)))
        grown.append((tables[first], latest[seat, first]))
        states = begin + views
        actions = self._legal_actions(tables)
        children = []
        for action in actions.tolist():
            after = latest.copy()
            after[seat] = states * num_actions + action
            children.append(self._grow(self._after(tables, action), after, grown))
        return Node(states, seat, actions, children, np.empty((0, 0)))

    def _legal_actions(self, tables: Tables) -> Numbers:
        row = np.zeros(1, np.int64)
        return np.flatnonzero(decisions_at(self.game, tables, row, row, np.zeros(1)).action_mask[0])

    def _after(self, tables: Tables, action: int) -> Tables:
        after, rows = tables.copy(), np.arange(len(tables))
        rewards, is_over = np.empty((len(rows), self.game.num_seats), np.float32), np.empty(len(rows), np.uint8)
        self.game.step_rows(after, rows, np.full(len(rows), action), rewards, is_over, False)
        return after


def num_deals(game: Game) -> int:
    """Return how many deals a hold'em game has, the order of the cards counted; ValueError for other games."""
    config = game.config
    if not isinstance(config, HoldemConfig):
        raise ValueError(f"exact best responses are for small hold'em games, not for {game.name}")
    return perm(config.deck_size, config.num_dealt)


def require_few_deals(game: Game) -> None:
    """Raise ValueError for games that no tree is made of."""
    if (count := num_deals(game)) > MAX_DEALS:
        raise ValueError(
            f"{game.name} has {count:,} deals, exact best responses go through {MAX_DEALS:,} at most: "
            "use a local or a learned best response"
        )


def _all_deals(game: Game) -> Tables:
    require_few_deals(game)
    tables = game.new_tables(num_deals(game))
    for i, deck in enumerate(permutations(game.config.deck_cards, game.config.num_dealt)):
        game.deal_with(tables, i, {"deck": deck, "button": game.num_seats - 1})
    return tables


def _views(tables: Tables, seat: int) -> tuple[Numbers, Numbers]:
    """Number the deals by the cards that `seat` sees, its own and the board, in the order in which they came.

    Returns the first deal of each number, and the number of each deal.
    """
    t: Any = tables[0]
    own, start = int(t.num_hole_cards), int(t.num_seats) * int(t.num_hole_cards)
    shown = int(t.board_cards[: int(t.street) + 1].sum())
    deck = tables["deck"]
    seen = np.concatenate([deck[:, seat * own : (seat + 1) * own], deck[:, start : start + shown]], axis=1)
    _, first, views = np.unique(seen, axis=0, return_index=True, return_inverse=True)
    return first, np.asarray(views.ravel(), np.int64)
