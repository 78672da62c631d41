"""MaskablePPO of sb3-contrib against named opponents, in any environment.

    python baselines/sb3_maskable_ppo.py --env limit_holdem-v0 --opponents chen equity --steps 200000

Needs `pip install 'card-envs[sb3,train,onnx]'`. `card-envs train maskable_ppo` adds checkpoints and evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import tyro
from sb3_contrib import MaskablePPO

from card_baselines.kit import print_matches, save_onnx_agent, sb3_network
from card_envs import make_game
from card_envs.agent import find_agent
from card_wrappers.sb3 import CardVecEnv


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "limit_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents at the other seats; each deal draws one. They also play the matches at the end."""
    steps: int = 200_000
    """Decisions of the learner."""
    num_tables: int = 256
    """Tables that are played side by side."""
    seed: int = 0
    folder: str = "runs/sb3_maskable_ppo"
    """Folder of the trained agent."""
    hands: int = 20_000
    """Hands of each match."""


def train(args: Args) -> None:
    """Train, save the agent, and play the matches."""
    torch.set_num_threads(1)  # small matrices: more threads are slower
    game = make_game(args.env)
    tables = CardVecEnv(game, args.num_tables, list(args.opponents), seed=args.seed, reward_scale=0.1)
    model = MaskablePPO(
        "MlpPolicy", tables, n_steps=32, batch_size=1024, n_epochs=4, learning_rate=1e-3, gamma=1.0, ent_coef=0.01,
        stats_window_size=1000, policy_kwargs={"net_arch": [128, 128]}, seed=args.seed, device="cpu",
    )  # fmt: skip
    save_onnx_agent(args.folder, sb3_network(model), game)  # at first, since a package may be missing
    model.learn(args.steps, progress_bar=True)
    folder = save_onnx_agent(args.folder, sb3_network(model), game)
    print(f"the agent is saved in {folder}")
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    train(tyro.cli(Args))
