"""Exact control variates for small games, computed from all deals.

After any public history, the possible deals have probabilities by Bayes' rule from the agents' action probabilities.
The value of a public state in a deal is the mean reward if each seat plays its agent's strategy, or uniformly at random
for an agent that cannot be asked. A control variate is the mean value after an event (an action, public cards) minus
the mean value before it, over the possible deals; given the history, its mean is zero. The result itself is replaced by
its mean over the deals that are possible at the end. This is AIVAT (Burch et al. 2018) with the exact values of the
tree.

Everything that an agent sees that cannot be asked is treated as known. Its actions are then equally probable in all
possible deals, and have no control variates. If all agents can be asked, only the variance of their seats remains.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from card_envs.agent import Agent
from card_envs.analysis.exploitability.best_response import strategy_of
from card_envs.analysis.exploitability.public_tree import Node, PublicTree, enumeration_of
from card_envs.analysis.variance.control_terms import Controls, ControlUnits
from card_envs.game import Game, Tables
from card_envs.match.callbacks import MatchBatch
from card_envs.typing import Floats, Rows

MAX_CELLS = 1_000_000
"""Maximum number of public states times deals of a game."""
_HOLE_CARDS, _OWN, _OTHERS, _BOARD = range(4)
"""Control variates: cards of agents that cannot be asked, the agent's own actions, actions of others, public cards."""
_NUM_TERMS = 4
_LEAST_STAKE = 0.25
"""Floor of the standard deviation of a control variate, as a fraction of the largest reward."""
_TOLERANCE = 1e-4
"""Tolerance for probabilities that an agent returns twice for the same decision, because networks round."""


def can_be_asked(agent: Agent) -> bool:
    """Return True for agents whose action probabilities are known and do not depend on earlier deals."""
    return (agent.shows_probabilities or not agent.mixes) and not agent.needs_deal_events


