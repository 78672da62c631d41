"""The batched engine: many tables of a game that are stepped together."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import entry_point
from card_envs.game import Game, IllegalActionError, check_actions, check_count, check_switch
from card_envs.game_loops import NO_ACTION
from card_envs.observation import mask_records, observation_records
from card_envs.rng import random_seed, seeded_streams
from card_envs.typing import Rows

__all__ = ["VectorStep", "VectorTables"]

PICK_STREAMS = 0x9E3779B97F4A7C15
"""Offset of the seed for `sample_actions`, so that actions and deals use different random numbers."""
_MAX_DEALS = 10_000
_SCRATCH = ("_pool", "_pool_process", "_is_compiled", "_pick", "_play", "_observe")


class VectorStep(NamedTuple):
    """The result of `reset` or `step`, one row per table. All arrays are new: they may be kept.

    `rewards` and `is_over` belong to the step that was taken; `observation`, `action_mask` and `seats` to the decision
    that comes *next*. So a transition consists of the observation, mask, seat and action of one step, and the rewards
    and `is_over` of the following one. The seat that decides next is usually another: rewards have a column per seat.
    """

    observation: NDArray[Any]
    """(N, d), dtype of `Game.layout`: what the seat to act next sees; after the end of an episode, in the next one."""
    action_mask: NDArray[np.int8]
    """(N, num_actions): 1 for the legal actions of that seat, 0 for others; each row has at least one 1."""
    seats: NDArray[np.int64]
    """(N,): seat to act next, the one that `observation` and `action_mask` belong to."""
    rewards: NDArray[np.float32]
    """(N, num_seats): rewards of all seats in the step that was taken, in `Game.unit`; zero unless `is_over`."""
    is_over: NDArray[np.bool_]
    """(N,): True if the step that was taken ended an episode; the next one is dealt already, and its first decision is
    in `observation`, `action_mask` and `seats`."""


class VectorTables:
    """N tables of one game that are stepped together. A table whose episode ends deals the next one in the same step.

    Args:
        game: The game, from `card_envs.make_game`.
        num_tables: Number of tables N.
        seed: Seed of the deals. The deals of a table depend on the seed and its index, not on N. None: unpredictable.
        num_threads: Number of threads. It changes no result, and more than one is faster from about two thousand tables
            on if cores are idle.
        skip_forced: Whether decisions with one legal action are taken without being shown, so that every mask has at
            least two legal actions. Episodes in which nobody has a choice are skipped; deals and rewards are the same.

    Raises:
        ValueError: For numbers out of range.

    Example:
        >>> from card_envs import make_vector
        >>> tables = make_vector("leduc_holdem-v0", 64, seed=0)
        >>> batch = tables.reset()
        >>> batch = tables.step(tables.sample_actions())
        >>> batch.rewards.shape
        (64, 2)
    """

    def __init__(
        self, game: Game, num_tables: int, seed: int | None = None, num_threads: int = 1, skip_forced: bool = False
    ) -> None:
        self.num_tables = check_count("num_tables", num_tables)
        self.game = game
        self.skip_forced = check_switch("skip_forced", skip_forced)
        self._rows = np.arange(num_tables, dtype=np.int64)
        parts = min(check_count("num_threads", num_threads), self.num_tables)
        bounds = [self.num_tables * k // parts for k in range(parts + 1)]
        self._parts = [slice(start, end) for start, end in pairwise(bounds) if end > start]
        self._make_scratch()
        self._is_reset = False
        self._start(seed)

    def _make_scratch(self) -> None:
        """Make the attributes that copies and pickles leave out: threads and compiled kernels."""
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0
        self._is_compiled = False

    def _compile_kernels(self) -> None:
        """Compile the kernels for the types of these tables, so that calls skip Numba's dispatch on types."""
        actions = np.zeros(self.num_tables, np.int64)
        step, is_over = self._new_step()
        observations, masks = observation_records(step.observation), mask_records(step.action_mask)
        self._pick = entry_point(self.game.random_batch, self.tables, self._rows, self._streams, actions)
        self._play = entry_point(self.game.step_batch, self.tables, self._rows, actions, step.rewards, is_over, True)
        self._observe = entry_point(self.game.encoder.observe_batch, self.tables, self._rows, observations, masks)
        self._is_compiled = True

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without threads and compiled kernels, which copies make anew."""
        return {name: value for name, value in vars(self).items() if name not in _SCRATCH}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or pickle."""
        vars(self).update(state)
        self._make_scratch()
        if self._is_reset:
            self._compile_kernels()

    def _start(self, seed: int | None) -> None:
        if seed is None:
            seed = random_seed()
        self.tables = self.game.seeded_tables(self.num_tables, seed)
        self._streams = seeded_streams(self.num_tables, int(seed) + PICK_STREAMS)

    def reset(self, seed: int | None = None) -> VectorStep:
        """Deal a new episode at every table.

        Args:
            seed: Restarts all random streams; None continues them.

        Returns:
            Observations and masks of the seats to act; rewards are zero.
        """
        if seed is not None:
            self._start(seed)
        if not self._is_compiled:
            self._compile_kernels()
        self._deal()
        if self.skip_forced:
            none_shown = np.ones(self.num_tables, np.uint8)
            self._take_forced(self._rows, np.zeros((self.num_tables, self.game.num_seats), np.float32), none_shown)
        self._is_reset = True
        return self._batch(None)

    def _deal(self) -> None:
        """Deal at every table; deal again where the blinds leave nothing to decide."""
        rows = self._rows
        for _ in range(_MAX_DEALS):
            self.game.deal_batch(self.tables, rows)
            rows = rows[self.tables["is_over"][rows] == 1]
            if not len(rows):
                return
        raise RuntimeError(f"nobody had a decision in {_MAX_DEALS} deals: stacks are too small for the blinds")

    def _take_forced(self, rows: Rows, rewards: NDArray[np.float32], is_over: NDArray[np.uint8]) -> None:
        """Act at `rows` until every actor has a choice; deal where episodes end.

        Rewards (n, num_seats) and is_over (n,) are written at the first end of an episode, if is_over is 0 before.
        """
        waiting = np.arange(len(rows))
        for _ in range(_MAX_DEALS):
            actions = np.empty(len(waiting), np.int64)
            self.game.forced_batch(self.tables, rows[waiting], actions)
            is_forced = actions != NO_ACTION
            waiting, actions = waiting[is_forced], actions[is_forced]
            if not len(waiting):
                return
            paid, ends = np.empty((len(waiting), rewards.shape[1]), np.float32), np.empty(len(waiting), np.uint8)
            self.game.step_batch(self.tables, rows[waiting], actions, paid, ends, True)
            is_first = (ends == 1) & (is_over[waiting] == 0)
            rewards[waiting[is_first]] = paid[is_first]
            is_over[waiting[is_first]] = 1
        raise RuntimeError(f"nobody had a choice in {_MAX_DEALS} decisions: omit skip_forced")

    def step(self, actions: NDArray[Any]) -> VectorStep:
        """Apply one action at each table; tables whose episode ends deal the next one.

        Args:
            actions: (N,) action ids, of any integer type.

        Returns:
            Rewards of this step, and observations and masks of the seats to act next.

        Raises:
            IllegalActionError: If an action is illegal; the message names table and reason, no table is changed.
            RuntimeError: Before the first `reset`.
        """
        self._require_reset("step")
        return self._batch(check_actions(actions, self.num_tables))

    def sample_actions(self) -> NDArray[np.int64]:
        """Return uniformly random legal actions (N,), from random streams that the deals do not use."""
        self._require_reset("sample_actions")
        actions = np.empty(self.num_tables, np.int64)
        self._pick(self.tables, self._rows, self._streams, actions)
        return actions

    def observe(self, seats: Any) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return the observation and mask of one seat at each table, which need not be the seat to act.

        Args:
            seats: (N,) seats, of any integer type, or one seat for all tables.

        Returns:
            Observations (N, d), and masks (N, num_actions) that are zero for seats that are not to act.

        Raises:
            ValueError: If the seats are not integers in 0..num_seats-1.
            RuntimeError: Before the first `reset`.
        """
        self._require_reset("observe")
        chosen = np.asarray(seats)
        if chosen.dtype.kind not in "iu" or chosen.shape not in ((), (self.num_tables,)):
            raise ValueError(
                f"seats of shape {chosen.shape} and dtype {chosen.dtype}: one integer or {self.num_tables} are needed"
            )
        if ((chosen < 0) | (chosen >= self.game.num_seats)).any():
            raise ValueError(f"seats {chosen.min()}..{chosen.max()} must be in 0..{self.game.num_seats - 1}")
        return self.game.observe_seats(self.tables, self._rows, np.full(self.num_tables, chosen, np.int64))

    def state(self) -> NDArray[Any]:
        """Return the perfect-information vectors of all tables, (N, state_layout.size), for critics.

        They belong to the same decisions as the observations of the last `reset` or `step`. `game.state_layout` names
        the blocks; seats are absolute.
        """
        self._require_reset("state")
        return self.game.states(self.tables, self._rows)

    def _require_reset(self, method: str) -> None:
        if not self._is_reset:
            raise RuntimeError(f"call reset() before {method}()")

    def _new_step(self) -> tuple[VectorStep, NDArray[np.uint8]]:
        """Return new arrays, and those of `is_over` as kernels write them."""
        game, count = self.game, self.num_tables
        is_over = np.zeros(count, np.uint8)
        step = VectorStep(
            np.empty((count, game.layout.size), game.layout.dtype),
            np.empty((count, game.num_actions), np.int8),
            np.empty(count, np.int64),
            np.zeros((count, game.num_seats), np.float32),
            is_over.view(np.bool_),
        )
        return step, is_over

    def _batch(self, actions: Rows | None) -> VectorStep:
        """Apply actions unless they are None, and return the next observations."""
        step, is_over = self._new_step()
        arrays = (self._rows, self.tables["actor"], actions, step.rewards, is_over,
                  observation_records(step.observation), mask_records(step.action_mask), step.seats)  # fmt: skip
        if len(self._parts) == 1:
            self._step_part(*arrays)
            return step
        if actions is not None:  # before threads start, each of which would only refuse those at its own tables
            self._refuse_illegal(actions)
        shares: list[list[Any]] = [[None if array is None else array[part] for array in arrays] for part in self._parts]
        running = [self._threads().submit(self._step_part, *share) for share in shares[1:]]
        try:
            self._step_part(*shares[0])
        finally:
            wait(running)
        for share in running:
            share.result()  # raises what the thread raised
        return step

    def _threads(self) -> ThreadPoolExecutor:
        """Return the threads of this process: a fork does not copy them."""
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(len(self._parts) - 1, "card_envs")
            self._pool_process = os.getpid()
        return self._pool

    def _refuse_illegal(self, actions: Rows) -> None:
        illegal = self.game.first_illegal(self.tables, self._rows, actions)
        if illegal >= 0:
            why = self.game.why_illegal(self.tables, illegal, int(actions[illegal]))
            raise IllegalActionError(f"table {illegal}: {why}")

    def _step_part(
        self, rows: Rows, actors: NDArray[Any], actions: Rows | None, rewards: NDArray[Any], is_over: NDArray[Any],
        observations: NDArray[Any], masks: NDArray[Any], seats: NDArray[Any],
    ) -> None:  # fmt: skip
        """Do one thread's part of a step, on the rows of the arrays that belong to its tables."""
        if actions is not None:
            if self._play(self.tables, rows, actions, rewards, is_over, True) >= 0:
                self._refuse_illegal(actions)
            if self.skip_forced:
                self._take_forced(rows, rewards, is_over)
        self._observe(self.tables, rows, observations, masks)
        seats[:] = actors
