"""Evaluate during training, with the interval: a callback of Stable-Baselines3 with checkpoints and TensorBoard.

    python baselines/sb3_own_callback.py --env leduc_holdem-v0 --steps 200000
    tensorboard --logdir runs/sb3_own_callback

Needs `pip install 'card-envs[sb3,train,onnx]'`.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback, CallbackList, CheckpointCallback

from card_baselines.kit import print_matches, save_onnx_agent, sb3_agent, sb3_network
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.match import play_match
from card_wrappers.sb3 import CardVecEnv


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "leduc_holdem-v0"
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents at the other seats, and of the matches."""
    steps: int = 200_000
    evaluate_every: int = 50_000
    """Decisions between two evaluations."""
    seed: int = 0
    folder: str = "runs/sb3_own_callback"
    hands: int = 10_000
    """Hands of each match."""


class MatchCallback(BaseCallback):
    """Plays the model against each opponent from time to time, and logs means with half of the 95 % interval."""

    def __init__(self, args: Args) -> None:
        super().__init__()
        self.args, self.game, self.next = args, make_game(args.env), args.evaluate_every

    def _on_step(self) -> bool:
        if self.num_timesteps >= self.next:
            self.next += self.args.evaluate_every
            for name in self.args.opponents:
                others = [find_agent(name, self.game)] * (self.game.num_seats - 1)
                agents = [sb3_agent(self.model), *others]
                own = play_match(self.game, agents, self.args.hands, seed=1, duplicate=True).agents[0]
                self.logger.record(f"match/{name}", own.mean)
                self.logger.record(f"match/{name}_half_width", (own.ci95[1] - own.ci95[0]) / 2)
        return True


def train(args: Args) -> None:
    """Train with both callbacks, save the agent, and play the matches."""
    torch.set_num_threads(1)  # small matrices: more threads are slower
    game = make_game(args.env)
    tables = CardVecEnv(game, 256, list(args.opponents), seed=args.seed, reward_scale=0.1)
    model = MaskablePPO(
        "MlpPolicy", tables, n_steps=32, batch_size=1024, gamma=1.0, seed=args.seed, tensorboard_log=args.folder
    )
    checkpoints = CheckpointCallback(args.evaluate_every // tables.num_envs, args.folder)
    save_onnx_agent(args.folder, sb3_network(model), game)  # at first, since a package may be missing
    model.learn(args.steps, CallbackList([MatchCallback(args), checkpoints]), progress_bar=True)
    folder = save_onnx_agent(args.folder, sb3_network(model), game)
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    train(tyro.cli(Args))
