"""Walks over the streets of a game: down to the boards of each later street, and back with the values (`walk`).

A street begins where cards come: a betting round before which none come belongs to the street before it. Every board of
a street continues one of the street before, its parent.

`make_street_walk` returns the walk over the boards of strategies that are stored. `BoardResponses` has what both seats
win by a strategy, or by best responses to it, on boards of a second street that are visited one by one; there the
strategy is asked for its probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import NUM_PLAYERS, RANKED, BoardHands, sum_folds
from card_baselines.solvers.regret import cfr
from card_baselines.solvers.tree import BettingTree
from card_baselines.solvers.walk import (
    LEARN,
    NO_GROUPS,
    OWN_REACH,
    REACH,
    VISIT_ALL,
    Board,
    Frames,
    Groups,
    Settings,
    StrategyTables,
    make_walk,
    stay_on_board,
)
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.rng import seeded_streams
from card_envs.typing import Floats, Integers

STREAM = seeded_streams(1, 0)[0]
"""Random numbers that are not read, since every decision is visited."""


class Streets:
    """A tree of betting during which cards come, and where its decisions are in tables of each street."""

    def __init__(self, tree: BettingTree, has_cards: Sequence[bool], num_columns: Sequence[int]) -> None:
        """Arrange the nodes.

        Args:
            tree: The tree.
            has_cards: For each betting round of the tree, the first one included, True if cards come before it.
            num_columns: Number of columns, hands or groups, on each street.
        """
        self.tree = tree
        streets = np.cumsum(has_cards)
        is_shown = (tree.player == NOBODY) & (tree.folded == NOBODY)  # showdowns need all cards
        street = np.where(is_shown, streets[-1], streets[tree.street - tree.street[0]])
        is_decision = tree.player != NOBODY
        self.decisions = tuple(np.flatnonzero(is_decision & (street == each)) for each in range(len(num_columns)))
        """The decisions on each street."""
        self.entries = np.flatnonzero((street > 0) & (np.append(street, -1)[tree.parent] == 0))
        """The nodes at which the first cards come."""
        self.row = np.zeros(len(street), np.int64)
        """(nodes,): index of a decision among those of its street."""
        for part in self.decisions:
            self.row[part] = np.arange(len(part))
        self.nodes = tree.pack()
        self.nodes["street"] = street
        self.nodes["first"] = self.row * tree.child.shape[1] * np.array(num_columns)[street]

    def shape_of(self, street: int, num_columns: int) -> tuple[int, int, int]:
        """Return the shape of a table of one street on one board: (decisions, actions, columns)."""
        return len(self.decisions[street]), self.tree.child.shape[1], num_columns

    def legal_of(self, street: int) -> NDArray[np.bool_]:
        """Return the legal actions of the decisions of one street, (decisions, actions)."""
        return np.asarray(self.tree.child[self.decisions[street]] >= 0)

    def compute_reach(self, policy: Floats, weights: Floats) -> Floats:
        """Return the reach probabilities (2, nodes, hands) of both seats before cards come, times their weights.

        Args:
            policy: (decisions, actions, hands) before cards come.
            weights: (2, hands): weights of the hands.
        """
        tree = self.tree
        reach = np.zeros((NUM_PLAYERS, len(tree.player), weights.shape[1]), weights.dtype)
        reach[:, 0] = weights
        for node, shares in zip(self.decisions[0].tolist(), policy, strict=True):
            multiply_down(tree, node, shares, reach)
        return reach


def multiply_down(tree: BettingTree, node: int, shares: Floats, reach: Floats) -> None:
    """Write the reach probabilities (2, nodes, hands) after the actions (actions, hands) of a decision."""
    for action in np.flatnonzero(tree.child[node] >= 0).tolist():
        child = int(tree.child[node, action])
        reach[:, child] = reach[:, node]
        reach[tree.player[node], child] *= shares[action]


class Boards(NamedTuple):
    """The hands on each board of a later street."""

    ranked: Any
    """(boards,) of `RANKED`."""
    place: Integers
    """(boards, hands): place on the parent of the hand at each place."""
    groups: Groups
    """Groups of hands; `of_hand` has a row for the first street and for each board."""
    factor: NDArray[Any]
    """(boards,): factor of the values on each board that is visited: their sum is the value on the parent."""
    kind: Integers
    """(parents, hands): class of each hand on each parent, if a board stands for all that differ in the names of suits:
    the value of a hand is then the mean over its class. (1, 0) if all boards are there."""
    kind_size: Integers
    """(parents, classes): number of hands in each class."""

    @staticmethod
    def arrange(
        on_boards: Iterable[BoardHands], place_of: Iterable[Integers], factor: NDArray[Any], groups: Groups = NO_GROUPS
    ) -> Boards:
        """Return the hands on each board, with all boards there.

        Args:
            on_boards: The hands on each board.
            place_of: For each board, the places (hand numbers,) of hands on its parent.
            factor: See `Boards`.
            groups: See `Boards`.
        """
        ranked, place = np.zeros(len(factor), RANKED), []
        for k, (hands, above) in enumerate(zip(on_boards, place_of, strict=True)):
            ranked[k] = hands.ranked
            place.append(above[hands.numbers])
        places = np.array(place, np.int64).reshape(len(factor), -1 if place else 0)
        return Boards(ranked, places, groups, factor, *np.zeros((2, 1, 0), np.int64))


class LaterStreet(NamedTuple):
    """A street after the first one, as kernels need it."""

    boards: Boards
    begin: Integers
    """(parents + 1,): the first board of each parent; the boards from there to the next one's are visited."""
    tables: StrategyTables
    """Strategies of all boards."""
    size: Any
    """Number of entries of each board in `tables`."""
    frames: Frames


