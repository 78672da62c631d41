"""Train a best response to one frozen agent, and report what it wins: a lower bound of the agent's exploitability.

    python baselines/best_response.py --env limit_holdem-v0 --target chen --minutes 2

PPO in its shortest form, on `card_baselines.kit.Collector` with the target at all other seats. What it wins is measured
on other deals than it was trained on. `card-envs exploit ... --method learned` is the package's own version. Needs
`pip install 'card-envs[train,onnx]'`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from tqdm import tqdm

from card_baselines.kit import Collector, Rows, print_matches, save_onnx_agent
from card_envs import make_vector
from card_envs.agent import choose, find_agent
from card_envs.vector import VectorStep


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "limit_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    target: str = "chen"
    """The agent: a name, a run folder, or file.py:Class."""
    minutes: float = 2.0
    """Processor minutes of training."""
    seed: int = 0
    folder: str = "runs/best_response"
    """Folder of the trained agent."""
    opponents: tuple[str, ...] = ("random", "always_call")
    """Further agents of the matches at the end."""
    hands: int = 20_000
    """Hands of each match."""


class Network(torch.nn.Module):
    """Logits of all actions, and the value of the observation."""

    def __init__(self, observation_size: int, num_actions: int, width: int = 128) -> None:
        super().__init__()
        self.hidden = torch.nn.Sequential(
            torch.nn.Linear(observation_size, width), torch.nn.ReLU(), torch.nn.Linear(width, width), torch.nn.ReLU()
        )
        self.logits, self.value = torch.nn.Linear(width, num_actions), torch.nn.Linear(width, 1)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the logits, which is what a saved agent needs."""
        logits: torch.Tensor = self.logits(self.hidden(observation))
        return logits

    def evaluate(self, observation: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log-probabilities (n, num_actions) and values (n,)."""
        hidden = self.hidden(observation.float())
        logits = self.logits(hidden).masked_fill(mask == 0, -1e9)
        return torch.log_softmax(logits, dim=1), self.value(hidden).squeeze(1)


def learn(network: Network, optimiser: torch.optim.Optimizer, rows: Rows, rng: np.random.Generator) -> None:
    """Take the optimiser steps of one update of PPO (Schulman et al. 2017)."""
    advantage, target = map(torch.from_numpy, rows.gae(rows["value"]))
    batch = rows.torch() | {"advantage": (advantage - advantage.mean()) / (advantage.std() + 1e-8), "target": target}
    for _ in range(2):
        for indices in map(torch.from_numpy, rows.minibatches(1024, rng)):
            part = {name: column[indices] for name, column in batch.items()}
            log_probabilities, value = network.evaluate(part["observation"], part["action_mask"])
            chosen = log_probabilities.gather(1, part["action"][:, None]).squeeze(1)
            ratio = (chosen - part["log_probability"]).exp()
            gain = torch.min(ratio * part["advantage"], ratio.clamp(0.8, 1.2) * part["advantage"]).mean()
            entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
            optimiser.zero_grad(set_to_none=True)
            (0.5 * torch.nn.functional.mse_loss(value, part["target"]) - gain - 0.01 * entropy).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()


def train(args: Args) -> None:
    """Train against the target, save the agent, and play the matches."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # small matrices: more threads are slower
    tables = make_vector(args.env, 512, seed=args.seed)
    game, rng = tables.game, np.random.default_rng(args.seed)
    network = Network(game.layout.size, game.num_actions)
    optimiser = torch.optim.Adam(network.parameters(), 1e-3)

    @torch.inference_mode()
    def act(step: VectorStep) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
        observation, mask = torch.from_numpy(step.observation), torch.from_numpy(step.action_mask)
        log_probabilities, value = (tensor.numpy() for tensor in network.evaluate(observation, mask))
        actions = choose(np.exp(log_probabilities), rng.random(len(value)))
        return actions, {"log_probability": log_probabilities[np.arange(len(actions)), actions], "value": value}

    collector = Collector(tables, act, opponents=[args.target], reward_scale=0.1, seed=args.seed)
    start, decisions = time.process_time(), 0
    save_onnx_agent(args.folder, network, game)  # at first, since a package may be missing
    with tqdm(total=round(60 * args.minutes), unit="s", desc="processor time") as bar:
        while time.process_time() - start < 60 * args.minutes:
            rows = collector.collect(8192)
            learn(network, optimiser, rows, rng)
            decisions += rows.num_rows
            bar.update(round(time.process_time() - start) - bar.n)
            bar.set_postfix(decisions=f"{decisions:,}", reward=f"{rows.returns().mean() / 0.1:+.3f}")
    folder = save_onnx_agent(args.folder, network, game)
    print(f"{decisions:,} decisions; the agent is saved in {folder}")
    print_matches(game, find_agent(str(folder), game), (args.target, *args.opponents), args.hands, seed=args.seed + 1)


if __name__ == "__main__":
    train(tyro.cli(Args))
