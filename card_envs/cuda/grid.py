"""The kernels of any game over a grid of a GPU: thread j calls the game's own batch kernel for table j alone.

No rule is written here. numba-cuda compiles a game's kernels for the GPU from their source, the same that Numba
compiles for the processor. Factory-made loops never find their code on disk, so each process compiles them; a generic
grid cannot do without.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from numba import cuda

from card_envs.compiler.gpu_constants import constants_in_global_memory
from card_envs.cuda.device import SIMULATED
from card_envs.game import Game

THREADS_PER_BLOCK = 128
_MAX_DEALS = 10_000
_LOGGER = logging.getLogger("card_envs")


class GridFunctions(NamedTuple):
    """Plain Python functions for the threads of a grid; each thread changes its own table only."""

    deal: Callable[..., None]
    """(tables, rows, stuck): deal until somebody has a decision; stuck[0] = 1 where that never comes."""
    check: Callable[..., None]
    """(tables, rows, actions, illegal): illegal[0] = the lowest position whose action is illegal, if one is lower."""
    play: Callable[..., None]
    """(tables, rows, actions, illegal, moves, rewards, is_over, observations, masks, seats).

    Where moves is 1, take the actions, unless illegal[0] names a table; write what the tables show then.
    """
    pick: Callable[..., None]
    """(tables, rows, streams, actions): a uniformly random legal action."""
    write_state: Callable[..., None]
    """(tables, states): the perfect-information vectors."""


def grid_functions(game: Game) -> GridFunctions:
    """Return the functions for a game, from its kernels."""
    return GridFunctions(_deal(game), _check(game), _play(game), _pick(game), _write_state(game))


def _deal(game: Game) -> Callable[..., None]:
    deal_batch = game.deal_batch

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


def _check(game: Game) -> Callable[..., None]:
    first_illegal = game.first_illegal

    def check(tables: Any, rows: Any, actions: Any, illegal: Any) -> None:
        j = cuda.grid(1)
        if j < rows.shape[0] and first_illegal(tables, rows[j : j + 1], actions[j : j + 1]) >= 0:
            cuda.atomic.min(illegal, 0, j)

    return check


def _play(game: Game) -> Callable[..., None]:
    step_batch, observe_batch, num_seats = game.step_batch, game.encoder.observe_batch, game.num_seats

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


def _pick(game: Game) -> Callable[..., None]:
    random_batch = game.random_batch

    def pick(tables: Any, rows: Any, streams: Any, actions: Any) -> None:
        j = cuda.grid(1)
        if j < rows.shape[0]:
            random_batch(tables, rows[j : j + 1], streams, actions[j : j + 1])

    return pick


def _write_state(game: Game) -> Callable[..., None]:
    write_one_state = game.write_state

    def write_state(tables: Any, states: Any) -> None:
        j = cuda.grid(1)
        if j < states.shape[0]:
            write_one_state(tables, j, states[j : j + 1])

    return write_state


class Grid:
    """One of the `GridFunctions` over `num_tables` threads; the first call compiles it."""

    def __init__(self, function: Callable[..., None], num_tables: int) -> None:
        self._function = function
        self._blocks = -(-num_tables // THREADS_PER_BLOCK)
        self._is_compiled = SIMULATED

    def __call__(self, *arguments: Any) -> None:
        """Start the grid; it ends before whatever is started next, and before anything is copied to the host."""
        if self._is_compiled:
            self._launch(*arguments)
            return
        _LOGGER.warning("card_envs compiles %r for the GPU: 5 to 30 seconds, anew in each process", self._name)
        with constants_in_global_memory():
            self._launch(*arguments)
        self._is_compiled = True

    @cached_property
    def _launch(self) -> Callable[..., None]:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # that a small grid leaves most of the GPU idle, which whoever made it knows
            launch: Callable[..., None] = cuda.jit(self._function)[self._blocks, THREADS_PER_BLOCK]
        return launch

    @property
    def _name(self) -> str:
        return self._function.__name__
