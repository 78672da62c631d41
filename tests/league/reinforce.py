"""A learner for tests: self-play REINFORCE, trained by `card-envs train` or in a league."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from card_baselines.kit import Collector, StateDictLearner
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.config import GameRunConfig
from card_envs import make_vector
from card_envs.agent import choose


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings."""

    env: str = "kuhn_poker-v0"


class Reinforce(StateDictLearner):
    def __init__(self, config, game):
        torch.manual_seed(config.seed)
        self.game, self.batch, self.seen = game, 500, []
        self.network = torch.nn.Sequential(
            torch.nn.Linear(game.layout.size, 32), torch.nn.ReLU(), torch.nn.Linear(32, game.num_actions)
        )
        self.optimiser = torch.optim.Adam(self.network.parameters(), 1e-2)
        self.collector = Collector(make_vector(game, 16, seed=config.seed), self.act, reward_scale=0.5)
        self.parts = {"network": self.network, "adam": self.optimiser, "collector": self.collector}

    def log_policy(self, observation, mask):
        return torch.log_softmax(self.network(observation.float()).masked_fill(mask == 0, -1e9), dim=1)

    @torch.inference_mode()
    def act(self, step):
        log_policy = self.log_policy(torch.from_numpy(step.observation), torch.from_numpy(step.action_mask)).numpy()
        actions = choose(torch.from_numpy(log_policy).exp().numpy(), self.collector.rng.random(len(step.seats)))
        return actions, {"log_policy": log_policy, "seats": step.seats}

    def learn(self, rows, fraction):
        self.seen.append(rows)
        batch, returns = rows.torch(), torch.from_numpy(rows.returns())
        chosen = self.log_policy(batch["observation"], batch["action_mask"]).gather(1, batch["action"][:, None])[:, 0]
        loss = -((returns - returns.mean()) * chosen).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return {"loss": loss.item(), "fraction": fraction}


ALGORITHM = make_game_algorithm("reinforce", Config, Reinforce, agent="onnx")
