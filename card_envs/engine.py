"""The batched engine for any game: tables on a processor or GPU, and calls that compile all kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from card_envs.aec import GameAEC
from card_envs.agent import choose
from card_envs.game import Game
from card_envs.memory import explain_memory
from card_envs.single_seat import SingleSeatTables
from card_envs.vector import VectorTables

if TYPE_CHECKING:
    from card_envs.cuda.tables import CudaTables

DEVICES = ("cpu", "cuda")


def make_tables(
    game: Game, num_tables: int, seed: int | None, num_threads: int, device: str, skip_forced: bool
) -> VectorTables | CudaTables:
    """Return tables of a game; see `card_envs.make_vector`."""
    if device not in DEVICES:
        raise ValueError(f"device {device!r} is not known: choose one of {list(DEVICES)}")
    if device == "cpu":
        with explain_memory(game, num_tables):
            return VectorTables(game, num_tables, seed, num_threads, skip_forced)
    if num_threads != 1:
        raise ValueError(f"num_threads {num_threads!r} is for the processor: omit it with device={device!r}")
    if skip_forced:
        raise ValueError(f"skip_forced {skip_forced!r} is for the processor: omit it with device={device!r}")
    from card_envs.cuda.tables import CudaTables  # imported here because it imports Numba's CUDA

    with explain_memory(game, num_tables):
        return CudaTables(game, num_tables, seed)


def call_kernels(env: GameAEC) -> None:
    """Call every kernel of a game once, which compiles it or loads it from disk."""
    env.reset(seed=0)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    env.state()
    tables = VectorTables(env.game, 2, seed=0)
    tables.reset()
    tables.step(tables.sample_actions())
    learner = SingleSeatTables(env.game, 2, "random", seed=0)
    learner.step(choose(learner.reset().action_mask, np.zeros(2)))
