"""DQN of Stable-Baselines3 with action masks, which it does not have itself.

    python baselines/sb3_dqn.py --env leduc_holdem-v0 --steps 200000

`CardVecEnv(mask_in_observation=True)` puts the mask into the observation, so the replay buffer keeps it. Illegal
actions have the value -1e9, when acting and in the maximum of the target; exploration draws legal actions. Needs
`pip install 'card-envs[sb3,train,onnx]'`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import tyro
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork

from card_baselines.kit import print_matches, save_onnx_agent
from card_envs import make_game
from card_envs.agent import choose, find_agent
from card_wrappers.sb3 import CardVecEnv


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "leduc_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents at the other seats; each deal draws one. They also play the matches at the end."""
    steps: int = 200_000
    """Decisions of the learner."""
    seed: int = 0
    folder: str = "runs/sb3_dqn"
    """Folder of the trained agent."""
    hands: int = 20_000
    """Hands of each match."""


class WithoutMask(BaseFeaturesExtractor):
    """Passes the observation to the network, and leaves the mask out."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        super().__init__(observation_space, spaces.flatdim(observation_space["observation"]))

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the observations (n, d)."""
        return observations["observation"].float()


class MaskedQNetwork(QNetwork):
    """Q-network with the value -1e9 for illegal actions."""

    def forward(self, obs: Any) -> torch.Tensor:
        """Return values (n, num_actions)."""
        return super().forward(obs).masked_fill(obs["action_mask"] == 0, -1e9)


class MaskedPolicy(DQNPolicy):
    """SB3's policy around masked networks."""

    def make_q_net(self) -> MaskedQNetwork:
        """Return a new network."""
        return MaskedQNetwork(**self._update_features_extractor(self.net_args, features_extractor=None)).to(self.device)


class MaskedDQN(DQN):
    """DQN whose exploration draws among legal actions."""

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        rng, seen = np.random.default_rng([self.seed or 0, self.num_timesteps]), self._last_obs
        assert isinstance(seen, dict)
        best, _ = self.policy.predict(seen, deterministic=True)
        rate = 1.0 if self.num_timesteps < learning_starts else self.exploration_rate
        actions = np.where(rng.random(n_envs) < rate, choose(seen["action_mask"], rng.random(n_envs)), best)
        return actions, actions


def train(args: Args) -> None:
    """Train, save the greedy agent, and play the matches."""
    torch.set_num_threads(1)  # small matrices: more threads are slower
    game = make_game(args.env)
    tables = CardVecEnv(game, 64, list(args.opponents), seed=args.seed, reward_scale=0.1, mask_in_observation=True)
    model = MaskedDQN(
        MaskedPolicy, tables, learning_rate=5e-4, buffer_size=100_000, learning_starts=5_000, batch_size=512, gamma=1.0,
        train_freq=1, gradient_steps=2, target_update_interval=2_000, exploration_fraction=0.5, stats_window_size=1000,
        policy_kwargs={"net_arch": [128, 128], "features_extractor_class": WithoutMask}, seed=args.seed, device="cpu",
    )  # fmt: skip
    save_onnx_agent(args.folder, model.policy.q_net.q_net, game)  # at first, since a package may be missing
    model.learn(args.steps, progress_bar=True)
    folder = save_onnx_agent(args.folder, model.policy.q_net.q_net, game, greedy=True)
    print(f"the agent is saved in {folder}")
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    train(tyro.cli(Args))
