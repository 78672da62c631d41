"""What action masks are worth: PPO with masks, and without them, where illegal actions are replaced by random ones.

    python benchmarks/masking.py --steps 300000

Each learner trains for the same number of decisions, then plays without learning. Prints a Markdown table: what it
wins, with 95 % intervals, and how many of its decisions were illegal.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

from card_envs import make_game
from card_wrappers.sb3 import CardVecEnv

ENVS = {"leduc_holdem-v0": "always_call", "limit_holdem-v0": "always_call", "big2-v0": "big2_lowest"}
"""Id -> opponent."""
LEARNERS = ("masks", "penalty", "random")
TABLES = 64


def tables_of(env_id: str, learner: str, seed: int, reward_scale: float) -> CardVecEnv:
    """Return the tables at which a learner trains or is measured."""
    illegal_action = "raise" if learner == "masks" else learner
    game, opponent = make_game(env_id), ENVS[env_id]
    return CardVecEnv(game, TABLES, opponent, seed=seed, reward_scale=reward_scale, illegal_action=illegal_action)


def trained(env_id: str, learner: str, steps: int) -> Any:
    """Return a model after `steps` decisions."""
    tables = tables_of(env_id, learner, 0, reward_scale=0.1)
    kind = MaskablePPO if learner == "masks" else PPO
    model = kind("MlpPolicy", tables, n_steps=64, batch_size=1024, n_epochs=4, gamma=1.0, seed=0, device="cpu")
    return model.learn(steps)


def measured(env_id: str, learner: str, model: Any, episodes: int) -> tuple[float, float, float]:
    """Return reward per deal, half its 95 % interval, and the share of illegal decisions; no penalties counted."""
    tables = tables_of(env_id, "masks" if learner == "masks" else "random", 1, reward_scale=1.0)
    observation, returns, illegal, decisions = tables.reset(), [], 0, 0
    while len(returns) < episodes:
        masks = {"action_masks": tables.action_masks()} if learner == "masks" else {}
        actions, _ = model.predict(observation, deterministic=False, **masks)
        observation, _, _, infos = tables.step(actions)
        decisions += TABLES
        illegal += sum("illegal_action" in info for info in infos)
        returns += [info["episode"]["r"] for info in infos if "episode" in info]
    return float(np.mean(returns)), float(1.96 * np.std(returns) / len(returns) ** 0.5), illegal / decisions


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=300_000, help="decisions that each learner trains for")
    parser.add_argument("--episodes", type=int, default=20_000, help="deals that each is measured on")
    parser.add_argument("--envs", nargs="+", default=list(ENVS), choices=list(ENVS))
    parser.add_argument("--learners", nargs="+", default=LEARNERS, choices=LEARNERS)
    arguments = parser.parse_args()
    print("| environment | learner | per deal | illegal | training |\n|---|---|---|---|---|", flush=True)
    for env_id in arguments.envs:
        for learner in arguments.learners:
            start = time.perf_counter()
            model = trained(env_id, learner, arguments.steps)
            seconds = time.perf_counter() - start
            mean, half, illegal = measured(env_id, learner, model, arguments.episodes)
            cells = (f"{mean:+.3f} ± {half:.3f}", f"{illegal:.1%}", f"{seconds:.0f} s")
            print(f"| `{env_id}` | {learner} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
