"""Walks over two streets of a game: down to the boards of the second street, and back with the values (`walk`).

`walk_boards` visits the boards of strategies that are stored. `BoardResponses` has what both seats win by a strategy,
or by best responses to it, on boards that are visited one by one; there the strategy is asked for its probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import RANKED, BoardHands, sum_folds
from card_baselines.solvers.regret import cfr
from card_baselines.solvers.tree import NUM_PLAYERS, BettingTree, Numbers
from card_baselines.solvers.walk import (
    LEARN,
    NO_GROUPS,
    OWN,
    REACH,
    VISIT_ALL,
    Frames,
    Groups,
    Settings,
    StrategyTables,
    go_on,
    make_walk,
)
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.rng import seeded_streams
from card_envs.typing import Floats

STREAM = seeded_streams(1, 0)[0]
"""Random numbers that are not read, since every decision is visited."""


class TwoStreets:
    """A tree of betting during which cards come at most once, and where its decisions are in tables of each street."""

    def __init__(self, tree: BettingTree, has_cards: bool, num_columns: tuple[int, int]) -> None:
        """Arrange the nodes.

        Args:
            tree: The tree.
            has_cards: True if cards come.
            num_columns: Numbers of an action, of hands or groups, before and after they come.
        """
        self.tree = tree
        is_shown = (tree.player == NOBODY) & (tree.folded == NOBODY)  # showdowns need the cards that come
        stage = np.where(is_shown, int(has_cards), tree.street - tree.street[0])
        self.decisions = tuple(np.flatnonzero((tree.player != NOBODY) & (stage == each)) for each in range(2))
        """The decisions before and after cards come."""
        self.entries = np.flatnonzero((stage > 0) & (np.append(stage, -1)[tree.parent] == 0))
        """The nodes at which cards come."""
        self.row = np.zeros(len(stage), np.int64)
        """(nodes,): index of a decision among those of its street."""
        for part in self.decisions:
            self.row[part] = np.arange(len(part))
        self.nodes = tree.pack()
        self.nodes["street"] = stage
        self.nodes["first"] = self.row * tree.child.shape[1] * np.array(num_columns)[stage]

    def shape_of(self, is_late: bool, num_columns: int) -> tuple[int, int, int]:
        """Return the shape of a table of one street on one board: (decisions, actions, columns)."""
        return len(self.decisions[is_late]), self.tree.child.shape[1], num_columns

    def legal_of(self, is_late: bool) -> NDArray[np.bool_]:
        """Return the legal actions of the decisions of one street, (decisions, actions)."""
        return np.asarray(self.tree.child[self.decisions[is_late]] >= 0)

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
    """The hands on each board of the second street."""

    ranked: Any
    """(boards,) of `RANKED`."""
    place: Numbers
    """(boards, hands): place on the first street of the hand at each place."""
    groups: Groups
    """Groups of hands; `of_hand` has a row for the first street and for each board."""
    factor: NDArray[Any]
    """(boards,): factor of the values on each board that is visited: their sum is the value on the first street."""
    kind: Numbers
    """(hands,): class of each hand of the first street, if each board stands for all that differ in the names of suits:
    the value of a hand is then the mean over its class. Empty if all boards are there."""
    kind_size: Numbers
    """(classes,): number of hands in each class."""

    @staticmethod
    def arrange(first: BoardHands, late: list[BoardHands], factor: NDArray[Any], groups: Groups = NO_GROUPS) -> Boards:
        """Return the hands `late` on each board; `first` are those of the first street."""
        ranked = np.zeros(len(late), RANKED)
        for k, hands in enumerate(late):
            ranked[k] = hands.ranked
        place = np.array([first.place_of[hands.numbers] for hands in late], np.int64).reshape(
            len(late), -1 if late else 0
        )
        return Boards(ranked, place, groups, factor, *np.zeros((2, 0), np.int64))


@kernel
def _visit_boards(
    nodes: Any, node: Any, depth: Any, row: Any, ranked: Any, groups: Any, tables: Any, settings: Any, stream: Any,
    frames: Any, extra: Any,
) -> Any:  # fmt: skip
    """Write the values of a node at which cards come: the sum over the boards `drawn`, of `extra`."""
    boards, drawn, late_tables, numbers, late = extra
    ranked_on, places, late_groups, factor, kind, kind_size = boards
    reach, own, values, late_own = frames.reach, frames.own, frames.values, late.own
    reach_row, own_row = frames.path[depth + 1, REACH], frames.path[depth + 1, OWN]
    for h in range(ranked.num_hands):
        values[row, h] = 0
    for b in drawn:
        if settings.mode == LEARN:
            for h in range(ranked_on[b].num_hands):
                late_own[0, h] = own[own_row, places[b, h]]
        there = Settings(
            settings.learner, settings.mode, settings.schedule, settings.last_street, settings.least, settings.is_given,
            b, b * numbers,
        )  # fmt: skip
        value_board(
            nodes, node, ranked_on[b], places, b, late_groups, late_tables, there, stream, late, reach, reach_row,
            factor[b], values, row,
        )  # fmt: skip
    _average_kinds(kind, kind_size, frames.sums, values, row)
    return True


@kernel
def value_board(
    nodes: Any, node: Any, ranked: Any, place: Any, board: Any, groups: Any, tables: Any, settings: Any, stream: Any,
    late: Any, reach: Any, reach_row: Any, factor: Any, values: Any, row: Any,
) -> None:  # fmt: skip
    """Add `factor` times the values of a node on one board to values[row].

    Hand h was at place[board, h] before its cards came; then the opponent's reach probabilities were reach[reach_row].
    """
    late_reach, late_values = late.reach, late.values
    for h in range(ranked.num_hands):
        late_reach[0, h] = reach[reach_row, place[board, h]]
    _walk_board(nodes, node, ranked, groups, tables, settings, stream, late, 0)
    for h in range(ranked.num_hands):
        values[row, place[board, h]] += factor * late_values[0, h]


@kernel
def _average_kinds(kind: Any, kind_size: Any, sums: Any, values: Any, row: Any) -> None:
    """Replace the values of each hand by their mean over the hands of its class; see `Boards`."""
    for k in range(kind_size.shape[0]):
        sums[0, k] = 0
    for h in range(kind.shape[0]):
        sums[0, kind[h]] += values[row, h]
    for h in range(kind.shape[0]):
        values[row, h] = sums[0, kind[h]] / values.dtype.type(kind_size[kind[h]])


@kernel
def _take_given(
    nodes: Any, node: Any, depth: Any, row: Any, ranked: Any, groups: Any, tables: Any, settings: Any, stream: Any,
    frames: Any, extra: Any,
) -> Any:  # fmt: skip
    """Copy the values of a node at which cards come from `extra` (nodes, hands)."""
    for h in range(ranked.num_hands):
        frames.values[row, h] = extra[node, h]
    return True


_walk_board = make_walk(go_on)
walk_boards = make_walk(_visit_boards)
"""The walk over both streets. `extra` are `Boards`, the indices of those that are visited, the `StrategyTables` of the
second street, how many of their numbers each board has, and `Frames` for it."""
walk_first = make_walk(_take_given)
"""The walk over the first street, with `extra` = the values (nodes, hands) of the nodes at which cards come."""


# --- strategies that are asked ----------------------------------------------------------------------------------------

Ask = Callable[[Numbers, BoardHands, Floats | None], Floats]
"""Returns probabilities (nodes, actions, places) at some decisions, where the third argument (places, nodes) is above
0, None for everywhere."""


class BoardResponses:
    """A tree of betting during which cards come at most once, and the hands before they come."""

    def __init__(
        self, betting: BettingTree, hands: BoardHands, num_late: int, dtype: type[np.floating] = np.float64
    ) -> None:
        """Prepare; `num_late` is the number of hands after cards came, 0 if none come, `dtype` the type of values."""
        self.tree = TwoStreets(betting, num_late > 0, (len(hands), num_late))
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

        `reach` is the result of `TwoStreets.compute_reach`, modes are BEST and FOLLOW of `walk`.
        """
        place, actor = self.hands.place_of[hands.numbers], self.tree.nodes["player"][self.after]
        wanted = np.ascontiguousarray(reach[actor, self._entry][:, place].T)
        policy = ask(self.after, hands, wanted)
        for seat in seats:
            for k, mode in enumerate(modes):
                args = self._prepare(policy, seat, mode)
                for entry in self.tree.entries.tolist():
                    value_board(
                        self.tree.nodes, entry, hands.ranked, place[None], 0, NO_GROUPS, *args, STREAM, self._late,
                        reach[1 - seat], entry, self._dtype(factor), values[k, seat], entry,
                    )  # fmt: skip

    def finish(self, seat: int, mode: int, policy: Floats, reach: Floats, values: Floats) -> Floats:
        """Return a seat's values (places,) at the root, given those (nodes, places) where cards come.

        `policy` (decisions, actions, places) is that of both seats before they come.
        """
        self._frames.reach[0] = reach[1 - seat, 0]
        args = self._prepare(policy, seat, mode)
        walk_first(self.tree.nodes, 0, self.hands.ranked, NO_GROUPS, *args, STREAM, self._frames, values)
        return np.array(self._frames.values[0])

    def evaluate_fold(self, node: int, seat: int, reach: Floats) -> Floats:
        """Return a seat's values (places,) at a fold before cards come."""
        end, values = self.tree.nodes[node], np.zeros(len(self.hands), self._dtype)
        stake = float(-end["stake"] if end["folded"] == seat else end["stake"])
        sum_folds(self.hands.ranked, len(self.hands), reach[1 - seat, node], stake, self._frames.by_card, values)
        return values

    def _prepare(self, policy: Floats, seat: int, mode: int) -> tuple[StrategyTables, Settings]:
        """Return the probabilities of both seats as tables, and the settings of a walk."""
        given = np.ascontiguousarray(policy, self._dtype).reshape(-1)
        return StrategyTables(given, given, given, given), Settings(seat, mode, cfr(0), 0, VISIT_ALL, True, 0, 0)
