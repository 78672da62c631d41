"""Controls for small games, from all of their deals: nothing is estimated.

What is known in common, all actions included, makes some deals possible; the agents' own probabilities weigh them
(Bayes), exactly. The value of a public state in a deal is what play wins from there on, each seat playing as its agent
says it does, or uniformly at random where the agent cannot be asked. A control is the mean value after an event (an
action, cards that everybody sees) less the mean value before it, over the possible deals. Both are computed with the
same probabilities, so the control has mean zero given all that came before. The result itself becomes its mean over the
deals that are possible in the end: this is AIVAT (Burch et al. 2018) with the exact values of the whole tree.

Of an agent that cannot be asked everything that it sees counts as known. Whatever it does is then equally probable in
all deals that are possible, so its actions tell nothing of them, and have no controls. If everybody can be asked, all
controls together leave nothing but where the agents sat.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent
from card_envs.analysis.exploitability.best_response import strategy_of
from card_envs.analysis.exploitability.public_tree import MAX_DEALS, Node, PublicTree, enumeration_of
from card_envs.game import Game, Tables
from card_envs.game_info import Controls, ControlUnits
from card_envs.play_statistics import Hands, Rows

Floats = NDArray[np.float64]

MAX_CELLS = 1_000_000
"""Public states times deals of the largest game whose values are kept."""
_HOLE_CARDS, _OWN, _OTHERS, _BOARD = range(4)
"""Controls: cards of agents that cannot be asked, actions of the agent and of others, cards that everybody sees."""
_NUM_TERMS = 4
_LEAST_STAKE = 0.25
"""Floor of the spread of a control, as a share of the most that can be won."""
_SAME = 1e-4
"""By which probabilities that an agent shows twice may differ, since networks round."""


def has_tree_terms(game: Game) -> bool:
    """Return True for games whose deals are few enough."""
    return game.info.enumeration is not None and game.info.enumeration.num_deals <= MAX_DEALS


def can_be_asked(agent: Agent) -> bool:
    """Return True for agents whose probabilities are known, and depend on no earlier deal."""
    return (agent.shows_probabilities or not agent.mixes) and not agent.needs_deal_events


class TreeControlTerms:
    """Follows the hands of a batch, as a callback does, and returns their controls at the end."""

    def __init__(self, game: Game, agents: Sequence[Agent]) -> None:
        """Build the tree and ask the agents about all of it; ValueError for games that are too large."""
        tree = PublicTree(game)
        self._nodes = _listed(tree.root)
        if (cells := len(self._nodes) * tree.num_deals) > MAX_CELLS:
            raise ValueError(f"{game.name} has {cells:,} public states times deals, and control variates go through "
                             f"{MAX_CELLS:,} at most")  # fmt: skip
        self._game, self._agents, self._root = game, agents, tree.root
        self._number = {id(node): number for number, node in enumerate(self._nodes)}
        self._shown = [_strategy(agent, game) if can_be_asked(agent) else None for agent in agents]
        mask = tree.decisions.action_mask.astype(np.float64)
        self._random = mask / mask.sum(axis=1, keepdims=True)
        self._seating = lru_cache(maxsize=None)(self._values_of)
        self._known = lru_cache(maxsize=None)(self._known_at)
        most = max(float(np.abs(node.rewards).max()) for node in self._nodes if node.seat < 0)
        self.units = ControlUnits(np.ones(_NUM_TERMS, bool), _LEAST_STAKE * most)

    @property
    def is_complete(self) -> bool:
        """True if all agents can be asked: the controls then leave nothing but where the agents sat."""
        return all(shown is not None for shown in self._shown)

    def _place(self, seat: int, turn: int) -> int:
        """Return the place of the agent at a seat of the tree; `turn` is how far the agents are moved around it."""
        return (seat - turn) % self._game.num_seats

    def _chances(self, node: Node, turn: int) -> Floats:
        """Return (actions, deals): the probabilities of the actor's actions, uniform if they are not known."""
        shown = self._shown[self._place(node.seat, turn)]
        return node.chances(self._random if shown is None else shown)

    def _values_of(self, turn: int) -> list[Floats]:
        """Return for each node (deals, seats): what play wins from there on."""
        values: list[Floats] = [node.rewards for node in self._nodes]
        for number in range(len(self._nodes) - 1, -1, -1):  # children come behind their parents
            node = self._nodes[number]
            if node.children:
                after = np.stack([values[self._number[id(child)]] for child in node.children])
                values[number] = (self._chances(node, turn)[:, :, None] * after).sum(axis=0)
        return values

    def _known_at(self, number: int, turn: int) -> Rows:
        """Return (deals,): deals with the same number differ in nothing that is known in common or to who is silent."""
        node, seats = self._nodes[number], range(self._game.num_seats)
        silent = [node.views[seat] for seat in seats if self._shown[self._place(seat, turn)] is None]
        rows = np.stack(silent or [_common(node.views)], axis=1)
        return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1].ravel(), np.int64)

    def on_deal(self, batch: Hands) -> None:
        """Find out which deals these are, and what is known of them."""
        n, seats = len(batch.tables), self._game.num_seats
        self._deal = enumeration_of(self._game).numbers(batch.tables)
        shift = batch.tables["actor"].astype(np.int64) - self._root.seat
        self._turn = (batch.hands - shift) % seats
        self._node = np.zeros(n, np.int64)
        self._weights = np.full((n, len(self._known(0, 0))), 1 / len(self._known(0, 0)))
        self._terms = np.zeros((n, seats, _NUM_TERMS))
        for turn in range(seats):
            rows = np.flatnonzero(self._turn == turn)
            values = self._seating(turn)[0]
            self._show(rows, 0, turn, np.tile(values.mean(axis=0), (len(rows), 1)), _HOLE_CARDS)

    def _show(self, rows: Rows, number: int, turn: int, before: Floats, kind: int) -> None:
        """Note what is known at a node, and what that changed; `before` is the mean value without it (rows, seats)."""
        known = self._known(number, turn)
        weights = np.where(known == known[self._deal[rows], None], self._weights[rows], 0.0)
        weights /= weights.sum(axis=1, keepdims=True)
        self._node[rows], self._weights[rows] = number, weights
        change = weights @ self._seating(turn)[number] - before
        for seat in range(self._game.num_seats):
            self._terms[rows, self._place(seat, turn), kind] += change[:, seat]

    def counterfactual_tables(self, batch: Hands, rows: Rows) -> tuple[Tables, Rows]:
        """Return the tables as they are: what agents then say is compared with what they said of the tree."""
        return batch.tables[rows], np.arange(len(rows))

    def on_actions(self, batch: Hands, rows: Rows, actions: Rows, chances: Floats) -> None:
        """Note what the actions changed."""
        keys = np.stack([self._node[rows], self._turn[rows], actions], axis=1)
        for number, turn, action in np.unique(keys, axis=0).tolist():
            mine = np.flatnonzero((keys == (number, turn, action)).all(axis=1))
            self._act(rows[mine], number, turn, action, chances[mine])

    def _act(self, rows: Rows, number: int, turn: int, action: int, chances: Floats) -> None:
        node, values = self._nodes[number], self._seating(turn)
        taken = int(np.searchsorted(node.actions, action))
        child = self._number[id(node.children[taken])]
        actor = self._place(node.seat, turn)
        if self._shown[actor] is not None:
            likely = self._chances(node, turn)
            self._check(actor, likely[:, self._deal[rows]].T, chances[:, node.actions])
            before = self._weights[rows] @ values[number]
            weights = self._weights[rows] * likely[taken]
            self._weights[rows] = weights / weights.sum(axis=1, keepdims=True)
            change = self._weights[rows] @ values[child] - before
            for seat in range(self._game.num_seats):
                place = self._place(seat, turn)
                self._terms[rows, place, _OWN if place == actor else _OTHERS] += change[:, seat]
        self._show(rows, child, turn, self._weights[rows] @ values[child], _BOARD)

    def _check(self, actor: int, expected: Floats, chances: Floats) -> None:
        """Raise a ValueError for an agent that says otherwise now than it said when it was asked about the tree."""
        if np.abs(expected - chances).max() > _SAME:
            raise ValueError(
                f"agent {self._agents[actor].name!r} does not play by what it sees alone: asked twice about the same "
                "cards and bets, at different seats or tables, it gave different probabilities"
            )

    def compute_controls(self, batch: Hands, places: Sequence[int]) -> list[Controls]:
        """Return the controls of each of `places`; all hands of the batch must be over."""
        n, seats = len(batch.tables), self._game.num_seats
        rows, turned = np.arange(n), (np.arange(seats) + self._turn[:, None]) % seats  # seats of the tree, by place
        won, mean = np.empty((n, seats)), np.empty((n, seats))
        for number in np.unique(self._node).tolist():
            mine, rewards = np.flatnonzero(self._node == number), self._nodes[number].rewards
            won[mine], mean[mine] = rewards[self._deal[mine]], self._weights[mine] @ rewards
        won, mean = (np.take_along_axis(each, turned, axis=1) for each in (won, mean))
        payoffs = batch.tables["payoff"][:, :seats].astype(np.int64) / self._game.chips_per_reward
        real = np.take_along_axis(payoffs, (np.arange(seats) + batch.hands[:, None]) % seats, axis=1)
        if not np.allclose(won, real):
            raise ValueError(f"seats of {self._game.name} differ in more than their cards, in stacks perhaps: no "
                             "control variates")  # fmt: skip
        luck = won - mean
        if self.is_complete:  # the values are exact: nothing is left to be learned
            luck = luck + self._terms.sum(axis=2)
        return [Controls(luck[rows, place], self._terms[:, place]) for place in places]


def _strategy(agent: Agent, game: Game) -> Floats:
    return strategy_of(agent, PublicTree(agent.apply_encoder(game)))


def _listed(root: Node) -> list[Node]:
    """Return all nodes, parents before their children, the root first."""
    nodes = [root]
    for node in nodes:
        nodes += node.children
    return nodes


def _common(views: Rows) -> Rows:
    """Return (deals,): deals that all seats together cannot tell apart, by what they know in common, are equal."""
    groups = np.arange(views.shape[1])
    while True:
        before = groups
        for view in views:
            least = np.full(view.max() + 1, len(groups))
            np.minimum.at(least, view, groups)
            groups = least[view]
        if np.array_equal(groups, before):
            return groups
