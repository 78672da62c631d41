"""Strategies by public state and bucket: how they are made from a solver, and looked up."""

from __future__ import annotations

import lzma
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import raise_action_to
from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.fifteenths import to_fifteenths
from card_baselines.solvers.multiplayer.public_state import legal_actions_of, public_state, street_of
from card_baselines.solvers.multiplayer.state_table import StateTable, check_keys
from card_baselines.solvers.stored_strategy import Layout, StoredStrategy
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, raise_to_of
from card_envs.games.holdem.betting import give_turn
from card_envs.games.holdem.config import HoldemConfig
from card_envs.typing import Floats, Floats32

_RARE_STATE = 1e-8
"""Share of all summed strategies up to which a public state is not stored."""
_RARE_HAND = 0.01
"""Fraction of the mean over all hands up to which a hand plays as all do in a public state: its own actions hardly
lead there."""
_SMALLEST = 0.2
"""Smaller probabilities are left out: after few iterations most of them are noise (Ganzfried, Sandholm and Waugh 2012,
Strategy purification and thresholding)."""


class PublicStateStrategy(StoredStrategy):
    """Probabilities of actions by public state and bucket."""

    def __init__(
        self, config: HoldemConfig, states: NDArray[np.int64], shares: NDArray[np.uint8], buckets: HandBuckets
    ) -> None:
        """Make a strategy.

        Args:
            config: The game.
            states: Public states in ascending order.
            shares: Probabilities in 15ths: for each state, for each of its legal actions but the last, of each bucket.
            buckets: Buckets of hands.
        """
        self.states = states
        super().__init__(config, _lay_out(states, buckets), shares, buckets)

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities of actions (n, num_actions) of each view's actor.

        In public states that are not stored the player checks, or else folds.
        """
        rows = np.empty(len(views), np.int64)
        find_states(views, self.states, rows)
        found, missing = self.look_up(rows, self.find_buckets(views)), np.flatnonzero(rows < 0)
        found[missing, np.where(views["legal"][missing] & 1, FOLD_ACTION, CALL_ACTION)] = 1.0
        return found

    def states_to_store(self) -> dict[str, Any]:
        """Return the public states, compressed."""
        return {"states": np.frombuffer(lzma.compress(self.states.tobytes(), preset=9), np.uint8)}

    @classmethod
    def find_layout(cls, config: HoldemConfig, data: Any, buckets: HandBuckets) -> tuple[Any, Layout]:
        """Return the public states in a file, and their layout."""
        states = np.frombuffer(lzma.decompress(data["states"].tobytes()), np.int64)
        check_keys(states, config.num_actions)
        if (np.diff(states) < 0).any():
            raise ValueError("the public states are not in ascending order")
        return states, _lay_out(states, buckets)

    @classmethod
    def from_states(cls, config: HoldemConfig, states: Any, shares: NDArray[np.uint8], buckets: HandBuckets) -> Self:
        """Return the strategy of a file."""
        return cls(config, states, shares, buckets)


@kernel
def find_states(views: Any, states: Any, rows: Any) -> None:
    """Write the index in `states` of the public state of each view's actor, -1 for those that are not there."""
    for j in range(views.shape[0]):
        state = public_state(views[j])
        place = np.searchsorted(states, state)
        rows[j] = place if place < states.shape[0] and states[place] == state else -1


def translate_strategy(strategy: PublicStateStrategy, views: Tables, num_actions: int) -> NDArray[np.float64]:
    """Return the probabilities of the actions (n, num_actions) in a game with another bet menu.

    Public states depend on the sizes of bets, not on a menu, so that only the player's own raises are translated: to
    the nearest legal raise.
    """
    inside, menu = views.copy(), strategy.config.new_tables(1)
    for field in ("menu", "num_sizes", "has_all_in", "bet_size"):
        inside[field] = menu[field]
    find_legal_actions(inside)
    own, found = strategy.probabilities(inside), np.zeros((len(views), num_actions))
    add_nearest_actions(views, inside, own, found)
    return found


@kernel
def find_legal_actions(tables: Any) -> None:
    """Set the legal actions of tables whose bet menus were changed."""
    for j in range(tables.shape[0]):
        give_turn(tables[j], np.int64(tables[j].actor))


@kernel
def add_nearest_actions(views: Any, inside: Any, probabilities: Any, found: Any) -> None:
    """Add the probabilities of the actions of tables `inside` to the nearest legal actions of `views`."""
    for j in range(views.shape[0]):
        t = inside[j]
        for action in range(probabilities.shape[1]):
            if probabilities[j, action] > 0:
                nearest = np.int64(action)
                if action >= FIRST_RAISE_ACTION:
                    nearest = raise_action_to(views[j], raise_to_of(t, np.int64(action)))
                found[j, nearest] += probabilities[j, action]


def _lay_out(states: NDArray[np.int64], buckets: HandBuckets) -> Layout:
    """Return the layout of the stored probabilities of public states."""
    legal = np.array([int(legal_actions_of(state)) for state in states], np.int64)
    streets = np.array([int(street_of(state)) for state in states], np.int64)
    return Layout.from_states(legal, np.array(buckets.hands_by_street, np.int64)[streets])


def make_strategy(config: HoldemConfig, table: StateTable, buckets: HandBuckets) -> PublicStateStrategy:
    """Return the average strategy of a solver, without public states that it hardly met."""
    num_states, num_rows = table.used
    by_row = np.append(table.sums[:num_rows].sum(axis=1, dtype=np.float64), 0.0)  # an entry where no state was met yet
    by_state = np.add.reduceat(by_row, table.first_row[:num_states])
    kept = np.flatnonzero(by_state > _RARE_STATE * by_row.sum())
    kept = kept[np.argsort(table.keys[kept])]
    parts = [np.empty(0, np.uint8)]
    for index in kept:
        state, first = table.keys[index], int(table.first_row[index])
        rows = slice(first, first + int(table.num_buckets[street_of(state)]))
        legal = [a for a in range(config.num_actions) if int(legal_actions_of(state)) >> a & 1]
        shares = average_strategy(table.sums[rows, legal])
        parts.append(to_fifteenths(shares.T, _SMALLEST)[:-1].reshape(-1).astype(np.uint8))
    return PublicStateStrategy(config, table.keys[kept], np.concatenate(parts), buckets)


def average_strategy(sums: Floats32) -> NDArray[np.float64]:
    """Return probabilities (n, actions) in proportion to summed strategies; hands that are rare play as all do."""
    shares = sums.astype(np.float64)
    weights = shares.sum(axis=1)
    shares[weights <= _RARE_HAND * weights.mean()] = shares.sum(axis=0)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)
