"""The kernels of a game on a grid of a GPU: thread j calls the game's batch kernel for table j.

No rule is implemented here. numba-cuda compiles the kernels of a game for the GPU from the source that Numba compiles
for the processor.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from numba import cuda

from card_envs.cuda.compiled import CompiledKernel, load_kernel, pack_arguments, type_of
from card_envs.cuda.device import SIMULATED
from card_envs.game import Game

_MAX_THREADS_PER_BLOCK = 128
_WARPS = 512
"""Number of blocks over which few threads are spread: about as many warps as a large GPU runs at once, each with few
threads, which then seldom wait for each other."""
_MAX_DEALS = 10_000


class GridFunctions(NamedTuple):
    """Python functions for the threads of a grid; each thread changes its own table only."""

    deal: Callable[..., None]
    """Function (tables, rows, stuck): deals until a seat has a decision; sets stuck[0] = 1 if no deal gives one."""
    check: Callable[..., None]
    """Function (tables, rows, actions, illegal): lowers illegal[0] to the first position with an illegal action."""
    play: Callable[..., None]
    """Function (tables, rows, actions, illegal, moves, rewards, is_over, observations, masks, seats).

    Applies the actions if moves is 1, and writes the next observations; does nothing if illegal[0] is a position.
    """
    pick: Callable[..., None]
    """Function (tables, rows, streams, actions): writes a uniformly random legal action."""
    write_state: Callable[..., None]
    """Function (tables, rows, states): writes the perfect-information vectors."""


def grid_functions(game: Game) -> GridFunctions:
    """Return the functions for a game, from its kernels; games that share a kernel share the function."""
    return GridFunctions(
        _deal(game.deal_batch),
        _check(game.first_illegal),
        _play(game.step_batch, game.encoder.observe_batch, game.num_seats),
        _pick(game.random_batch),
        _write_state(game.state_batch),
    )


@cache
def _deal(deal_batch: Callable[..., Any]) -> Callable[..., None]:
    def deal(tables: Any, rows: Any, stuck: Any) -> None:
        j = cuda.grid(1)
        if j >= rows.shape[0]:
            return
        for _ in range(_MAX_DEALS):
            deal_batch(tables, rows[j : j + 1])
            if tables[j].is_over == 0:
                return
        stuck[0] = 1

    return deal


@cache
def _check(first_illegal: Callable[..., Any]) -> Callable[..., None]:
    def check(tables: Any, rows: Any, actions: Any, illegal: Any) -> None:
        j = cuda.grid(1)
        if j < rows.shape[0] and first_illegal(tables, rows[j : j + 1], actions[j : j + 1]) >= 0:
            cuda.atomic.min(illegal, 0, j)

    return check


@cache
def _play(step_batch: Callable[..., Any], observe_batch: Callable[..., Any], num_seats: int) -> Callable[..., None]:
    def play(
        tables: Any, rows: Any, actions: Any, illegal: Any, moves: Any, rewards: Any, is_over: Any, observations: Any,
        masks: Any, seats: Any,
    ) -> None:  # fmt: skip
        j = cuda.grid(1)
        if j >= rows.shape[0] or illegal[0] < rows.shape[0]:
            return
        row = rows[j : j + 1]
        if moves == 1:
            step_batch(tables, row, actions[j : j + 1], rewards[j : j + 1], is_over[j : j + 1], True)
        else:
            is_over[j] = 0
            for seat in range(num_seats):
                rewards[j, seat] = 0.0
        observe_batch(tables, row, observations[j : j + 1], masks[j : j + 1])
        seats[j] = tables[j].actor

    return play


@cache
def _pick(random_batch: Callable[..., Any]) -> Callable[..., None]:
    def pick(tables: Any, rows: Any, streams: Any, actions: Any) -> None:
        j = cuda.grid(1)
        if j < rows.shape[0]:
            random_batch(tables, rows[j : j + 1], streams, actions[j : j + 1])

    return pick


@cache
def _write_state(state_batch: Callable[..., Any]) -> Callable[..., None]:
    def write_state(tables: Any, rows: Any, states: Any) -> None:
        j = cuda.grid(1)
        if j < rows.shape[0]:
            state_batch(tables, rows[j : j + 1], states[j : j + 1])

    return write_state


def launch(function: Callable[..., None], num_threads: int, stream: int, *arguments: Any) -> None:
    """Call a function in `num_threads` or a few more threads of a GPU; later work on the stream waits for their end.

    It is a plain function that reads the number of its thread with `cuda.grid`, compiled for new types of arguments:
    Numba's arrays on the GPU, and numbers. `stream` is the address of a stream of the driver; 0 is the default stream.
    """
    Grid(function, num_threads)(*arguments, stream=stream)


@cache
def _compile_for_simulator(function: Callable[..., None]) -> Any:
    return cuda.jit(function)


class Grid:
    """A function over a fixed number of threads, called with the same types of arguments each time."""

    def __init__(self, function: Callable[..., None], num_threads: int) -> None:
        self._function = function
        self._threads = min(_MAX_THREADS_PER_BLOCK, 1 << (max(1, num_threads // _WARPS) - 1).bit_length())
        self._blocks = -(-num_threads // self._threads)
        self._kernel: CompiledKernel | None = None

    def __call__(self, *arguments: Any, stream: int = 0) -> None:
        """Start the grid; see `launch`."""
        if SIMULATED:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numba-cuda warns of small grids
                _compile_for_simulator(self._function)[self._blocks, self._threads](*arguments)
            return
        if self._kernel is None:
            self._kernel = load_kernel(self._function, tuple(map(type_of, arguments)))
        self._kernel.launch(self._blocks, self._threads, stream, *pack_arguments(arguments))