def _make_value_board(walk: Any) -> Any:
    """Return a kernel that adds the values of a node on one board, by a walk from there on."""

    @kernel
    def value_board(
        nodes: Any, node: Any, board: Any, place: Any, groups: Any, tables: Any, settings: Any, stream: Any,
        frames: Any, extra: Any, reach: Any, reach_row: Any, factor: Any, values: Any, row: Any,
    ) -> None:  # fmt: skip
        """Add `factor` times the values of a node on one board to values[row].

        Hand h of the board was at place[board.index, h] before its cards came. `reach` and `values` are of the hands
        then: the opponent's reach probabilities are reach[reach_row]. `frames` are those of the walk on the board.
        """
        reach_on_board, values_on_board = frames.reach, frames.values
        ranked, index, _ = board
        for h in range(ranked.num_hands):
            reach_on_board[0, h] = reach[reach_row, place[index, h]]
        walk(nodes, node, board, groups, tables, settings, stream, frames, extra)
        for h in range(ranked.num_hands):
            values[row, place[index, h]] += factor * values_on_board[0, h]

    return value_board


def _make_visit(value_board: Any) -> Any:
    """Return a kernel that visits the boards where cards come, as of `walk.make_walk`.

    `extra` has a `LaterStreet` for each later street.
    """

    @kernel
    def visit_boards(
        nodes: Any, node: Any, depth: Any, row: Any, board: Any, groups: Any, tables: Any, settings: Any, stream: Any,
        frames: Any, extra: Any,
    ) -> Any:  # fmt: skip
        """Write the values of a node at which cards come: the sum over the boards that continue the current one."""
        boards, begin, later_tables, size, later = extra[0]
        ranked, places, later_groups, factor, kind, kind_size = boards
        reach, own_reach, values, own_reach_there = frames.reach, frames.own_reach, frames.values, later.own_reach
        reach_row, own_row = frames.path[depth + 1, REACH], frames.path[depth + 1, OWN_REACH]
        for h in range(board.ranked.num_hands):
            values[row, h] = 0
        for b in range(begin[board.index], begin[board.index + 1]):
            if settings.mode == LEARN:
                for h in range(ranked[b].num_hands):
                    own_reach_there[0, h] = own_reach[own_row, places[b, h]]
            value_board(
                nodes, node, Board(ranked[b], b, b * size), places, later_groups, later_tables, settings, stream,
                later, extra[1:], reach, reach_row, factor[b], values, row,
            )  # fmt: skip
        _average_kinds(kind, kind_size, board.index, frames.scratch, values, row)
        return True

    return visit_boards


@kernel
def _average_kinds(kind: Any, kind_size: Any, parent: Any, scratch: Any, values: Any, row: Any) -> None:
    """Replace the values of each hand by their mean over the hands of its class; see `Boards`."""
    for k in range(kind_size.shape[1]):
        scratch[0, k] = 0
    for h in range(kind.shape[1]):
        scratch[0, kind[parent, h]] += values[row, h]
    for h in range(kind.shape[1]):
        values[row, h] = scratch[0, kind[parent, h]] / values.dtype.type(kind_size[parent, kind[parent, h]])


@kernel
def _take_given(
    nodes: Any, node: Any, depth: Any, row: Any, board: Any, groups: Any, tables: Any, settings: Any, stream: Any,
    frames: Any, extra: Any,
) -> Any:  # fmt: skip
    """Copy the values of a node at which cards come from `extra` (nodes, hands)."""
    for h in range(board.ranked.num_hands):
        frames.values[row, h] = extra[node, h]
    return True


value_board = _make_value_board(make_walk(stay_on_board))
"""Adds the values of a node on one board of the last street."""


