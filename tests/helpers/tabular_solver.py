"""Exact values of two-player games with one private card each and at most one board card, from the shipped kernels.

The betting does not depend on the cards, so the game is a tree of public nodes that carry arrays over the cards: axis 0
is the own card, axis 1 the board card, of length 1 before it is dealt. Reach probabilities, strategies and values (that
are counterfactual) have that shape; payoffs have the shape (card of seat 0, card of seat 1, board card).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.config import HoldemConfig
from tests.helpers.holdem_hands import OneTable

Array = NDArray[np.float64]
PUBLIC = ("street", "actor", "is_over", "street_commit", "hand_commit")


@dataclass
class Node:
    """A decision of `seat`, or the end of a hand: then the payoffs of seat 0, times the chance of the deal."""

    seat: int
    shape: tuple[int, int]  # cards, board cards that are told apart
    num_deals: int  # that a spectator of all cards tells apart: histories that end here
    num_views: int  # information sets
    payoff: Array | None = None
    children: list[Node] = field(default_factory=list)
    average: Array = field(default_factory=lambda: np.zeros(0))  # summed strategies, not normalised


class SmallGame:
    """The tree of a game; the average strategy at its nodes is uniform."""

    def __init__(self, config: HoldemConfig) -> None:
        self.cards = config.deck_cards
        self.has_board = sum(config.board_cards) > 0
        self.deals = list(permutations(range(len(self.cards)), 2 + self.has_board))
        self.nodes: list[Node] = []
        self.root = self._grow([OneTable(config, deck=[self.cards[c] for c in deal]).tables for deal in self.deals])

    def _grow(self, tables: list[Any]) -> Node:
        """Return the node of the same betting under every deal, given one table per deal."""
        t = tables[0][0]
        assert all((table[0][name] == t[name]).all() for table in tables for name in PUBLIC)
        shown = 1 if self.has_board and t.street > 0 else 0
        n = len(self.cards)
        node = Node(
            seat=int(t.actor),
            shape=(n, n if shown else 1),
            num_deals=len({deal[: 2 + shown] for deal in self.deals}),
            num_views=len({deal[:1] + deal[2 : 2 + shown] for deal in self.deals}),
        )
        self.nodes.append(node)
        if t.is_over:
            node.payoff = np.zeros((n, n, n if self.has_board else 1))
            for deal, table in zip(self.deals, tables, strict=True):
                node.payoff[(*deal, 0)[:3]] = table[0].payoff[0] / len(self.deals)
            return node
        for action in range(3):
            copies = [table.copy() for table in tables]
            refused = {kernels.step(copy, 0, action) == ILLEGAL for copy in copies}
            assert len(refused) == 1
            if refused == {False}:
                node.children.append(self._grow(copies))
        node.average = np.ones((len(node.children), *node.shape))
        return node

    def sizes(self) -> tuple[int, int, int]:
        """Return the numbers of decision nodes, ends and information sets, with suits told apart."""
        decisions = [node for node in self.nodes if node.payoff is None]
        ends = [node for node in self.nodes if node.payoff is not None]
        return (
            sum(node.num_deals for node in decisions),
            sum(node.num_deals for node in ends),
            sum(node.num_views for node in decisions),
        )

    def exploitability(self) -> float:
        """Return what a best response wins against the average strategies, as the mean of both seats."""
        ones = np.ones((len(self.cards), 1))
        return float(sum(_values(self.root, seat, ones, best=True).sum() for seat in (0, 1))) / 2


def _values(node: Node, seat: int, reach: Array, best: bool) -> Array:
    """Return the counterfactual values of `seat` against the average strategy, whose reach is `reach`.

    The seat itself plays its average strategy too, or with `best` the best response.
    """
    if node.payoff is not None:
        return _payoffs(node, seat, reach)
    strategy = _normalised(node.average)
    reaches = strategy * reach if node.seat != seat else [reach] * len(node.children)
    branches = [
        _seen_from(node, _values(child, seat, r, best)) for child, r in zip(node.children, reaches, strict=True)
    ]
    if node.seat != seat:
        return np.sum(branches, axis=0)
    return np.max(branches, axis=0) if best else (strategy * branches).sum(axis=0)


def _payoffs(node: Node, seat: int, reach: Array) -> Array:
    assert node.payoff is not None
    spread = np.broadcast_to(reach, node.payoff.shape[1:])
    if seat == 0:
        return _seen_from(node, np.einsum("ijb,jb->ib", node.payoff, spread))
    return _seen_from(node, -np.einsum("ijb,ib->jb", node.payoff, spread))


def _seen_from(node: Node, values: Array) -> Array:
    """Return values summed over the board cards that `node` does not tell apart."""
    return values if values.shape == node.shape else values.sum(axis=1, keepdims=True)


def _normalised(weights: Array) -> Array:
    total = weights.sum(axis=0)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / len(weights))
