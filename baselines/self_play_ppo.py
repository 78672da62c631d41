"""Self-play PPO: one network at all seats, a mask over illegal actions, past selves as opponents, and per-seat GAE.

    python baselines/self_play_ppo.py --env limit_holdem-v0 --encoder equity --minutes 10

Plain PyTorch on `card_baselines.kit.Collector`, which plays the tables and keeps account of seats and deals. The
trained network is saved as an agent: `card-envs match --env limit_holdem-v0 --agents runs/self_play_ppo chen`. Needs
`pip install 'card-envs[train,onnx]'`. `card-envs train self_play_ppo` is the package's own version, with checkpoints,
exploiters and faster networks.

Proximal policy optimisation: Schulman et al. (2017). Generalised advantage estimation: Schulman et al. (2016).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from tqdm import tqdm

from card_baselines.kit import Collector, Rows, policy_agent, print_matches, save_onnx_agent
from card_envs import make_vector
from card_envs.agent import choose, find_agent
from card_envs.vector import VectorStep


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "limit_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    encoder: str = "default"
    """Encoder of the observations."""
    num_players: int | None = None
    """Number of seats; None for the environment's default."""
    minutes: float = 10.0
    """Processor minutes of training."""
    seed: int = 0
    folder: str = "runs/self_play_ppo"
    """Folder of the trained agent."""
    num_tables: int = 1024
    """Tables that are played side by side."""
    batch: int = 16_384
    """Minimum number of decisions in an update."""
    minibatch: int = 2_048
    epochs: int = 2
    learning_rate: float = 1e-3
    """Learning rate of Adam at the start; it falls to a tenth along a line."""
    entropy: float = 0.03
    """Weight of the policy's entropy at the start; it falls to a tenth along a line."""
    clip: float = 0.2
    """The probability ratio is clipped to 1 - clip .. 1 + clip."""
    lam: float = 0.95
    """Lambda of generalised advantage estimation. Rewards are not discounted: deals are short."""
    reward_scale: float = 0.1
    """Factor of the rewards, since big blinds and points are large numbers for a network."""
    hidden: tuple[int, ...] = (128, 128)
    past_selves: int = 4
    """Number of past selves among the opponents; 0 for self-play with the latest network alone."""
    mixed: float = 0.2
    """Probability that a deal has a past self at all seats but one."""
    renew_every: int = 25
    """Updates between two copies of the network to a past self."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents of the matches at the end, each at all other seats."""
    hands: int = 20_000
    """Hands of each of these matches."""


def make_mlp(sizes: list[int]) -> torch.nn.Sequential:
    """Return a fully connected network; the weights of its last layer are small, so that a policy begins uniform."""
    layers: list[torch.nn.Module] = []
    for before, after in pairwise(sizes[:-1]):
        layers += [torch.nn.Linear(before, after), torch.nn.ReLU()]
    last = torch.nn.Linear(sizes[-2], sizes[-1])
    with torch.no_grad():
        last.weight *= 0.01
        last.bias.zero_()
    return torch.nn.Sequential(*layers, last)


class ActorCritic(torch.nn.Module):
    """Two networks over the same observations: logits of all actions, and the value of the seat to act."""

    def __init__(self, observation_size: int, num_actions: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.policy = make_mlp([observation_size, *hidden, num_actions])
        self.value = make_mlp([observation_size, *hidden, 1])

    def log_probabilities(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return log-probabilities (n, num_actions); those of illegal actions are about -1e9."""
        logits = self.policy(observation.float()).masked_fill(mask == 0, -1e9)
        return torch.log_softmax(logits, dim=1)

    @torch.inference_mode()
    def probabilities(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the policy as arrays, (n, num_actions)."""
        return self.log_probabilities(torch.from_numpy(observation), torch.from_numpy(mask)).exp().numpy()


class Player:
    """Chooses the learner's actions, and keeps what PPO needs of each decision."""

    def __init__(self, network: ActorCritic, seed: int) -> None:
        self.network, self.rng = network, np.random.default_rng(seed)

    @torch.inference_mode()
    def __call__(self, step: VectorStep) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float32]]]:
        """Return sampled actions with their log-probabilities and the values of the observations."""
        observation = torch.from_numpy(step.observation)
        log_probabilities = self.network.log_probabilities(observation, torch.from_numpy(step.action_mask)).numpy()
        actions = choose(np.exp(log_probabilities), self.rng.random(len(observation)))
        value = self.network.value(observation.float()).squeeze(1).numpy()
        return actions, {"log_probability": log_probabilities[np.arange(len(actions)), actions], "value": value}


