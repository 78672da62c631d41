"""Own functions as players in PettingZoo's loop, with masks, and what they win with its interval.

    python baselines/pettingzoo_loop.py --env limit_holdem-v0 --hands 2000

Needs `pip install 'card-envs[cli]'`. Named agents play in `gymnasium_loop.py`; `card_envs.match.play_match` plays hands
a hundred times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pettingzoo
import tyro
from tqdm import tqdm

import card_envs
from card_envs.match import summarise


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "limit_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    hands: int = 1000
    seed: int = 0


def choose_action(seat: int, observation: dict[str, Any], rng: np.random.Generator) -> int:
    """Choose an action: the first seat takes the second legal action where there is one, the others a random one."""
    legal = np.flatnonzero(observation["action_mask"])
    return int(legal[min(1, len(legal) - 1)] if seat == 0 else rng.choice(legal))


def main(args: Args) -> None:
    """Play the hands, and print what each seat wins."""
    env, rng = pettingzoo.make("aec", f"card_envs/{args.env}"), np.random.default_rng(args.seed)
    rewards = np.zeros((args.hands, env.max_num_agents))
    for hand in tqdm(range(args.hands), unit="hands"):
        env.reset(seed=args.seed if hand == 0 else None)
        for agent in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            seat = env.possible_agents.index(agent)
            rewards[hand, seat] += reward
            env.step(None if termination or truncation else choose_action(seat, observation, rng))
    for agent, won in zip(env.possible_agents, rewards.T, strict=True):
        mean, (low, high) = won.mean(), summarise(agent, won).ci95
        print(f"{agent}: {mean:+.3f} ± {(high - low) / 2:.3f} {card_envs.make_game(args.env).unit} a hand")


if __name__ == "__main__":
    main(tyro.cli(Args))
