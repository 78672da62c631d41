"""The betting of a two-player game as a tree that does not depend on the cards, grown by playing the game.

The engine grows the tree of every game of hold'em's betting kernel, from any table on: Kuhn poker and Leduc hold'em
too, other stacks and bet menus, and endgames.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.betting_keys import find_keys, find_sorted
from card_baselines.solvers.hands import NUM_PLAYERS
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION, is_legal
from card_envs.memory import find_free_memory
from card_envs.records import Tables
from card_envs.typing import Integers

LIMIT_ACTIONS = 3
"""Fold, call, raise: the actions of a limit game."""
_NODE_BYTES = 2_000
"""Memory that a node takes while a tree is grown."""


def node_type(num_actions: int) -> np.dtype[Any]:
    """Return the type of the nodes of a tree, as kernels read them, in a game with so many action ids."""
    return np.dtype(
        (
            np.record,
            [
                ("player", np.int32),  # the player to act, NOBODY at the end of a hand
                ("street", np.int32),
                ("folded", np.int32),  # at the end of a hand: the player who folded, NOBODY at a showdown
                ("stake", np.int32),  # at the end of a hand: chips that the loser pays
                ("legal", np.int64),  # set of legal actions: bit a stands for action a
                ("slots", np.int64),  # set of slots of `child` in which there is a node
                ("num_slots", np.int64),  # number of slots up to the last one with a node
                ("first", np.int64),  # first entry of the information state in tables of strategies
                ("end", np.int32),  # the node after the subtree of this one
                ("child", np.int32, (num_actions,)),  # node after the action in each slot, -1 for none
            ],
        )
    )


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A tree of betting. Nodes are in depth-first order, so children come after their parents.

    A *player* is a seat. Trees of whole games begin with the button at seat 1, so that player 1 is the button.

    Decisions are found by the betting that a table records (`betting_keys`). A limit table tells all of its betting. A
    no-limit table tells the last eight decisions; decisions that it does not tell apart share an information *state*.
    """

    player: Integers
    """(nodes,): the player to act, NOBODY at the end of a hand."""
    street: Integers
    """(nodes,): the street of each node; at the end of a hand that of the last decision."""
    folded: Integers
    """(nodes,): at the end of a hand, the player that folded, NOBODY at a showdown."""
    stake: Integers
    """(nodes,): at the end of a hand, chips that the loser pays, else 0."""
    size: NDArray[np.float32]
    """(nodes,): size of the raise that leads to each node, as a fraction of the pot after calling; 0 for others."""
    parent: Integers
    """(nodes,): the node before each node, -1 at the root."""
    action: Integers
    """(nodes,): the action of the parent that leads to each node, -1 at the root."""
    child: Integers
    """(nodes, actions): the node after each action, -1 where it is illegal."""
    end: Integers
    """(nodes,): the node after the subtree of each node."""
    depth: int
    """Maximum number of decisions in a hand."""
    keys: NDArray[np.uint64]
    """(states,): the key (`betting_keys`) of each information state, ascending."""
    found: Integers
    """(states,): a node with each of the keys."""
    tables: Tables
    """(decisions,): a table at each decision; see `tables_at`."""

    @cached_property
    def legal(self) -> Integers:
        """(nodes,): set of legal actions: bit a stands for action a."""
        return np.asarray((self.child >= 0) @ (1 << np.arange(self.child.shape[1])), np.int64)

    @cached_property
    def decisions(self) -> Integers:
        """(decisions,): nodes at which a player acts."""
        return np.flatnonzero(self.player != NOBODY)

    @cached_property
    def state(self) -> Integers:
        """(nodes,): the information state of each decision, numbered as they come in the tree; -1 at other nodes."""
        _, first, same = np.unique(find_keys(self.tables), return_index=True, return_inverse=True)
        state = np.full(len(self.player), -1)
        state[self.decisions] = np.argsort(np.argsort(first))[same]
        return state

    @cached_property
    def first(self) -> Integers:
        """(states,): the first node of each information state."""
        return self.decisions[np.unique(self.state[self.decisions], return_index=True)[1]]

    def tables_at(self, nodes: Integers) -> Tables:
        """Return copies (n,) of the tables at decisions (n,). Their cards are not to be read."""
        return self.tables[np.searchsorted(self.decisions, nodes)]

    def find(self, views: Tables) -> Integers:
        """Return the nodes (n,) at which the actors of tables or views are, -1 for none."""
        return np.append(self.found, -1)[find_sorted(self.keys, find_keys(views))]

    def find_states(self, views: Tables) -> Integers:
        """Return the information states (n,) of the actors of tables or views, -1 for none."""
        return np.append(self.state, -1)[self.find(views)]

    def find_path(self, node: int) -> tuple[Integers, Integers]:
        """Return the decisions before a node, in their order, and the actions that were taken there."""
        nodes, actions = [], []
        while self.parent[node] >= 0:
            actions.append(int(self.action[node]))
            node = int(self.parent[node])
            nodes.append(node)
        return np.array(nodes[::-1], np.int64), np.array(actions[::-1], np.int64)

    def find_street(self, node: int) -> int:
        """Return the first decision of the street of a decision."""
        street = self.street[node]
        while (parent := int(self.parent[node])) >= 0 and self.street[parent] == street:
            node = parent
        return node

    def pack(self, first: Integers | None = None, is_packed: bool = False) -> NDArray[Any]:
        """Return the nodes as records of `node_type`.

        Args:
            first: (states,): index of the first entry of each state in tables of strategies, None for 0.
            is_packed: The slots of actions are their numbers among the legal ones, else their ids.
        """
        nodes = np.zeros(len(self.player), node_type(self.child.shape[1]))
        for name in ("player", "street", "folded", "stake", "legal", "end", "child"):
            nodes[name] = getattr(self, name)
        if is_packed:
            child = nodes["child"]
            child[:] = np.take_along_axis(child, np.argsort(child < 0, axis=1, kind="stable"), axis=1)
        slots = np.arange(self.child.shape[1])
        nodes["slots"] = (nodes["child"] >= 0) @ (1 << slots)
        nodes["num_slots"] = np.where(nodes["child"] >= 0, slots + 1, 0).max(axis=1)
        if first is not None:
            nodes["first"][self.decisions] = first[self.state[self.decisions]]
        return nodes


