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

from card_baselines.solvers.buckets.board_buckets import BoardBuckets
from card_baselines.solvers.multiplayer.state_table import StateTable, fill_slots
from card_baselines.solvers.multiplayer.traversal import Frames, Hands, learn_from_deal
from card_baselines.solvers.solver import CfrSolver
from card_envs.game import Game
from card_envs.games.holdem.chance import max_decisions
from card_envs.games.holdem.state import MAX_BOARD, TABLE
from card_envs.rng import seeded_streams

_MAX_ROWS = 16_000_000
"""Maximum number of information states: of public states met later nothing is learned."""


class MultiplayerMccfr(CfrSolver):
    """The solver: regrets and summed strategies of the information states that were met."""

    def __init__(self, game: Game, boards: BoardBuckets, seed: int) -> None:
        """Start without information states.

        Args:
            game: Texas hold'em with at most `public_state.MAX_ACTIONS` action ids.
            boards: Ranks and buckets of the hands on a board.
            seed: Seed of deals and sampled actions.
        """
        self._game, self._boards = game, boards
        self.states = StateTable.allocate(boards.num_buckets, game.num_actions, _MAX_ROWS)
        self._dealer, self._streams = game.seeded_tables(1, seed), seeded_streams(1, seed)
        self._hands = Hands.allocate(len(boards.num_buckets))
        tables = np.zeros(max_decisions(game.config) + 2, TABLE)
        self._frames = Frames.allocate(tables, game.num_actions, max(boards.num_buckets))

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations: deals in which every player learns in turn."""
        table, board = self._dealer[0], 2 * self._game.num_seats
        for _ in range(iterations):
            self._game.deal(self._dealer, 0)
            self._boards.set_board(table["deck"][board : board + MAX_BOARD].astype(np.int64))
            self.iterations += 1
            learn_from_deal(
                table, self._boards.ranked[0], self._boards.rows, self._streams, self.states, self._hands,
                self._frames, np.int64(self.iterations),
            )  # fmt: skip

    @property
    def num_states(self) -> int:
        """Number of public states that were met."""
        return int(self.states.used[0])

    def state(self) -> dict[str, NDArray[Any]]:
        """Return public states, regrets, summed strategies, the table that deals and the random stream."""
        num_states, num_rows = self.states.used
        return {
            "keys": self.states.keys[:num_states],
            "first_row": self.states.first_row[:num_states],
            "regrets": self.states.regrets[:num_rows],
            "sums": self.states.sums[:num_rows],
            "dealer": self._dealer.view(np.uint8),
            "stream": self._streams.view(np.uint8),
        }

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from a `state` after `iterations` iterations."""
        self.states.used[:] = len(state["keys"]), len(state["regrets"])
        super().restore(state, iterations)
        fill_slots(self.states)
