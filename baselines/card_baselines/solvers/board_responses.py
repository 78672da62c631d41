"""What both seats win by a strategy, or by best responses to it, on boards that are visited one by one.

The strategy is asked for the probabilities of each board; `two_streets` visits the boards of stored strategies.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from card_baselines.solvers.hands import BoardHands, sum_folds
from card_baselines.solvers.regret import cfr
from card_baselines.solvers.tree import NUM_PLAYERS, BettingTree, Numbers
from card_baselines.solvers.two_streets import STREAM, TwoStreets, value_board, walk_first
from card_baselines.solvers.walk import NO_GROUPS, VISIT_ALL, Frames, Settings, Tables
from card_envs.typing import Floats

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

    def _prepare(self, policy: Floats, seat: int, mode: int) -> tuple[Tables, Settings]:
        """Return the probabilities of both seats as tables, and the settings of a walk."""
        given = np.ascontiguousarray(policy, self._dtype).reshape(-1)
        return Tables(given, given, given, given), Settings(seat, mode, cfr(0), 0, VISIT_ALL, True, 0, 0)
