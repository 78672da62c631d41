"""Registration of the environments with PettingZoo and Gymnasium, and of the agent "random".

`card_envs` imports this module, and nothing below it names what it registers.
"""

from __future__ import annotations

from functools import partial

import gymnasium
import pettingzoo

from card_envs import plugins
from card_envs.envs import EnvEntry, make_env, on_registration


def register_with_libraries(entry: EnvEntry) -> None:
    """Register an id with Gymnasium and PettingZoo (from version 1.27 on, which has a registry), once."""
    name = f"card_envs/{entry.id}"
    if name not in getattr(pettingzoo, "aec_registry", {name}):
        pettingzoo.register("aec", name, entry_point=partial(make_env, entry.id))
    if f"card_envs/{entry.gymnasium_id}" not in gymnasium.registry:
        gymnasium.register(
            f"card_envs/{entry.gymnasium_id}",
            entry_point="card_envs.gymnasium_env:CardEnv",
            vector_entry_point="card_envs.gymnasium_env:CardVectorEnv",
            kwargs={"game": entry.id},
        )


plugins.OWN_AGENTS["random"] = "card_envs.agent.base:RandomAgent"
on_registration(register_with_libraries)
