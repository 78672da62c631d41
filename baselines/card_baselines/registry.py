"""Which agents and training algorithms exist: one line each, imported when asked for.

`card_envs.agent.find_agent` makes agents of these names (and of `random`, which comes with the games).
"""

from __future__ import annotations

AGENTS = {
    "always_call": "card_baselines.scripted.always_call:AlwaysCall",
    "always_raise": "card_baselines.scripted.always_raise:AlwaysRaise",
    "big2_greedy": "card_baselines.scripted.big2_greedy:Big2Greedy",
    "big2_lowest": "card_baselines.scripted.big2_lowest:Big2Lowest",
    "big2_planner": "card_baselines.scripted.big2_planner:Big2Planner",
}
"""Name -> "module:Class". The class is called with `game` and `folder`, as far as its parameters have these names."""

ALGORITHMS = {
    "maskable_ppo": "card_baselines.training.maskable_ppo",
}
"""Name -> module with a dataclass `Config` and a function `main(config)`."""