@cache
def make_street_walk(num_later: int, street: int = 0, may_pass: bool = False) -> Any:
    """Return the kernel of a walk over a street and later ones.

    Args:
        num_later: Number of later streets, at least one. The `extra` of the walk has a `LaterStreet` for each.
        street: Number of the street.
        may_pass: The root may be a node of a later street, to which nobody acts on this one.
    """
    below = value_board if num_later == 1 else _make_value_board(make_street_walk(num_later - 1, street + 1, True))
    visit = _make_visit(below)
    walk = make_walk(visit)

    @kernel
    def walk_or_visit(
        nodes: Any, root: Any, board: Any, groups: Any, tables: Any, settings: Any, stream: Any, frames: Any,
        extra: Any,
    ) -> None:  # fmt: skip
        """Write the values of the root to row 0 of `values`, by visits of boards if it is a node of a later street."""
        if nodes[root].street == street:
            walk(nodes, root, board, groups, tables, settings, stream, frames, extra)
        else:
            frames.path[0, REACH], frames.path[0, OWN_REACH] = 0, 0
            first = np.int64(root), np.int64(-1), np.int64(0)  # node, depth and row
            visit(nodes, *first, board, groups, tables, settings, stream, frames, extra)

    return walk_or_visit if may_pass else walk


walk_first = make_walk(_take_given)
"""Walks over the first street, with `extra` = the values (nodes, hands) of the nodes at which cards come."""


# --- strategies that are asked ----------------------------------------------------------------------------------------

Ask = Callable[[Integers, BoardHands, Floats | None], Floats]
"""Returns probabilities (nodes, actions, places) at some decisions, where the third argument (places, nodes) is above
0, None for everywhere."""


class BoardResponses:
    """A tree of betting during which cards come at most once, and the hands before they come."""

    def __init__(
        self, betting: BettingTree, hands: BoardHands, num_late: int, dtype: type[np.floating] = np.float64
    ) -> None:
        """Prepare; `num_late` is the number of hands after cards came, 0 if none come, `dtype` the type of values."""
        self.tree = Streets(betting, (False, True) if num_late else (False,), (len(hands), num_late))
        self.before, self.after = self.tree.decisions
        """Decisions before and after the cards come."""
        self.hands, self._dtype = hands, dtype
        entries = self.tree.entries
        self._entry = entries[np.searchsorted(entries, self.after, side="right") - 1]
        """(decisions after,): the node at which the cards come, above each."""
        self._frames, self._late = (Frames.allocate(betting, num, num, dtype) for num in (len(hands), num_late))

    def add_board(
        self, hands: BoardHands, ask: Ask, reach: Floats, modes: tuple[int, ...], factor: float, values: Floats,
        seats: tuple[int, ...] = tuple(range(NUM_PLAYERS)),
    ) -> None:  # fmt: skip
        """Add `factor` times the values on one board to `values` (modes, seats, nodes, places), where its cards come.

        `reach` is the result of `Streets.compute_reach`, modes are BEST and FOLLOW of `walk`.
        """
        place, actor = self.hands.place_of[hands.numbers], self.tree.nodes["player"][self.after]
        wanted = np.ascontiguousarray(reach[actor, self._entry][:, place].T)
        policy = ask(self.after, hands, wanted)
        for seat in seats:
            for k, mode in enumerate(modes):
                board, tables, settings = self._prepare(hands, policy, seat, mode)
                for entry in self.tree.entries.tolist():
                    value_board(
                        self.tree.nodes, entry, board, place[None], NO_GROUPS, tables, settings, STREAM, self._late, 0,
                        reach[1 - seat], entry, self._dtype(factor), values[k, seat], entry,
                    )  # fmt: skip

    def finish(self, seat: int, mode: int, policy: Floats, reach: Floats, values: Floats) -> Floats:
        """Return a seat's values (places,) at the root, given those (nodes, places) where cards come.

        `policy` (decisions, actions, places) is that of both seats before they come.
        """
        self._frames.reach[0] = reach[1 - seat, 0]
        board, tables, settings = self._prepare(self.hands, policy, seat, mode)
        walk_first(self.tree.nodes, 0, board, NO_GROUPS, tables, settings, STREAM, self._frames, values)
        return np.array(self._frames.values[0])

    def evaluate_fold(self, node: int, seat: int, reach: Floats) -> Floats:
        """Return a seat's values (places,) at a fold before cards come."""
        end, values = self.tree.nodes[node], np.zeros(len(self.hands), self._dtype)
        stake = float(-end["stake"] if end["folded"] == seat else end["stake"])
        sum_folds(self.hands.ranked, len(self.hands), reach[1 - seat, node], stake, self._frames.by_card, values)
        return values

    def _prepare(
        self, hands: BoardHands, policy: Floats, seat: int, mode: int
    ) -> tuple[Board, StrategyTables, Settings]:
        """Return the board, the probabilities of both seats as tables, and the settings of a walk."""
        given = np.ascontiguousarray(policy, self._dtype).reshape(-1)
        tables = StrategyTables(given, given, given, given)
        return Board(hands.ranked, 0, 0), tables, Settings(seat, mode, cfr(0), True, VISIT_ALL, 0)
