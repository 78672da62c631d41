"""Write one seeded episode of every environment as text: run this after an intended change, and review the diff.

python tests/golden/regenerate.py
"""

from __future__ import annotations

import random
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.aec import GameAEC
from card_envs.envs import ENVS, make_raw_env

FOLDER = Path(__file__).parent
SEEDS = {"limit_holdem-v0": 208, "no_limit_holdem-v0": 27, "flop_holdem-v0": 75, "leduc_holdem-v0": 29,
         "kuhn_poker-v0": 6, "big2-v0": 677}  # fmt: skip
"""Seeds whose short episodes show much: streets, raises, a showdown; hands of many kinds. Others use seed 0."""
WIDTH = 120


def playthrough(env_id: str) -> str:
    """Return the text of one episode with uniformly random legal actions."""
    seed = SEEDS.get(env_id, 0)
    env = make_raw_env(env_id, render_mode="ansi")
    env.reset(seed=seed)
    choices = random.Random(seed)
    parts = [f"{env_id}, seed {seed}, observation of {env.game.layout.size} numbers"]
    while not any(env.terminations.values()):
        decision, action = describe_decision(env, choices)
        parts.append(decision)
        env.step(action)
    rewards = "  ".join(f"{agent} {env.rewards[agent]:+g}" for agent in env.possible_agents)
    parts.append(f"{table_text(env)}\nrewards in {env.game.unit}: {rewards}")
    return "\n\n".join(parts) + "\n"


def describe_decision(env: GameAEC, choices: random.Random) -> tuple[str, int]:
    """Return a state with all that its actor is told, and the action that is taken."""
    agent = env.agent_selection
    observed, reward, _, _, _ = env.last()
    assert observed is not None
    legal = [int(action) for action in np.flatnonzero(observed["action_mask"])]
    action = choices.choice(legal)
    lines = [table_text(env), f"actor {agent}, reward {reward:g}"]
    lines.append(listed("legal", [f"{action} {env.action_name(action)}" for action in legal], ", "))
    for name, block in env.game.layout.split(observed["observation"]).items():
        lines.append(listed(f"  {name}", non_zero(block), "  "))
    return "\n".join([*lines, f"takes {action} {env.action_name(action)}"]), action


def table_text(env: GameAEC) -> str:
    """Return what the environment renders."""
    return str(env.render())


def non_zero(block: NDArray[Any]) -> list[str]:
    """Return the places of a block that are not zero, with their values where these are not one."""
    places = []
    for place in np.argwhere(block):
        value = block[tuple(place)]
        name = ",".join(map(str, place))
        places.append(name if value == 1 else f"{name}={value:.4g}")
    return places


def listed(name: str, entries: list[str], separator: str) -> str:
    """Return entries after their name in lines that are not too long."""
    text = f"{name}: {separator.join(entries) or '-'}"
    return textwrap.fill(text, WIDTH, subsequent_indent="      ", break_on_hyphens=False)


def main() -> None:
    """Write every file anew, and remove those of environments that are gone."""
    for path in FOLDER.glob("*.txt"):
        if path.stem not in ENVS:
            path.unlink()
    for env_id in ENVS:
        (FOLDER / f"{env_id}.txt").write_text(playthrough(env_id), encoding="utf-8")


if __name__ == "__main__":
    main()
