"""`CudaTables`: `vector.VectorTables` with tables, observations and masks in the memory of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from card_envs.cuda.device import require_device, require_memory
from card_envs.cuda.grid import Grid, grid_functions
from card_envs.game import Game, IllegalActionError, Tables, check_actions, check_count
from card_envs.observation import mask_records, observation_records
from card_envs.rng import random_seed, seeded_streams
from card_envs.vector import PICK_STREAMS, VectorStep

DeviceArray = Any
"""Numba's array in the memory of a GPU; `torch.as_tensor(array, device="cuda")` shares it (CUDA array interface)."""


class _StepArrays(NamedTuple):
    """The arrays of one step as users get them (`step`), and the same memory as kernels write it."""

    step: VectorStep
    is_over: DeviceArray
    observations: DeviceArray
    masks: DeviceArray


class CudaTables:
    """N tables of one game on a GPU. The same seed gives the same results as `VectorTables` on the processor.

    Arrays are reused: those of a step are valid until the step after the next, actions until the next sample.

    Args:
        game: The game, from `card_envs.make_game`.
        num_tables: Number of tables N.
        seed: Seed of the deals; None: unpredictable.

    Raises:
        CudaUnavailableError: If there is no usable GPU, or too little memory on it; the message gives the reason.
    """

    def __init__(self, game: Game, num_tables: int, seed: int | None = None) -> None:
        self.num_tables = check_count("num_tables", num_tables)
        self.game = game
        self._is_reset = False
        require_device()
        self._host_record = game.new_tables(1).dtype
        self._record = align(self._host_record)
        require_memory(self.num_tables, _bytes_per_table(game, self._record))
        self._deal, self._check, self._play, self._pick, self._write_state = (
            Grid(function, self.num_tables) for function in grid_functions(game)
        )
        self._rows = cuda.to_device(np.arange(self.num_tables, dtype=np.int64))
        self._actions = cuda.device_array(self.num_tables, np.int64)
        self._illegal = cuda.to_device(np.array([self.num_tables], np.int64))
        self._next, self._last = (_new_arrays(game, self.num_tables) for _ in range(2))
        self._start(seed)

    def _start(self, seed: int | None) -> None:
        if seed is None:
            seed = random_seed()
        tables = self.game.seeded_tables(self.num_tables, seed)
        self._tables = cuda.to_device(convert_records(tables, self._record))
        self._streams = cuda.to_device(seeded_streams(self.num_tables, int(seed) + PICK_STREAMS))

    @property
    def tables(self) -> Tables:
        """The records of all tables, copied to the host."""
        return convert_records(self._tables.copy_to_host(), self._host_record)

    def reset(self, seed: int | None = None) -> VectorStep:
        """Deal a new episode at every table; a seed restarts all random streams."""
        if seed is not None:
            self._start(seed)
        stuck = cuda.to_device(np.zeros(1, np.int64))
        self._deal(self._tables, self._rows, stuck)
        if stuck.copy_to_host()[0]:
            raise RuntimeError("nobody had a decision at some tables: stacks are too small for the blinds")
        self._is_reset = True
        return self._batch(self._actions, moves=0)

    def step(self, actions: NDArray[Any] | DeviceArray) -> VectorStep:
        """Apply one action per table (N,), from the host or the GPU (int64); illegal ones change nothing."""
        self._require_reset("step")
        chosen = self._on_device(actions)
        self._check(self._tables, self._rows, chosen, self._illegal)
        step = self._batch(chosen, moves=1)
        illegal = int(self._illegal.copy_to_host()[0])
        if illegal < self.num_tables:
            self._refuse(illegal, int(chosen[illegal : illegal + 1].copy_to_host()[0]))
        return step

    def sample_actions(self) -> DeviceArray:
        """Return uniformly random legal actions (N,), from random streams that the deals do not use."""
        self._require_reset("sample_actions")
        self._pick(self._tables, self._rows, self._streams, self._actions)
        return self._actions

    def state(self) -> DeviceArray:
        """Return the perfect-information vectors of all tables (N, state size)."""
        self._require_reset("state")
        layout = self.game.state_layout
        vectors = cuda.to_device(np.zeros((self.num_tables, layout.size), layout.dtype))
        self._write_state(self._tables, self._rows, _as_records(vectors, observation_records))
        return vectors

    def _require_reset(self, method: str) -> None:
        if not self._is_reset:
            raise RuntimeError(f"call reset() before {method}()")

    def _on_device(self, actions: Any) -> DeviceArray:
        if getattr(actions, "__cuda_ndarray__", False):
            chosen = actions
        elif hasattr(actions, "__cuda_array_interface__"):
            chosen = cuda.as_cuda_array(actions)
        else:
            return cuda.to_device(check_actions(actions, self.num_tables))
        if chosen.shape != (self.num_tables,) or chosen.dtype != np.int64 or not chosen.is_c_contiguous():
            raise IllegalActionError(
                f"actions of shape {tuple(chosen.shape)} and dtype {chosen.dtype} on the GPU: "
                f"{self.num_tables} contiguous int64 are needed"
            )
        return chosen

    def _batch(self, actions: DeviceArray, moves: int) -> VectorStep:
        """Apply the actions if `moves` is 1, and return the next observations."""
        arrays = self._next
        self._play(
            self._tables, self._rows, actions, self._illegal, moves, arrays.step.rewards, arrays.is_over,
            arrays.observations, arrays.masks, arrays.step.seats,
        )  # fmt: skip
        self._next, self._last = self._last, arrays
        return arrays.step

    def _refuse(self, illegal: int, action: int) -> None:
        self._next, self._last = self._last, self._next  # nothing was written: the last arrays are still valid
        self._illegal = cuda.to_device(np.array([self.num_tables], np.int64))
        table = convert_records(self._tables[illegal : illegal + 1].copy_to_host(), self._host_record)
        raise IllegalActionError(f"table {illegal}: {self.game.why_illegal(table, 0, action)}")


