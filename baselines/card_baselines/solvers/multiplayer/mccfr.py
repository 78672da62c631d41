"""Monte Carlo CFR with self-public chance sampling for hold'em at any number of seats.

Deals are played on the engine's tables. Hands share `HandBuckets`, betting shares a `public_state`; the regrets and the
strategy of iteration t have the weight t (linear CFR, Brown and Sandholm 2019). With more than two players there is no
guarantee that this converges to an equilibrium; Brown and Sandholm (2019), Superhuman AI for multiplayer poker, play
such a strategy with success.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import BoardBuckets
from card_baselines.solvers.multiplayer.public_state import StateTable, add_missing, check_states, street_of
from card_baselines.solvers.multiplayer.traversal import Frames, Hands, learn_from_deal
from card_baselines.solvers.solver import DealSolver
from card_baselines.solvers.strategy import TableStrategy, quantise
from card_envs.chance.holdem import max_decisions
from card_envs.game import Game
from card_envs.games.holdem.state import MAX_BOARD, TABLE
from card_envs.memory import require_free_memory
from card_envs.rng import seed_streams, seeded_streams, wrap_seed
from card_envs.typing import Floats32, Integers
from card_envs.vector import PICK_STREAMS

_MAX_ROWS = 16_000_000
"""Maximum number of information states: of public states met later nothing is learned."""
_MIN_VISITS = 5
"""Number of visits, at each of which all hands learn, below which a public state is not stored: its strategy would be
noise (`pot_odds` plays there)."""
_RARE_HAND = 0.01
"""Fraction of the mean over all hands up to which a hand plays as all do in a public state: its own actions hardly
lead there."""
_SMALLEST = 0.35
"""Smaller probabilities are left out: after few iterations most of them are noise (Ganzfried, Sandholm and Waugh 2012,
Strategy purification and thresholding)."""


class MultiplayerMccfr(DealSolver):
    """The solver: regrets and summed strategies of the information states that were met."""

    def __init__(
        self, game: Game, boards: BoardBuckets, seed: int, num_threads: int = 1, largest_river_bet: int = 0
    ) -> None:
        """Start without information states.

        Args:
            game: Texas hold'em with at most `public_state.MAX_ACTIONS` action ids.
            boards: Ranks and buckets of the hands on a board.
            seed: Seed of deals and sampled actions.
            num_threads: Number of threads that learn from different deals. They learn nothing of a new public state
                until the next call of `run`.
            largest_river_bet: Of the strategy, see `TableStrategy`.

        Raises:
            ValueError: As `require_memory`.
        """
        self.require_memory(game)
        self._game, self._boards, self._seed, self._largest_river_bet = game, boards, seed, largest_river_bet
        self.states = StateTable.allocate(boards.num_buckets, game.num_actions, _MAX_ROWS)
        self._noted: list[NDArray[np.int64]] = []
        super().__init__(num_threads)

    @staticmethod
    def require_memory(game: Game) -> None:
        """Raise ValueError if the largest tables of regrets and summed strategies take more memory than is free."""
        require_free_memory(
            2 * _MAX_ROWS * game.num_actions * np.dtype(np.float32).itemsize,
            f"regrets and strategies of {_MAX_ROWS:,} information states with {game.num_actions} actions",
            "close other programs or choose a smaller bet_menu",
        )

    def allocate_scratch(self) -> None:
        """Allocate a table, hands on its board, the frames of a traversal, a random stream, and notes of new states."""
        game, num_buckets = self._game, self._boards.num_buckets
        self._boards, self._streams = self._boards.copy(), seeded_streams(1, self._seed)
        self._hands = Hands.allocate(len(num_buckets))
        tables = np.zeros(max_decisions(game.config) + 2, TABLE)
        self._frames = Frames.allocate(tables, game.num_actions, max(num_buckets))
        self._learned = self.states if self._num_threads == 1 else self.states.for_thread()
        self._noted.append(self._learned.missing)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations: deals in which every player learns in turn."""
        super().run(iterations)
        for missing in self._noted:
            if len(missing):
                add_missing(self.states, missing)

    def learn(self, number: int) -> None:
        """Deal hand `number`, of which every player learns in turn."""
        game, boards = self._game, self._boards
        dealer = game.seeded_tables(1, self._seed, first_table=number)
        if game.config.button_moves:
            dealer["button"] = number % game.num_seats
        game.deal(dealer, 0)
        board = 2 * game.num_seats
        boards.set_board(dealer["deck"][0, board : board + MAX_BOARD].astype(np.int64))
        seed_streams(self._streams, np.uint64(wrap_seed(int(self._seed) + PICK_STREAMS)), np.uint64(number))
        learn_from_deal(
            dealer[0], boards.ranked[0], boards.rows, self._streams, self._learned, self._hands, self._frames,
            np.int64(number),
        )  # fmt: skip

    def strategy(self) -> TableStrategy:
        """Return the average strategy, without public states that were hardly visited or that no hand plays to."""
        config, table = self._game.config, self.states
        num_states, num_rows = table.used
        played = np.add.reduceat(table.sums[:num_rows].sum(axis=1), table.first_row[:num_states]) > 0
        kept = np.flatnonzero(played & (table.visits[:num_states] >= _MIN_VISITS))
        kept = kept[np.argsort(table.keys[kept])]

        def find_part(state: int, legal: Integers) -> Integers:
            first, street = table.first_row[kept[state]], street_of(table.keys[kept[state]])
            return round_sums(table.sums[first : first + table.num_buckets[street]][:, legal])

        return TableStrategy.from_parts(
            config, self._boards.buckets, find_part, table.keys[kept], largest_river_bet=self._largest_river_bet
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return public states, their visits, regrets and summed strategies."""
        num_states, num_rows = self.states.used
        return {
            "keys": self.states.keys[:num_states],
            "first_row": self.states.first_row[:num_states],
            "visits": self.states.visits[:num_states],
            "regrets": self.states.regrets[:num_rows],
            "sums": self.states.sums[:num_rows],
        }

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from a `state` after `iterations` iterations; ValueError for one of other states or buckets."""
        keys = state["keys"]
        check_states(self.states, keys, state["first_row"], len(state["regrets"]))
        add_missing(self.states, np.append(len(keys), keys))
        super().restore(state, iterations)


def round_sums(sums: Floats32) -> Integers:
    """Return probabilities (actions, n) in 15ths of summed strategies (n, actions); rare hands play as all do."""
    wide = sums.astype(np.float64)
    return quantise(wide.T, wide.sum(axis=0), _RARE_HAND * wide.sum(axis=1).mean(), _SMALLEST)
