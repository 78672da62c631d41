"""Any `Game` as arrays over many tables: the batched engine."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import entry_point
from card_envs.compiler.threads import Threads
from card_envs.game import Game, IllegalActionError, check_actions, check_count, is_whole
from card_envs.observation import mask_records, observation_records
from card_envs.rng import seeded_streams
from card_envs.typing import Rows

PICK_STREAMS = 0x9E3779B97F4A7C15
"""Offset of the seed for the streams of `sample_actions`, which must not be those that deal the cards."""
_MAX_DEALS = 10_000
_SCRATCH = ("_reused", "_turn", "_actions", "_is_compiled", "_pick", "_play", "_observe")


class VectorStep(NamedTuple):
    """The result of `reset` or `step`: one row for each table, in new arrays unless `reuse_buffers` says otherwise."""

    observation: NDArray[Any]
    """(N, d): observation of the seat to act at each table."""
    action_mask: NDArray[np.int8]
    """(N, num_actions): 1 for the legal actions of that seat, 0 for others."""
    seats: NDArray[np.int64]
    """(N,): seat to act."""
    rewards: NDArray[np.float32]
    """(N, seats): rewards of the last step for all seats; zero unless `is_over`."""
    is_over: NDArray[np.bool_]
    """(N,): the step ended an episode, and the table shows the next one."""


class _Arrays:
    """The arrays of one `VectorStep`, as users get them and as kernels write them."""

    def __init__(self, game: Game, num_tables: int) -> None:
        observation = np.empty((num_tables, game.layout.size), game.layout.dtype)
        mask = np.empty((num_tables, game.num_actions), np.int8)
        rewards, is_over = np.zeros((num_tables, game.num_seats), np.float32), np.zeros(num_tables, np.uint8)
        seats = np.empty(num_tables, np.int64)
        self.step = VectorStep(observation, mask, seats, rewards, is_over.view(np.bool_))
        self.written = rewards, is_over, observation_records(observation), mask_records(mask), seats


class VectorTables:
    """N tables of one game that play side by side; finished tables deal anew at once.

    Args:
        game: The game, from `card_envs.make_game`.
        num_tables: Number of tables.
        seed: The same seed gives the same deals at each table, whatever their number; None starts from an
            unpredictable one.
        num_threads: Threads that share the work. They change no result and pay from two thousand tables on, where
            cores are idle.
        reuse_buffers: Number of sets of arrays that `reset` and `step` write in turn; with 0, each makes new ones. With
            1 (True) the arrays of a step are overwritten by the next `reset` or `step`, with 2 by the one after that,
            so that an observation and the next one exist together. The array of `sample_actions` is then always the
            same one. A refused step overwrites nothing.

    Raises:
        ValueError: For numbers that cannot be.

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
                f"reuse_buffers {reuse_buffers!r} must be 0 (new arrays every step), or how many sets take turns"
            )
        self.game = game
        self._rows = np.arange(num_tables, dtype=np.int64)
        self._threads = Threads(check_count("num_threads", num_threads), self.num_tables)
        self._num_reused = int(reuse_buffers)
        self._make_scratch()
        self._is_reset = False
        self._start(seed)

    def _make_scratch(self) -> None:
        """Make what copies and pickles leave out: arrays that are written again, and compiled kernels."""
        self._reused = [_Arrays(self.game, self.num_tables) for _ in range(self._num_reused)]
        self._turn = 0
        self._actions = np.empty(self.num_tables, np.int64) if self._num_reused else None
        self._is_compiled = False

    def _compile_kernels(self) -> None:
        """Compile the kernels for the types of these tables, so that calls go past Numba's choice among types."""
        actions = np.zeros(self.num_tables, np.int64)
        rewards, is_over, observations, masks, _ = _Arrays(self.game, self.num_tables).written
        self._pick = entry_point(self.game.random_batch, self.tables, self._rows, self._streams, actions)
        self._play = entry_point(self.game.step_batch, self.tables, self._rows, actions, rewards, is_over, True)
        self._observe = entry_point(self.game.encoder.observe_batch, self.tables, self._rows, observations, masks)
        self._is_compiled = True

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what `_make_scratch` makes: a copy never writes into the arrays of the original."""
        return {name: value for name, value in vars(self).items() if name not in _SCRATCH}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or pickle, with scratch arrays of its own."""
        vars(self).update(state)
        self._make_scratch()
        if self._is_reset:
            self._compile_kernels()

    def _start(self, seed: int | None) -> None:
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self.tables = self.game.seeded_tables(self.num_tables, seed)
        self._streams = seeded_streams(self.num_tables, int(seed) + PICK_STREAMS)

    def reset(self, seed: int | None = None) -> VectorStep:
        """Deal a new episode at every table.

        Args:
            seed: Start all random streams anew from it; None goes on with them.

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
        """Deal at every table, again where the blinds leave nothing to decide."""
        rows = self._rows
        for _ in range(_MAX_DEALS):
            self.game.deal_batch(self.tables, rows)
            rows = rows[self.tables["is_over"][rows] == 1]
            if not len(rows):
                return
        raise RuntimeError(f"in {_MAX_DEALS} deals, nobody ever had a decision: stacks are too small for the blinds")

    def step(self, actions: NDArray[Any]) -> VectorStep:
        """Apply one action at each table; tables whose episode ends deal the next one.

        Args:
            actions: (N,) action ids, of any integer type.

        Returns:
            Rewards of this step, and observations and masks of the seats to act next.

        Raises:
            IllegalActionError: If one is illegal, with table and reason. No table is changed.
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
        """Return a uniformly random legal action for each table (N,), from random streams of their own."""
        if not self._is_reset:
            raise RuntimeError("call reset() before sample_actions()")
        actions = np.empty(self.num_tables, np.int64) if self._actions is None else self._actions
        self._pick(self.tables, self._rows, self._streams, actions)
        return actions

    def state(self) -> NDArray[Any]:
        """Return the perfect-information vectors of all tables (N, state size)."""
        vectors = np.zeros((self.num_tables, self.game.state_layout.size), self.game.state_layout.dtype)
        records = observation_records(vectors)
        for i in range(self.num_tables):
            self.game.write_state(self.tables, i, records[i : i + 1])
        return vectors

    def _batch(self, actions: NDArray[np.int64] | None) -> VectorStep:
        """Take legal actions, if there are any, and return what the tables show."""
        arrays = self._next_arrays()
        self._threads.run(
            partial(self._check, actions), self._step_part, self._rows, self.tables["actor"], actions, *arrays.written
        )
        self._turn += 1
        return arrays.step

    def _check(self, actions: Rows | None) -> None:
        """Refuse illegal actions of several threads, each of which alone would refuse its own tables only."""
        if actions is not None and len(self._threads.parts) > 1:
            self._refuse_illegal(actions)

    def _step_part(
        self, rows: Rows, actors: NDArray[Any], actions: Rows | None, rewards: NDArray[Any], is_over: NDArray[Any],
        observations: NDArray[Any], masks: NDArray[Any], seats: NDArray[Any],
    ) -> None:  # fmt: skip
        """Do one thread's part of a step: of each array, the rows of its tables."""
        if actions is None:
            rewards[:], is_over[:] = 0.0, 0
        elif self._play(self.tables, rows, actions, rewards, is_over, True) >= 0:
            self._refuse_illegal(actions)
        self._observe(self.tables, rows, observations, masks)
        seats[:] = actors

    def _next_arrays(self) -> _Arrays:
        """Return arrays to write: new ones, or those of `reuse_buffers` whose turn it is."""
        if not self._reused:
            return _Arrays(self.game, self.num_tables)
        return self._reused[self._turn % self._num_reused]