def align(record: np.dtype[Any]) -> np.dtype[Any]:
    """Return a record with the same fields, each at a multiple of its size, as loads on a GPU require."""
    fields = [(name, kind) for name, (kind, *_) in (record.fields or {}).items()]
    found = np.dtype((np.record, np.dtype(fields, align=True)))
    return record if record.isalignedstruct else found


def convert_records(tables: Tables, record: np.dtype[Any]) -> Tables:
    """Return tables as records of another layout with the same fields."""
    if tables.dtype == record:
        return tables
    converted = np.zeros(len(tables), record)
    for name in record.names or ():
        converted[name] = tables[name]
    return converted


def _new_arrays(game: Game, count: int) -> _StepArrays:
    layout = game.layout
    observation = cuda.device_array((count, layout.size), layout.dtype)
    mask = cuda.device_array((count, game.num_actions), np.int8)
    is_over = cuda.device_array(count, np.uint8)
    rewards, seats = cuda.device_array((count, game.num_seats), np.float32), cuda.device_array(count, np.int64)
    return _StepArrays(
        VectorStep(observation, mask, seats, rewards, is_over.view(np.bool_)),
        is_over,
        _as_records(observation, observation_records),
        _as_records(mask, mask_records),
    )


def _as_records(array: DeviceArray, on_host: Callable[[NDArray[Any]], NDArray[Any]]) -> DeviceArray:
    """View an array (N, size) as N records of the type that `on_host` makes."""
    dtype = on_host(np.empty((1, array.shape[1]), array.dtype)).dtype
    return array.view(dtype).reshape(array.shape[0])


def _bytes_per_table(game: Game, record: np.dtype[Any]) -> int:
    step = game.layout.size * np.dtype(game.layout.dtype).itemsize + game.num_actions + 4 * game.num_seats + 8 + 1
    stream, row, action = 40, 8, 8
    return int(record.itemsize + 2 * step + stream + row + action)
