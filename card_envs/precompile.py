"""`warmup`: compile the kernels of an environment before they are needed."""

from __future__ import annotations

import time
from typing import Any

from card_envs.envs import make_raw_env
from card_envs.single_seat import SingleSeatTables
from card_envs.vector import VectorTables

__all__ = ["warmup"]


def warmup(env_id: str, **settings: Any) -> float:
    """Compile the kernels of an environment, or load them from disk if they were compiled before.

    Without it, kernels are compiled when they are first called. Call it once before you start worker processes, so that
    each of them finds the compiled kernels on disk.

    Args:
        env_id: Id such as "big2-v0".
        **settings: Arguments of the environment.

    Returns:
        Wall time in seconds.
    """
    start = time.perf_counter()
    env = make_raw_env(env_id, **settings)
    env.reset(seed=0)
    is_over = env.terminations[env.agent_selection]  # already, if the blinds took all chips
    env.step(None if is_over else int(env.observe(env.agent_selection)["action_mask"].argmax()))
    env.state()
    tables = VectorTables(env.game, 2, seed=0)
    tables.reset()
    tables.step(tables.sample_actions())
    learner = SingleSeatTables(env.game, 2, "random", seed=0)
    learner.step(learner.reset().action_mask.argmax(axis=1))
    return time.perf_counter() - start
