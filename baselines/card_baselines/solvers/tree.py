"""The betting of a two-player game as a tree that does not depend on the cards, grown by playing the game.

The engine grows the tree of every game of hold'em's betting kernel, from any table on: Kuhn poker and Leduc hold'em
too, other stacks and bet menus, and endgames.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import NOBODY, Game
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import is_legal
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame, EndgameConfig
from card_envs.games.holdem.state import MENU_INTEGERS, RECENT_ACTIONS
from card_envs.records import Tables
from card_envs.rng import splitmix64

NUM_PLAYERS = 2
MAX_NODES = 4_000
"""Maximum number of nodes for best responses and re-solving, whose arrays then take about 100 MB."""
MAX_DECISIONS = 250_000
"""Maximum number of decisions of `BettingPaths.grow`: with half the pot, the pot and all-in a game has 48,224 at 100
big blinds."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A tree of betting. Nodes are in depth-first order, so children come after their parents.

    A *player* is a seat. Trees of whole games begin with the button at seat 1, so that player 1 is the button.
    """

    levels: list[Tables]
    """Tables at all nodes: one array for each depth, in `level_order`."""
    parent: Numbers
    """(nodes,): the node before each node, -1 at the root."""
    action: Numbers
    """(nodes,): the action of the parent that leads to each node, -1 at the root."""
    child: Numbers
    """(nodes, actions): the node after each action, -1 where it is illegal."""
    end: Numbers
    """(nodes,): the node after the subtree of each node."""
    level_order: Numbers
    """(nodes,): all nodes, by depth, then by action, then in the order of their parents."""

    def read(self, *fields: str) -> NDArray[Any]:
        """Return some fields of the tables at all nodes, (nodes,)."""
        found = np.concatenate([level[list(fields)] for level in self.levels])
        return found[np.argsort(self.level_order)]

    @cached_property
    def tables(self) -> Tables:
        """(nodes,): a table at each node."""
        return np.concatenate(self.levels)[np.argsort(self.level_order)]

    @cached_property
    def player(self) -> Numbers:
        """(nodes,): the player to act, NOBODY at terminal nodes."""
        return self.read("actor")["actor"].astype(np.int64)

    @cached_property
    def street(self) -> Numbers:
        """(nodes,): the street of each node; at terminal nodes that of the last decision."""
        return self.read("street")["street"].astype(np.int64)

    @cached_property
    def folded(self) -> Numbers:
        """(nodes,): at terminal nodes, the player that folded, NOBODY at a showdown."""
        stays = self.read("in_hand")["in_hand"].astype(np.int64)[:, None] >> np.arange(NUM_PLAYERS) & 1
        is_fold = (self.player == NOBODY) & (stays.sum(axis=1) < NUM_PLAYERS)
        return np.where(is_fold, stays.argmin(axis=1), NOBODY)

    @cached_property
    def stake(self) -> NDArray[np.float64]:
        """(nodes,): at terminal nodes, chips that the loser pays."""
        return np.asarray(self.read("hand_commit")["hand_commit"][:, :NUM_PLAYERS].min(axis=1), np.float64)

    @cached_property
    def legal(self) -> Numbers:
        """(nodes,): set of legal actions: bit a stands for action a."""
        return np.asarray((self.child >= 0) @ (1 << np.arange(self.child.shape[1])), np.int64)

    @cached_property
    def decisions(self) -> Numbers:
        """(decisions,): nodes at which a player acts."""
        return np.flatnonzero(self.player != NOBODY)


def first_table(game: Game) -> Tables:
    """Return a table (1,) before the first decision, at which player p sits at seat p. Its cards are not to be read."""
    tables, config, endgame = game.seeded_tables(1, 0), game.config, endgame_of(game)
    if endgame is not None:
        free = [card for card in config.deck_cards if card not in endgame.cards]
        endgame.start(tables, 0, NUM_PLAYERS - 1, free[: 2 * NUM_PLAYERS])
    else:
        deal_first(tables, config)
    return tables


def endgame_of(game: Game) -> Endgame | None:
    """Return the endgame that a game is, None for other games."""
    return game.config.endgame if isinstance(game.config, EndgameConfig) else None


def deal_first(tables: Tables, config: HoldemConfig) -> Tables:
    """Deal a hand at tables[0], with the button at the last seat; return the tables."""
    tables[0].button = NUM_PLAYERS - 1
    tables[0].deck[: config.num_dealt] = config.deck_cards[: config.num_dealt]
    kernels.deal_known(tables, 0, config.num_dealt)
    return tables


def grow_betting(game: Game, first: Tables) -> BettingTree:
    """Return the betting from a table (1,) on, which may hold any cards.

    Raises:
        ValueError: If the tree has more than `MAX_NODES` nodes.
    """
    return grow(
        first, game.num_actions, max_nodes=MAX_NODES,
        refusal=f"{game.name} has more than {MAX_NODES:,} betting sequences with these settings, the most that exact "
        "best responses and re-solving go through: choose a smaller bet_menu or smaller stacks (or, to measure an "
        "agent, --method local or learned)",
    )  # fmt: skip


def grow(
    first: Tables, num_actions: int, *, max_nodes: int | None = None, max_decisions: int | None = None,
    refusal: str = "",
) -> BettingTree:  # fmt: skip
    """Return the tree of betting from a table on, level by level.

    Args:
        first: (1,): the table. Cards are not read.
        num_actions: Number of action ids of the game.
        max_nodes: Largest number of nodes, None for no limit.
        max_decisions: Largest number of nodes at which a player acts, None for no limit.
        refusal: Message of the error for larger trees.

    Raises:
        ValueError: If the tree is larger.
    """
    levels: list[tuple[Tables, Numbers, Numbers]] = []
    tables, parents, actions = first, np.array([-1]), np.array([-1])
    num = num_decisions = 0
    while len(tables):
        levels.append((tables, parents, actions))
        num, num_decisions = num + len(tables), num_decisions + int((tables["is_over"] == 0).sum())
        if num > (max_nodes or num) or num_decisions > (max_decisions or num_decisions):
            raise ValueError(refusal)
        following = [_take(tables, np.int64(action), num - len(tables)) for action in range(num_actions)]
        tables, parents, actions = (np.concatenate([part[k] for part in following]) for k in range(3))
    return _sort_nodes(levels, num_actions)


def _take(tables: Tables, action: np.int64, first: int) -> tuple[Tables, Numbers, Numbers]:
    """Return the tables after an action, their parents and the action; `first` is the number of tables[0]."""
    rows = np.empty(len(tables), np.int64)
    rows = rows[: list_legal(tables, action, rows)]
    after = tables[rows]
    step_all(after, action)
    return after, first + rows, np.full(len(rows), action)


def _sort_nodes(levels: list[tuple[Tables, Numbers, Numbers]], num_actions: int) -> BettingTree:
    """Return the tree of nodes given by level, with their parents, numbered over all levels, and actions."""
    parent, action = (np.concatenate([level[k] for level in levels]) for k in (1, 2))
    num, ends = len(parent), np.cumsum([len(level[1]) for level in levels])
    parts = [slice(begin, end) for begin, end in pairwise(ends.tolist())]  # the levels below the root
    sizes, place = np.ones(num, np.int64), np.zeros(num, np.int64)
    for part in reversed(parts):
        np.add.at(sizes, parent[part], sizes[part])
    order = np.lexsort((action, parent))  # children of one parent follow each other
    total = np.cumsum(sizes[order]) - sizes[order]
    is_first = np.append(True, np.diff(parent[order]) != 0)
    before = np.empty(num, np.int64)
    before[order] = total - np.maximum.accumulate(np.where(is_first, total, 0))
    for part in parts:
        place[part] = place[parent[part]] + 1 + before[part]
    nodes = np.argsort(place)
    parents = np.append(place, -1)[parent[nodes]]
    child = np.full((num, num_actions), -1)
    child[parents[1:], action[nodes[1:]]] = np.arange(1, num)
    tables = [level[0] for level in levels]
    return BettingTree(tables, parents, action[nodes], child, np.arange(num) + sizes[nodes], place)


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
def step_all(tables: Any, action: Any) -> None:
    """Take an action, which must be legal, at every table."""
    for i in range(tables.shape[0]):
        kernels.step(tables, i, action)


# --- decisions found at tables --------------------------------------------------------------------------------------


class BettingPaths:
    """The decisions of a game, found by the betting that a table records, and the path to each.

    A limit table tells all of its betting. A no-limit table tells the last eight decisions (`hash_betting`); of betting
    that it does not tell apart, one sequence stands for all. Parents come before children.
    """

    def __init__(self, tree: BettingTree) -> None:
        """List the decisions of a tree."""
        self.nodes = tree.level_order[tree.player[tree.level_order] != NOBODY]
        """(decisions,): their nodes in the tree."""
        number_of = np.full(len(tree.player) + 1, -1)
        number_of[self.nodes] = np.arange(len(self.nodes))
        self.tables = np.concatenate([level[level["is_over"] == 0] for level in tree.levels])
        self.parent, self.action = number_of[tree.parent[self.nodes]], tree.action[self.nodes]
        self._keys, self._numbers = np.unique(find_keys(self.tables), return_index=True)

    @staticmethod
    def grow(first: Tables, num_actions: int) -> BettingPaths:
        """Play all sequences of actions from a table (1,) on; its cards are not read, and must be different ones.

        Raises:
            ValueError: If there is an action for every amount, or more than `MAX_DECISIONS` decisions.
        """
        if first["menu"][0] == MENU_INTEGERS:
            raise ValueError("an action for every amount has too many sequences of bets: choose a bet_menu")
        tree = grow(
            first, num_actions, max_decisions=MAX_DECISIONS,
            refusal=f"the game has more than {MAX_DECISIONS:,} sequences of bets: choose a smaller bet_menu or smaller "
            "stacks",
        )  # fmt: skip
        return BettingPaths(tree)

    def find(self, views: Tables) -> Numbers:
        """Return the numbers (n,) of the decisions at which the actors of tables or views are, -1 for none."""
        return np.append(self._numbers, -1)[find_sorted(self._keys, find_keys(views))]

    def find_path(self, number: int) -> tuple[Numbers, Numbers]:
        """Return the decisions before a decision, in their order, and the actions that were taken there."""
        numbers, actions = [], []
        while self.parent[number] >= 0:
            actions.append(int(self.action[number]))
            number = int(self.parent[number])
            numbers.append(number)
        return np.array(numbers[::-1], np.int64), np.array(actions[::-1], np.int64)

    def find_street(self, number: int) -> int:
        """Return the first decision of the street of a decision."""
        street = self.tables["street"][number]
        while (parent := int(self.parent[number])) >= 0 and self.tables["street"][parent] == street:
            number = parent
        return number


def find_sorted(keys: NDArray[Any], wanted: NDArray[Any]) -> Numbers:
    """Return the index (n,) of each wanted number (n,) in ascending `keys`, -1 for those that are not there."""
    places = np.searchsorted(keys, wanted)
    is_known = places < len(keys)
    is_known[is_known] = keys[places[is_known]] == wanted[is_known]
    return np.where(is_known, places, -1)


def find_keys(tables: Tables) -> NDArray[np.uint64]:
    """Return the `hash_betting` (n,) of tables or views."""
    keys = np.empty(len(tables), np.uint64)
    write_keys(tables, keys)
    return keys


@kernel
def write_keys(tables: Any, keys: Any) -> None:
    """Write the `hash_betting` of each table or view."""
    for j in range(tables.shape[0]):
        keys[j] = hash_betting(tables[j])


@kernel
def hash_betting(t: Any) -> Any:
    """Return a hash of the betting that a table or view holds: the last decisions, amounts and numbers of raises.

    Players are identified by the button, and cards are ignored.
    """
    button = np.int64(t.button)
    key = splitmix64(np.uint64(t.num_decisions) * np.uint64(8) + np.uint64(t.street))
    actor = 1 if t.actor == button else 0
    key = splitmix64(key ^ np.uint64(np.int64(t.legal) * 2 + actor))
    for player in range(NUM_PLAYERS):
        seat = button if player == 1 else 1 - button
        key = splitmix64(key ^ np.uint64(np.int64(t.hand_commit[seat]) << 32 | np.int64(t.street_commit[seat])))
    raises = np.int64(0)
    for street in range(4):
        raises = raises << 7 | np.int64(t.street_raises[street])
        first = np.int64(t.raiser[street, 0])
        raises = raises << 2 | (2 if first < 0 else np.int64(first == button))
    key = splitmix64(key ^ np.uint64(raises))
    kept = min(np.int64(t.num_decisions), np.int64(RECENT_ACTIONS))
    for back in range(1, kept + 1):
        ring = (np.int64(t.num_decisions) - back) % RECENT_ACTIONS
        move = np.int64(t.recent_move[ring])
        decision = (move & 3) * 2 + (1 if move >> 2 == button else 0)
        key = splitmix64(key ^ np.uint64(np.int64(t.recent_amount[ring]) << 8 | decision))
    return key
