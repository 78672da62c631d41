"""The decisions of a two-player game of hold'em, found by the betting that a table records, and the path to each.

A limit table tells all of its betting. A no-limit table tells the last eight decisions (`menu_tree.hash_betting`); of
betting that it does not tell apart, one sequence stands for all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.no_limit.menu_tree import step_all, write_keys
from card_envs.game import Tables
from card_envs.games.holdem.state import MENU_INTEGERS

Numbers = NDArray[np.int64]

MAX_DECISIONS = 250_000
"""Maximum number of decisions: with half the pot, the pot and all-in a game has 48,224 at 100 big blinds."""


class BettingPaths:
    """The decisions of a game, parents before children."""

    def __init__(self, first: Tables, num_actions: int) -> None:
        """Play all sequences of actions from a table (1,) on; its cards are not read, and must be different ones.

        Raises:
            ValueError: If there is an action for every amount, or more than `MAX_DECISIONS` decisions.
        """
        if first["menu"][0] == MENU_INTEGERS:
            raise ValueError("an action for every amount has too many sequences of bets: choose a bet_menu")
        tables, parents, actions = first, np.array([-1]), np.array([-1])
        found: list[tuple[Tables, Numbers, Numbers]] = []
        num = 0
        while len(tables):
            found.append((tables, parents, actions))
            num += len(tables)
            if num > MAX_DECISIONS:
                raise ValueError(
                    f"the game has more than {MAX_DECISIONS:,} sequences of bets: choose a smaller bet_menu or smaller "
                    "stacks"
                )
            following = [_play(tables, action, num - len(tables)) for action in range(num_actions)]
            tables, parents, actions = (np.concatenate([part[k] for part in following]) for k in range(3))
        self.tables, self.parent, self.action = (np.concatenate([part[k] for part in found]) for k in range(3))
        keys = _keys_of(self.tables)
        self._keys, self._numbers = np.unique(keys, return_index=True)

    def find(self, views: Tables) -> Numbers:
        """Return the numbers (n,) of the decisions at which the actors of tables or views are, -1 for none."""
        keys = _keys_of(views)
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, self._numbers[places], -1)

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


def _play(tables: Tables, action: int, first: int) -> tuple[Tables, Numbers, Numbers]:
    """Return the tables after an action that does not end the hand; `first` is the number of the first table before."""
    rows = np.flatnonzero(tables["legal"].astype(np.int64) >> action & 1)
    after = tables[rows]
    step_all(after, np.int64(action))
    goes_on = after["is_over"] == 0
    return after[goes_on], first + rows[goes_on], np.full(int(goes_on.sum()), action)


def _keys_of(tables: Tables) -> NDArray[np.uint64]:
    keys = np.empty(len(tables), np.uint64)
    write_keys(tables, keys)
    return keys
