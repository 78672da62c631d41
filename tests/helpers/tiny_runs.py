"""Settings with which an update takes a moment, for each algorithm that trains."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from card_baselines.registry import ALGORITHMS
from card_baselines.runs.algorithm import Algorithm, find_algorithm

UNTRAINED = 11 / 24
"""Exploitability of uniformly random play in Kuhn poker, in chips."""
SHORT: dict[str, Any] = {"panel": ("random",), "evaluation_hands": 20, "final_hands": 20, "evaluation_seconds": 1e9}
KUHN: dict[str, Any] = {**SHORT, "env": "kuhn_poker-v0", "minutes": 0.0, "device": "cpu"}
SB3: dict[str, Any] = {**KUHN, "num_tables": 8, "hidden": (8,), "opponents": ("self", "random")}
SOLVER: dict[str, Any] = {**SHORT, "minutes": 0.0}
BUCKETS: dict[str, Any] = {**SOLVER, "width": 2}
WALKS: dict[str, Any] = {"traversals": 50, "train_steps": 10, "hidden": (16,)}
"""Settings of algorithms that traverse the tree."""
NETWORK: dict[str, Any] = {
    "average": "network",
    "average_steps": 5,
    "memory": 500,
    "merge_samples": False,
    "minibatch": 64,
}
"""Settings of those whose average strategy is a network."""
TINY: dict[str, dict[str, Any]] = {
    "maskable_ppo": {**SB3, "steps_per_update": 8, "minibatch": 64},
    "maskable_dqn": {**SB3, "minibatch": 32, "learning_starts": 100, "buffer_size": 1000},
    "recurrent_ppo": {**SB3, "steps_per_update": 8, "minibatch": 64, "memory": 8},
    "self_play_ppo": {
        **KUHN, "env": "leduc_holdem-v0", "num_tables": 8, "batch": 32, "minibatch": 16, "hidden": (8,),
        "opponents": ("self", "random"), "mixed": 0.5, 
    },
    "shi2022": {
        "history": "fc", "num_tables": 6, "updates": 2, "batch_hands": 6, "warm_up": 1, "replay": 2000,
        "agent_period": 1, "update_period": 2, "hidden": 16, "memory": 8, "evaluation_episodes": 4,
        "evaluation_hands": 12, "panel": ("chen",), "final_hands": 12,
    },
    "cfr": {**SOLVER, "env": "kuhn_poker-v0"},
    "mccfr": {**SOLVER, "buckets": 4},
    "public_chance_cfr": BUCKETS,
    "menu_cfr": {**BUCKETS, "env_args": ("stacks=8",)},
    "multiplayer_mccfr": {**BUCKETS, "settings": ("num_players=3", "stacks=10")},
    "sd_cfr": {**KUHN, **WALKS},
    "deep_cfr": {**KUHN, **WALKS, **NETWORK},
    "dream": {**KUHN, **WALKS, "baseline_steps": 5, "baseline_replay": 300},
    "dream_network": {**KUHN, **WALKS, **NETWORK, "baseline_steps": 5},
    "nfsp": {
        **KUHN, "num_tables": 16, "hidden": (16,), "replay": 500, "reservoir": 300, "response_steps": 5,
        "average_steps": 5,
    },
    "mmd": {
        **KUHN, "num_tables": 16, "batch": 256, "minibatch": 64, "hidden": (16,), "magnet_decisions": 600,
    },
    "asymmetric_ppo": {
        **KUHN, "env": "big2-v0", "num_tables": 4, "batch": 32, "minibatch": 16, "hidden": (8,), "critic_hidden": (8,),
    },
    "distill": {
        **KUHN, "teacher": "cfr", "opponents": ("always_raise",), "num_tables": 64, "hidden": (16,),
    },
    "expert_iteration": {
        **KUHN, "teacher": "always_raise", "num_tables": 32, "hidden": (16,), "minibatch": 64, "memory": 4000,
    },
    "tabular_mccfr": {**KUHN, "traversals": 50},
}  # fmt: skip
"""Name -> settings."""
_VARIANTS = {"deep_cfr": "sd_cfr", "dream_network": "dream"}
"""Names that are no algorithm, but another average strategy of one."""


def algorithm_of(name: str) -> Algorithm[Any]:
    return find_algorithm(ALGORITHMS[_VARIANTS.get(name, name)])


def tiny_config(name: str, **changes: Any) -> Any:
    found = algorithm_of(name)
    return replace(found.presets.get("kuhn", found.config()), **TINY[name] | changes)
