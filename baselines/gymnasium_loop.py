"""One seat in Gymnasium's loop against named agents, with masks, and what it wins with its interval.

    python baselines/gymnasium_loop.py --opponents chen tight_aggressive --hands 2000

Needs `pip install 'card-envs[cli]'`. `gymnasium.make_vec` plays many tables at once, and CleanRL's scripts run on it:
docs/frameworks/cleanrl.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import gymnasium
import numpy as np
import tyro
from tqdm import tqdm

import card_envs  # noqa: F401  registers the environments
from card_envs.match import summarise


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "card_envs/LimitHoldem-v0"
    """Id in Gymnasium's registry."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents; the matches of each are played one after the other."""
    hands: int = 1000
    """Hands against each."""
    seed: int = 0


def main(args: Args) -> None:
    """Play random legal actions against each opponent, and print what they win."""
    for opponent in args.opponents:
        env = gymnasium.make(args.env, opponents=opponent)
        rng, rewards = np.random.default_rng(args.seed), np.zeros(args.hands)
        for hand in tqdm(range(args.hands), unit="hands", desc=opponent, leave=False):
            observation, _ = env.reset(seed=args.seed if hand == 0 else None)
            is_over = False
            while not is_over:
                action = rng.choice(np.flatnonzero(observation["action_mask"]))
                observation, reward, is_over, _, _ = env.step(action)
                rewards[hand] += float(reward)
        low, high = summarise(opponent, rewards).ci95
        print(f"random actions against {opponent}: {rewards.mean():+.3f} ± {(high - low) / 2:.3f} a hand")
        env.close()


if __name__ == "__main__":
    main(tyro.cli(Args))