def learn(network: ActorCritic, optimiser: torch.optim.Optimizer, rows: Rows, args: Args, entropy: float,
          rng: np.random.Generator) -> dict[str, float]:  # fmt: skip
    """Take the optimiser steps of one update; return the mean losses."""
    advantage, target = rows.gae(rows["value"], lam=args.lam)
    batch = rows.torch() | {"advantage": torch.from_numpy(advantage), "target": torch.from_numpy(target)}
    losses = []
    for _ in range(args.epochs):
        for indices in rows.minibatches(args.minibatch, rng):
            minibatch = {name: column[torch.from_numpy(indices)] for name, column in batch.items()}
            policy_loss, value_loss, mean_entropy = compute_losses(network, minibatch, args.clip)
            optimiser.zero_grad(set_to_none=True)
            (policy_loss + 0.5 * value_loss - entropy * mean_entropy).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()
            losses.append((policy_loss.item(), value_loss.item(), mean_entropy.item()))
    means = np.mean(losses, axis=0)
    return dict(zip(("policy_loss", "value_loss", "entropy"), means.tolist(), strict=True))


def compute_losses(
    network: ActorCritic, batch: Mapping[str, torch.Tensor], clip: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the clipped policy loss, the squared error of the values, and the mean entropy of the policy."""
    log_probabilities = network.log_probabilities(batch["observation"], batch["action_mask"])
    chosen = log_probabilities.gather(1, batch["action"][:, None]).squeeze(1)
    advantage = (batch["advantage"] - batch["advantage"].mean()) / (batch["advantage"].std() + 1e-8)
    ratio = (chosen - batch["log_probability"]).exp()
    policy_loss = -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
    value = network.value(batch["observation"].float()).squeeze(1)
    value_loss = torch.nn.functional.mse_loss(value, batch["target"])
    entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
    return policy_loss, value_loss, entropy


def train(args: Args) -> None:
    """Train, save the agent, and play the matches."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # small matrices: more threads are slower
    settings = {} if args.num_players is None else {"num_players": args.num_players}
    tables = make_vector(args.env, args.num_tables, seed=args.seed, encoder=args.encoder, **settings)
    game = tables.game
    network = ActorCritic(game.layout.size, game.num_actions, args.hidden)
    optimiser = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    selves = [copy.deepcopy(network) for _ in range(args.past_selves)]
    collector = Collector(
        tables, Player(network, args.seed), reward_scale=args.reward_scale, seed=args.seed,
        opponents=[policy_agent(each.probabilities, f"past self {k}") for k, each in enumerate(selves)],
        mixed=args.mixed if selves else 0.0,
    )  # fmt: skip
    rng, decisions, updates, start = np.random.default_rng(args.seed), 0, 0, time.process_time()
    save_onnx_agent(args.folder, network.policy, game)  # at first, since a package may be missing
    with tqdm(total=round(60 * args.minutes), unit="s", desc="processor time") as bar:
        while (used := time.process_time() - start) < 60 * args.minutes:
            rest = 1 - 0.9 * used / (60 * args.minutes)
            optimiser.param_groups[0]["lr"] = rest * args.learning_rate
            rows = collector.collect(args.batch)
            measures = learn(network, optimiser, rows, args, rest * args.entropy, rng)
            decisions, updates = decisions + rows.num_rows, updates + 1
            if selves and updates % args.renew_every == 0:
                selves[updates // args.renew_every % len(selves)].load_state_dict(network.state_dict())
            bar.update(round(time.process_time() - start) - bar.n)
            bar.set_postfix(decisions=f"{decisions:,}", **{name: f"{value:.3f}" for name, value in measures.items()})
    folder = save_onnx_agent(args.folder, network.policy, game)
    print(f"{decisions:,} decisions in {updates:,} updates; the agent is saved in {folder}")
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    train(tyro.cli(Args))