class TreeControlTerms:
    """The `ControlTerms` of a game with few deals, ValueError for others; agents are in the order of the match."""

    def __init__(self, game: Game, agents: Sequence[Agent]) -> None:
        tree = PublicTree(game)
        self._nodes = [tree.root]  # parents before their children
        for node in self._nodes:
            self._nodes += node.children
        if (cells := len(self._nodes) * tree.num_deals) > MAX_CELLS:
            raise ValueError(
                f"{game.name} has {cells:,} public states times deals; control variates are for at most {MAX_CELLS:,}"
            )
        self._game, self._agents, self._root = game, agents, tree.root
        self._index = {id(node): index for index, node in enumerate(self._nodes)}
        self._strategies = [
            strategy_of(agent, PublicTree(game, encoder=agent.find_encoder(game))) if can_be_asked(agent) else None
            for agent in agents
        ]
        mask = tree.decisions.action_mask.astype(np.float64)
        self._uniform = mask / mask.sum(axis=1, keepdims=True)
        self._values = lru_cache(maxsize=None)(self._compute_values)
        self._groups = lru_cache(maxsize=None)(self._group_deals)
        max_reward = max(float(np.abs(node.rewards).max()) for node in self._nodes if node.seat < 0)
        self.units = ControlUnits(np.ones(_NUM_TERMS, bool), _LEAST_STAKE * max_reward)

    @property
    def is_complete(self) -> bool:
        """True if all agents can be asked: only the variance of their seats then remains."""
        return all(strategy is not None for strategy in self._strategies)

    def _agent_at(self, seat: int, turn: int) -> int:
        """Return the index of the agent at a seat of the tree, if agents are moved `turn` seats around the table."""
        return (seat - turn) % self._game.num_seats

    def _chances(self, node: Node, turn: int) -> Floats:
        """Return (actions, deals): the probabilities of the actor's actions, uniform if they are unknown."""
        strategy = self._strategies[self._agent_at(node.seat, turn)]
        return node.probabilities(self._uniform if strategy is None else strategy)

    def _compute_values(self, turn: int) -> list[Floats]:
        """Return the values of each node, (deals, seats): mean rewards from there on."""
        values: list[Floats] = [node.rewards for node in self._nodes]
        for index in range(len(self._nodes) - 1, -1, -1):  # children have larger indices than their parents
            node = self._nodes[index]
            if node.children:
                after = np.stack([values[self._index[id(child)]] for child in node.children])
                values[index] = (self._chances(node, turn)[:, :, None] * after).sum(axis=0)
        return values

    def _group_deals(self, index: int, turn: int) -> Rows:
        """Return (deals,): equal numbers for deals that the agents that cannot be asked cannot tell apart."""
        node, seats = self._nodes[index], range(self._game.num_seats)
        views = [node.views[seat] for seat in seats if self._strategies[self._agent_at(seat, turn)] is None]
        rows = np.stack(views or [_group_by_common_knowledge(node.views)], axis=1)
        return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1].ravel(), np.int64)

    def on_deal(self, batch: MatchBatch) -> None:
        """Set the possible deals of each hand, and the control variate of the hole cards."""
        n, seats = len(batch.tables), self._game.num_seats
        self._deal = enumeration_of(self._game).deal_indices(batch.tables)
        shift = batch.tables["actor"].astype(np.int64) - self._root.seat
        first = batch.seats[:, :1]
        if not np.array_equal(batch.seats, (first + np.arange(seats)) % seats):
            raise ValueError(f"{self._game.name} has control variates for rotations of one seating only")
        self._turn = (first[:, 0] - shift) % seats
        self._node = np.zeros(n, np.int64)
        self._weights = np.full((n, len(self._groups(0, 0))), 1 / len(self._groups(0, 0)))
        self._terms = np.zeros((n, seats, _NUM_TERMS))
        for turn in range(seats):
            rows = np.flatnonzero(self._turn == turn)
            values = self._values(turn)[0]
            self._update(rows, 0, turn, np.tile(values.mean(axis=0), (len(rows), 1)), _HOLE_CARDS)

    def _update(self, rows: Rows, index: int, turn: int, before: Floats, kind: int) -> None:
        """Update the weights of the deals at a node; add the change of the mean value from `before` (rows, seats)."""
        groups = self._groups(index, turn)
        weights = np.where(groups == groups[self._deal[rows], None], self._weights[rows], 0.0)
        weights /= weights.sum(axis=1, keepdims=True)
        self._node[rows], self._weights[rows] = index, weights
        change = weights @ self._values(turn)[index] - before
        for seat in range(self._game.num_seats):
            self._terms[rows, self._agent_at(seat, turn), kind] += change[:, seat]

    def counterfactual_tables(self, batch: MatchBatch, rows: Rows) -> tuple[Tables, Rows]:
        """Return copies of the tables, at which the agents' probabilities are compared with those in the tree."""
        return batch.tables[rows], np.arange(len(rows))

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows, probabilities: Floats) -> None:
        """Update the possible deals and the control variates of the actions."""
        keys = np.stack([self._node[rows], self._turn[rows], actions], axis=1)
        for index, turn, action in np.unique(keys, axis=0).tolist():
            mine = np.flatnonzero((keys == (index, turn, action)).all(axis=1))
            self._apply(rows[mine], index, turn, action, probabilities[mine])

    def _apply(self, rows: Rows, index: int, turn: int, action: int, probabilities: Floats) -> None:
        node, values = self._nodes[index], self._values(turn)
        k = int(np.searchsorted(node.actions, action))
        child = self._index[id(node.children[k])]
        actor = self._agent_at(node.seat, turn)
        if self._strategies[actor] is not None:
            likelihoods = self._chances(node, turn)
            expected = likelihoods[:, self._deal[rows]].T
            if np.abs(expected - probabilities[:, node.actions]).max() > _TOLERANCE:
                raise ValueError(
                    f"agent {self._agents[actor].name!r} returned different probabilities for the same cards and bets "
                    "at different seats or tables: its strategy must depend on its observations only"
                )
            before = self._weights[rows] @ values[index]
            weights = self._weights[rows] * likelihoods[k]
            self._weights[rows] = weights / weights.sum(axis=1, keepdims=True)
            change = self._weights[rows] @ values[child] - before
            for seat in range(self._game.num_seats):
                agent = self._agent_at(seat, turn)
                self._terms[rows, agent, _OWN if agent == actor else _OTHERS] += change[:, seat]
        self._update(rows, child, turn, self._weights[rows] @ values[child], _BOARD)

    def compute_controls(self, batch: MatchBatch, agents: Sequence[int]) -> list[Controls]:
        """Return the control variates of each agent, given by its index; all hands of the batch must be over."""
        n, seats = len(batch.tables), self._game.num_seats
        rows, turned = np.arange(n), (np.arange(seats) + self._turn[:, None]) % seats  # seats of the tree, by agent
        won, mean = np.empty((n, seats)), np.empty((n, seats))
        for index in np.unique(self._node).tolist():
            mine, rewards = np.flatnonzero(self._node == index), self._nodes[index].rewards
            won[mine], mean[mine] = rewards[self._deal[mine]], self._weights[mine] @ rewards
        won, mean = (np.take_along_axis(each, turned, axis=1) for each in (won, mean))
        if not np.allclose(won, batch.payoffs / self._game.chips_per_reward):
            raise ValueError(
                f"seats of {self._game.name} have different stacks or other settings: there are no control variates"
            )
        correction = won - mean
        if self.is_complete:  # the values are exact: all coefficients are 1
            correction = correction + self._terms.sum(axis=2)
        return [Controls(correction[rows, agent], self._terms[:, agent]) for agent in agents]


def _group_by_common_knowledge(views: Rows) -> Rows:
    """Return (deals,): equal numbers for deals that the common knowledge of the seats cannot tell apart."""
    groups = np.arange(views.shape[1])
    while True:
        before = groups
        for view in views:
            least = np.full(view.max() + 1, len(groups))
            np.minimum.at(least, view, groups)
            groups = least[view]
        if np.array_equal(groups, before):
            return groups
