"""Card games of imperfect information for reinforcement learning: PettingZoo, Gymnasium and a batched engine."""

from __future__ import annotations

import gymnasium
import pettingzoo

from card_envs.envs import ENVS, make_game, make_vector, warmup
from card_envs.game import IllegalActionError

__version__ = "0.1.0"
__all__ = ["ENVS", "IllegalActionError", "__version__", "make_game", "make_vector", "warmup"]


def _register() -> None:
    """Enter all ids into PettingZoo's and Gymnasium's registries, once."""
    for entry in ENVS.values():
        module = f"card_envs.{entry.id.replace('-', '_')}"
        if f"card_envs/{entry.id}" not in pettingzoo.aec_registry:
            pettingzoo.register("aec", f"card_envs/{entry.id}", entry_point=f"{module}:env")
        if f"card_envs/{entry.gymnasium_id}" not in gymnasium.registry:
            gymnasium.register(
                f"card_envs/{entry.gymnasium_id}",
                entry_point="card_wrappers.gymnasium:make_env",
                vector_entry_point="card_wrappers.gymnasium:make_vector_env",
                kwargs={"game_id": entry.id},
            )


_register()
