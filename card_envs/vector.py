"""The batched engine: many tables of a game that are stepped together."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import entry_point
from card_envs.compiler.threads import Threads
from card_envs.game import Game, IllegalActionError, check_actions, check_count, is_whole
from card_envs.observation import mask_records, observation_records
from card_envs.rng import random_seed, seeded_streams
from card_envs.typing import Rows

PICK_STREAMS = 0x9E3779B97F4A7C15
"""Offset of the seed for `sample_actions`, so that actions and deals use different random numbers."""
_MAX_DEALS = 10_000
_SCRATCH = ("_reused", "_turn", "_actions", "_is_compiled", "_pick", "_play", "_observe")


class VectorStep(NamedTuple):
    """The result of `reset` or `step`, one row per table. Arrays are new unless `reuse_buffers` is set."""

    observation: NDArray[Any]
    """(N, d): observation of the seat to act."""
    action_mask: NDArray[np.int8]
    """(N, num_actions): 1 for legal actions of the seat to act, 0 for others."""
    seats: NDArray[np.int64]
    """(N,): seat to act."""
    rewards: NDArray[np.float32]
    """(N, seats): rewards of all seats in the last step; zero unless `is_over`."""
    is_over: NDArray[np.bool_]
    """(N,): True if the step ended an episode; the other arrays then belong to the next one."""


class _Arrays:
    """The arrays of one `VectorStep` as users get them (`step`) and as kernels write them (`written`)."""

    def __init__(self, game: Game, num_tables: int) -> None:
        observation = np.empty((num_tables, game.layout.size), game.layout.dtype)
        mask = np.empty((num_tables, game.num_actions), np.int8)
        rewards, is_over = np.zeros((num_tables, game.num_seats), np.float32), np.zeros(num_tables, np.uint8)
        seats = np.empty(num_tables, np.int64)
        self.step = VectorStep(observation, mask, seats, rewards, is_over.view(np.bool_))
        self.written = rewards, is_over, observation_records(observation), mask_records(mask), seats


class VectorTables:
    """N tables of one game that are stepped together. A table whose episode ends deals the next one in the same step.

    Args:
        game: The game, from `card_envs.make_game`.
        num_tables: Number of tables N.
        seed: Seed of the deals. The deals of a table depend on the seed and its index, not on N. None: unpredictable.
        num_threads: Number of threads. It changes no result, and more than one is faster from about two thousand tables
            on if cores are idle.
        reuse_buffers: Number of sets of arrays that `reset` and `step` write in turn; 0 for new arrays every time. With
            1 (True), the arrays of a step are overwritten by the next `reset` or `step`; with 2, by the one after that,
            so that an observation and its successor exist at the same time. `sample_actions` then always returns the
            same array. A refused step overwrites nothing.

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
        self, game: Game, num_tables: int, seed: int | None = None, num_threads: int = 1, reuse_buffers: int = 0
    ) -> None:
        self.num_tables = check_count("num_tables", num_tables)
        if not isinstance(reuse_buffers, bool) and (not is_whole(reuse_buffers) or reuse_buffers < 0):
            raise ValueError(
                f"reuse_buffers {reuse_buffers!r} must be 0 (new arrays every step), or the number of sets of arrays"
            )
        self.game = game
        self._rows = np.arange(num_tables, dtype=np.int64)
        self._threads = Threads(check_count("num_threads", num_threads), self.num_tables)
        self._num_reused = int(reuse_buffers)
        self._make_scratch()
        self._is_reset = False
        self._start(seed)

    def _make_scratch(self) -> None:
        """Make the attributes that copies and pickles leave out: reused arrays and compiled kernels."""
        self._reused = [_Arrays(self.game, self.num_tables) for _ in range(self._num_reused)]
        self._turn = 0
        self._actions = np.empty(self.num_tables, np.int64) if self._num_reused else None
        self._is_compiled = False

    def _compile_kernels(self) -> None:
        """Compile the kernels for the types of these tables, so that calls skip Numba's dispatch on types."""
        actions = np.zeros(self.num_tables, np.int64)
        rewards, is_over, observations, masks, _ = _Arrays(self.game, self.num_tables).written
        self._pick = entry_point(self.game.random_batch, self.tables, self._rows, self._streams, actions)
        self._play = entry_point(self.game.step_batch, self.tables, self._rows, actions, rewards, is_over, True)
        self._observe = entry_point(self.game.encoder.observe_batch, self.tables, self._rows, observations, masks)
        self._is_compiled = True

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the reused arrays: a copy never writes into the arrays of the original."""
        return {name: value for name, value in vars(self).items() if name not in _SCRATCH}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or pickle, with its own reused arrays."""
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
        if not self._is_reset:
            raise RuntimeError("call reset() before step()")
        return self._batch(check_actions(actions, self.num_tables))

    def _refuse_illegal(self, actions: NDArray[np.int64]) -> None:
        illegal = self.game.first_illegal(self.tables, self._rows, actions)
        if illegal >= 0:
            why = self.game.why_illegal(self.tables, illegal, int(actions[illegal]))
            raise IllegalActionError(f"table {illegal}: {why}")

    def sample_actions(self) -> NDArray[np.int64]:
        """Return uniformly random legal actions (N,), from random streams that the deals do not use."""
        if not self._is_reset:
            raise RuntimeError("call reset() before sample_actions()")
        actions = np.empty(self.num_tables, np.int64) if self._actions is None else self._actions
        self._pick(self.tables, self._rows, self._streams, actions)
        return actions

    def state(self) -> NDArray[Any]:
        """Return the perfect-information vectors of all tables, (N, state_layout.size)."""
        if not self._is_reset:
            raise RuntimeError("call reset() before state()")
        return np.stack([self.game.state(self.tables, i) for i in range(self.num_tables)])

    def _batch(self, actions: NDArray[np.int64] | None) -> VectorStep:
        """Apply actions unless they are None, and return the next observations."""
        arrays = self._next_arrays()
        self._threads.run(
            partial(self._check, actions), self._step_part, self._rows, self.tables["actor"], actions, *arrays.written
        )
        self._turn += 1
        return arrays.step

    def _check(self, actions: Rows | None) -> None:
        """Refuse illegal actions before threads start, each of which would only refuse those at its own tables."""
        if actions is not None and len(self._threads.parts) > 1:
            self._refuse_illegal(actions)

    def _step_part(
        self, rows: Rows, actors: NDArray[Any], actions: Rows | None, rewards: NDArray[Any], is_over: NDArray[Any],
        observations: NDArray[Any], masks: NDArray[Any], seats: NDArray[Any],
    ) -> None:  # fmt: skip
        """Do one thread's part of a step, on the rows of the arrays that belong to its tables."""
        if actions is None:
            rewards[:], is_over[:] = 0.0, 0
        elif self._play(self.tables, rows, actions, rewards, is_over, True) >= 0:
            self._refuse_illegal(actions)
        self._observe(self.tables, rows, observations, masks)
        seats[:] = actors

    def _next_arrays(self) -> _Arrays:
        """Return the arrays to write next: new ones, or the next set of `reuse_buffers`."""
        if not self._reused:
            return _Arrays(self.game, self.num_tables)
        return self._reused[self._turn % self._num_reused]
