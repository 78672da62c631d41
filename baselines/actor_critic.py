"""Self-play actor-critic with a critic that sees all hands: centralised training, decentralised play.

    python baselines/actor_critic.py --env leduc_holdem-v0 --minutes 2

The actor sees what its seat sees. The critic sees `state()`, the whole table with the cards of all seats, so that its
values do not contain the chance of hidden cards; it is needed for training alone. Plain PyTorch on
`card_baselines.kit.Collector`. The actor is saved as an agent: `card-envs match --env leduc_holdem-v0 --agents
runs/actor_critic random`. Needs `pip install 'card-envs[train,onnx]'`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
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

    env: str = "leduc_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    minutes: float = 2.0
    """Processor minutes of training."""
    seed: int = 0
    folder: str = "runs/actor_critic"
    """Folder of the trained agent."""
    num_tables: int = 512
    """Tables that are played side by side."""
    batch: int = 4_096
    """Minimum number of decisions in an update: one step of the actor."""
    critic_epochs: int = 4
    """Passes of the critic over a batch, in minibatches of 1,024."""
    actor_learning_rate: float = 1e-3
    critic_learning_rate: float = 3e-3
    entropy: float = 0.05
    """Weight of the policy's entropy at the start; it falls to a tenth along a line."""
    lam: float = 0.9
    """Lambda of generalised advantage estimation."""
    reward_scale: float = 0.2
    """Factor of the rewards."""
    hidden: tuple[int, ...] = (128, 128)
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents of the matches at the end, each at all other seats."""
    hands: int = 20_000
    """Hands of each of these matches."""


def make_mlp(sizes: list[int]) -> torch.nn.Sequential:
    """Return a fully connected network."""
    layers = [layer for pair in pairwise(sizes[:-1]) for layer in (torch.nn.Linear(*pair), torch.nn.ReLU())]
    return torch.nn.Sequential(*layers, torch.nn.Linear(*sizes[-2:]))


class Actor:
    """Samples actions from the policy."""

    def __init__(self, policy: torch.nn.Module, seed: int) -> None:
        self.policy, self.rng = policy, np.random.default_rng(seed)

    @torch.inference_mode()
    def __call__(self, step: VectorStep) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
        """Return an action for each row; nothing else has to be kept."""
        logits = mask_logits(self.policy, torch.from_numpy(step.observation), torch.from_numpy(step.action_mask))
        return choose(torch.softmax(logits, dim=1).numpy(), self.rng.random(len(logits))), {}


def mask_logits(policy: torch.nn.Module, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return logits (n, num_actions), -1e9 for illegal actions."""
    logits: torch.Tensor = policy(observation.float())
    return logits.masked_fill(mask == 0, -1e9)


def see_everything(rows: Rows, num_seats: int) -> torch.Tensor:
    """Return the critic's input: the whole table, and which seat's value is asked for."""
    seat = torch.nn.functional.one_hot(torch.from_numpy(rows["seat"]), num_seats)
    return torch.cat([torch.from_numpy(rows["state"]).float(), seat.float()], dim=1)


def fit_critic(
    critic: torch.nn.Module, optimiser: torch.optim.Optimizer, seen: torch.Tensor, rows: Rows, args: Args,
    rng: np.random.Generator,
) -> float:  # fmt: skip
    """Fit the critic to TD(lambda) targets, computed anew in each pass; return the mean loss."""
    losses = []
    for _ in range(args.critic_epochs):
        with torch.inference_mode():
            value = critic(seen).squeeze(1).numpy()
        target = torch.from_numpy(rows.gae(value, lam=args.lam)[1])
        for indices in map(torch.from_numpy, rows.minibatches(1024, rng)):
            loss = torch.nn.functional.mse_loss(critic(seen[indices]).squeeze(1), target[indices])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    return float(np.mean(losses))


def improve_actor(
    policy: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    rows: Rows,
    advantage: NDArray[np.float32],
    entropy: float,
) -> float:
    """Take one step along the policy gradient; return the mean entropy."""
    batch = rows.torch()
    log_probabilities = torch.log_softmax(mask_logits(policy, batch["observation"], batch["action_mask"]), dim=1)
    chosen = log_probabilities.gather(1, batch["action"][:, None]).squeeze(1)
    weight = torch.from_numpy((advantage - advantage.mean()) / (advantage.std() + 1e-8))
    mean_entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
    optimiser.zero_grad(set_to_none=True)
    (-(weight * chosen).mean() - entropy * mean_entropy).backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    optimiser.step()
    return mean_entropy.item()


def train(args: Args) -> None:
    """Train, save the actor, and play the matches."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # small matrices: more threads are slower
    tables = make_vector(args.env, args.num_tables, seed=args.seed)
    game = tables.game
    policy = make_mlp([game.layout.size, *args.hidden, game.num_actions])
    critic = make_mlp([game.state_layout.size + game.num_seats, *args.hidden, 1])
    actor_optimiser = torch.optim.Adam(policy.parameters(), args.actor_learning_rate)
    critic_optimiser = torch.optim.Adam(critic.parameters(), args.critic_learning_rate)
    collector = Collector(tables, Actor(policy, args.seed), state=True, reward_scale=args.reward_scale)
    rng, decisions, start = np.random.default_rng(args.seed), 0, time.process_time()
    save_onnx_agent(args.folder, policy, game)  # at first, since a package may be missing
    with tqdm(total=round(60 * args.minutes), unit="s", desc="processor time") as bar:
        while (used := time.process_time() - start) < 60 * args.minutes:
            rest = 1 - 0.9 * used / (60 * args.minutes)
            rows = collector.collect(args.batch)
            seen = see_everything(rows, game.num_seats)
            with torch.inference_mode():
                value = critic(seen).squeeze(1).numpy()
            advantage, _ = rows.gae(value, lam=args.lam)
            mean_entropy = improve_actor(policy, actor_optimiser, rows, advantage, rest * args.entropy)
            critic_loss = fit_critic(critic, critic_optimiser, seen, rows, args, rng)
            decisions += rows.num_rows
            bar.update(round(time.process_time() - start) - bar.n)
            bar.set_postfix(decisions=f"{decisions:,}", critic=f"{critic_loss:.3f}", entropy=f"{mean_entropy:.3f}")
    folder = save_onnx_agent(args.folder, policy, game)
    print(f"{decisions:,} decisions; the agent is saved in {folder}")
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    train(tyro.cli(Args))
