"""PPO of RLlib with action masks in self-play, and its network as an agent.

    python baselines/rllib_ppo.py --env leduc_holdem-v0 --iterations 20

RLlib pins one version of Gymnasium: give it a virtual environment of its own (docs/frameworks/rllib.md). Needs
`pip install 'card-envs[rllib,train,onnx]'` there.
"""

from __future__ import annotations

from dataclasses import dataclass

import ray
import tyro
from tqdm import tqdm

from card_baselines.kit import print_matches, rllib_network, save_onnx_agent
from card_envs import make_game
from card_envs.agent import find_agent
from card_wrappers.rllib import ppo_config


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "leduc_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    iterations: int = 20
    folder: str = "runs/rllib_ppo"
    """Folder of the trained agent."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents of the matches at the end."""
    hands: int = 20_000


def main(args: Args) -> None:
    """Train, save the agent, and play the matches."""
    ray.init(num_cpus=2, include_dashboard=False)
    config = ppo_config(args.env, hidden=(64, 64)).env_runners(num_env_runners=1)
    algorithm = config.training(train_batch_size_per_learner=2048, minibatch_size=256, lr=1e-3).build_algo()
    for _ in tqdm(range(args.iterations), unit="iterations"):
        algorithm.train()
    game = make_game(args.env)
    folder = save_onnx_agent(args.folder, rllib_network(algorithm.get_module("shared")), game)
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)
    algorithm.stop()


if __name__ == "__main__":
    main(tyro.cli(Args))