class _Level(NamedTuple):
    """All nodes of one depth, by action, then in the order of their parents."""

    tables: Tables
    parent: Integers
    """Numbers of the parents, counted over all levels."""
    action: Integers
    size: NDArray[np.float32]

    def follow(self, action: np.int64, number: int) -> _Level:
        """Return the nodes after an action; `number` is that of the first node of this level."""
        rows = np.empty(len(self.tables), np.int64)
        rows = rows[: list_legal(self.tables, action, rows)]
        after = self.tables[rows]
        step_all(after, action)
        is_raise = action >= FIRST_RAISE_ACTION
        sizes = raise_sizes(self.tables[rows], after) if is_raise else np.zeros(len(rows), np.float32)
        return _Level(after, number + rows, np.full(len(rows), action), sizes)

    @staticmethod
    def join(parts: list[_Level]) -> _Level:
        """Return the nodes of several parts."""
        return _Level(*map(np.concatenate, zip(*parts, strict=True)))


def grow_tree(first: Tables, num_actions: int, max_nodes: int, advice: str = "") -> BettingTree:
    """Return the tree of betting from a table on, level by level.

    Args:
        first: (1,): the table. Cards are not read.
        num_actions: Number of action ids of the game.
        max_nodes: Maximum number of nodes. Children are counted before they are allocated.
        advice: What to do about larger trees beside choosing a smaller menu or smaller stacks.

    Raises:
        ValueError: If the tree is larger, or does not fit into free memory.
    """
    fitting = int(min(max_nodes, find_free_memory() / _NODE_BYTES))
    level = _Level(first, np.array([-1]), np.array([-1]), np.zeros(1, np.float32))
    levels: list[_Level] = []
    num, num_nodes = 0, 1
    while len(level.tables):
        levels.append(level)
        num_nodes += int(count_legal(level.tables, np.int64(num_actions)))
        if num_nodes > fitting:
            raise ValueError(
                f"the game has more than {fitting:,} sequences of bets, the largest tree that is grown here and fits "
                f"into free memory: choose a smaller bet_menu or smaller stacks{advice}; there are {num_nodes:,} or "
                "more"
            )
        following = [level.follow(np.int64(action), num) for action in range(num_actions)]
        num += len(level.tables)
        level = _Level.join(following)
    return _sort_nodes(_Level.join(levels), num_actions, len(levels) - 1)


def raise_sizes(tables: Tables, after: Tables) -> NDArray[np.float32]:
    """Return the sizes (n,) of raises, as fractions of the pot after calling; `after` are the tables after them."""
    rows, seats = np.arange(len(tables)), tables["actor"].astype(np.int64)
    owed = tables["current_bet"] - tables["street_commit"][rows, seats]
    paid = after["hand_commit"] - tables["hand_commit"]
    return np.asarray((paid[rows, seats] - owed) / np.maximum(tables["pot"] + owed, 1), np.float32)


def _sort_nodes(levels: _Level, num_actions: int, depth: int) -> BettingTree:
    """Return the tree of the nodes of all levels."""
    tables, parent, action, size = levels
    sizes, place, following = np.ones(len(parent), np.int64), *np.zeros((2, len(parent)), np.int64)
    number_nodes(parent, sizes, place, following)
    nodes = np.argsort(place)
    parents = np.append(place, -1)[parent[nodes]]
    child = np.full((len(nodes), num_actions), -1)
    child[parents[1:], action[nodes[1:]]] = np.arange(1, len(nodes))
    is_decision = tables["is_over"] == 0
    keys, first = np.unique(find_keys(tables[is_decision]), return_index=True)
    stays = tables["in_hand"].astype(np.int64)[:, None] >> np.arange(NUM_PLAYERS) & 1
    is_fold = ~is_decision & (stays.sum(axis=1) < NUM_PLAYERS)
    stake = tables["hand_commit"][:, :NUM_PLAYERS].min(axis=1)
    return BettingTree(
        player=tables["actor"][nodes].astype(np.int64),
        street=tables["street"][nodes].astype(np.int64),
        folded=np.where(is_fold, stays.argmin(axis=1), NOBODY)[nodes],
        stake=np.where(is_decision, 0, stake)[nodes],
        size=size[nodes],
        parent=parents,
        action=action[nodes],
        child=child,
        end=np.arange(len(nodes)) + sizes[nodes],
        depth=depth,
        keys=keys,
        found=place[is_decision][first],
        tables=tables[nodes[is_decision[nodes]]],
    )


@kernel
def number_nodes(parent: Any, sizes: Any, place: Any, following: Any) -> None:
    """Write the numbers of nodes in depth-first order to `place`, and the sizes of their subtrees.

    Args:
        parent: (nodes,): parents; nodes are by level, and those of one parent by action.
        sizes: (nodes,): ones.
        place: (nodes,): zeros.
        following: (nodes,): scratch space, the number of the next child of each node.
    """
    for k in range(parent.shape[0] - 1, 0, -1):
        sizes[parent[k]] += sizes[k]
    following[0] = 1
    for k in range(1, parent.shape[0]):
        place[k] = following[parent[k]]
        following[parent[k]] += sizes[k]
        following[k] = place[k] + 1


@kernel
def list_legal(tables: Any, action: Any, rows: Any) -> Any:
    """Write the indices of the tables at which an action is legal to `rows`, and return their number."""
    num = 0
    for i in range(tables.shape[0]):
        if tables[i].actor != NOBODY and is_legal(tables[i], action):
            rows[num] = i
            num += 1
    return num


@kernel
def count_legal(tables: Any, num_actions: Any) -> Any:
    """Return the number of legal actions of all tables together."""
    num = 0
    for i in range(tables.shape[0]):
        if tables[i].actor != NOBODY:
            for action in range(num_actions):
                num += is_legal(tables[i], action)
    return num


@kernel
def step_all(tables: Any, action: Any) -> None:
    """Take an action, which must be legal, at every table."""
    for i in range(tables.shape[0]):
        kernels.step(tables, i, action)
