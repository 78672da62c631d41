"""Neural fictitious self-play: a best response by deep Q-learning, and the average of all best responses.

    python baselines/nfsp.py --env leduc_holdem-v0 --minutes 5

In each deal every seat plays the best response with probability eta, else the average policy, which is the result
(Heinrich and Silver 2016). All decisions train the best response by Q-learning; the decisions of the best response go
to a reservoir as well, from which the average policy learns by classification. Plain PyTorch on
`card_baselines.kit.Collector`. The average is saved as an agent: `card-envs exploit --env leduc_holdem-v0 --agent
runs/nfsp` computes its exploitability. Needs `pip install 'card-envs[train,onnx]'`.
"""

from __future__ import annotations

import copy
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

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "leduc_holdem-v0"
    """Id of the environment; `card-envs envs` lists them."""
    minutes: float = 5.0
    """Processor minutes of training."""
    seed: int = 0
    folder: str = "runs/nfsp"
    """Folder of the trained agent."""
    num_tables: int = 256
    """Tables that are played side by side."""
    batch: int = 4_096
    """Minimum number of decisions between two trainings of the networks."""
    steps: int = 32
    """Optimiser steps of each network in a training."""
    minibatch: int = 256
    eta: float = 0.1
    """Anticipatory parameter: the probability that a seat plays a deal by the best response."""
    epsilon: float = 0.06
    """Probability of a random action of the best response at the start; it falls to 0 along a line."""
    replay: int = 200_000
    """Capacity of the replay memory of the best response in decisions; new ones replace the oldest."""
    reservoir: int = 1_000_000
    """Capacity of the reservoir of the average policy in decisions, each ever seen equally likely to be in it."""
    target_every: int = 10
    """Trainings between two copies to the target network."""
    learning_rate: float = 1e-3
    reward_scale: float = 0.2
    """Factor of the rewards."""
    hidden: tuple[int, ...] = (64, 64)
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents of the matches at the end, each at all other seats."""
    hands: int = 20_000
    """Hands of each of these matches."""


def make_mlp(sizes: list[int]) -> torch.nn.Sequential:
    """Return a fully connected network."""
    layers = [layer for pair in pairwise(sizes[:-1]) for layer in (torch.nn.Linear(*pair), torch.nn.ReLU())]
    return torch.nn.Sequential(*layers, torch.nn.Linear(*sizes[-2:]))


def apply_masked(network: torch.nn.Module, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the outputs of a network (n, num_actions), -1e9 for illegal actions."""
    outputs: torch.Tensor = network(observation.float())
    return outputs.masked_fill(mask == 0, -1e9)


class Memory:
    """Rows of several arrays: the latest ones, or with `is_reservoir` a uniform sample of all that were ever added."""

    def __init__(self, capacity: int, is_reservoir: bool, rng: np.random.Generator) -> None:
        self.capacity, self.is_reservoir, self.rng = capacity, is_reservoir, rng
        self.num_added, self.columns = 0, dict[str, NDArray[Any]]()

    def add(self, **rows: NDArray[Any]) -> None:
        """Add n rows, given as columns (n, ...)."""
        count = len(next(iter(rows.values())))
        numbers = np.arange(self.num_added, self.num_added + count)
        places = numbers % self.capacity
        if self.is_reservoir:  # row number k replaces a random one with probability capacity / (k + 1)
            drawn = (self.rng.random(count) * (numbers + 1)).astype(np.int64)
            places = np.where(numbers < self.capacity, numbers, drawn)
        kept = places < self.capacity
        for name, column in rows.items():
            if name not in self.columns:
                self.columns[name] = np.zeros((self.capacity, *column.shape[1:]), column.dtype)
            self.columns[name][places[kept]] = column[kept]
        self.num_added += count

    def sample(self, size: int) -> dict[str, torch.Tensor]:
        """Return `size` random rows as tensors."""
        rows = self.rng.integers(min(self.num_added, self.capacity), size=size)
        return {name: torch.from_numpy(column[rows]) for name, column in self.columns.items()}


class Players:
    """All seats: each plays a deal by the best response (epsilon-greedy) or by the average policy."""

    def __init__(self, response: torch.nn.Module, average: torch.nn.Module, num_seats: int, args: Args) -> None:
        self.response, self.average = response, average
        self.rng, self.eta, self.epsilon = np.random.default_rng(args.seed), args.eta, args.epsilon
        self.plays_response = self.rng.random((args.num_tables, num_seats)) < self.eta

    @torch.inference_mode()
    def __call__(self, step: VectorStep) -> tuple[NDArray[np.int64], Columns]:
        """Return actions, and which of them the best response chose."""
        over = np.flatnonzero(step.is_over)
        self.plays_response[over] = self.rng.random((len(over), self.plays_response.shape[1])) < self.eta
        rows = np.arange(len(step.seats))
        by_response = self.plays_response[rows, step.seats]
        observation, mask = torch.from_numpy(step.observation), torch.from_numpy(step.action_mask)
        greedy = apply_masked(self.response, observation, mask).argmax(dim=1).numpy()
        explores = by_response & (self.rng.random(len(rows)) < self.epsilon)
        weights = torch.softmax(apply_masked(self.average, observation, mask), dim=1).numpy()
        weights = np.where(explores[:, None], step.action_mask, weights)
        drawn = choose(weights, self.rng.random(len(rows)))
        return np.where(by_response & ~explores, greedy, drawn), {"by_response": by_response}


def remember(rows: Rows, replay: Memory, reservoir: Memory) -> None:
    """Add all transitions to the replay memory, and the decisions of the best response to the reservoir."""
    following, is_last = rows["next_row"], rows["next_row"] < 0  # the successor of a last decision is not used
    replay.add(
        observation=rows["observation"], action=rows["action"], reward=rows["reward"], is_last=is_last,
        next_observation=rows["observation"][following], next_mask=rows["action_mask"][following],
    )  # fmt: skip
    chosen = np.flatnonzero(rows["by_response"])
    reservoir.add(**{name: rows[name][chosen] for name in ("observation", "action_mask", "action")})


def fit_response(response: torch.nn.Module, target: torch.nn.Module, optimiser: torch.optim.Optimizer, replay: Memory,
                 args: Args) -> float:  # fmt: skip
    """Take steps of Q-learning (Mnih et al. 2015); return the mean loss."""
    losses = []
    for _ in range(args.steps):
        batch = replay.sample(args.minibatch)
        with torch.no_grad():
            best = apply_masked(target, batch["next_observation"], batch["next_mask"]).max(dim=1).values
            goal = torch.where(batch["is_last"], batch["reward"], batch["reward"] + best)
        value = response(batch["observation"].float()).gather(1, batch["action"][:, None]).squeeze(1)
        losses.append(take_step(optimiser, torch.nn.functional.smooth_l1_loss(value, goal)))
    return float(np.mean(losses))


def fit_average(average: torch.nn.Module, optimiser: torch.optim.Optimizer, reservoir: Memory, args: Args) -> float:
    """Take steps of classification on the decisions of all best responses; return the mean loss."""
    losses = []
    for _ in range(args.steps):
        batch = reservoir.sample(args.minibatch)
        logits = apply_masked(average, batch["observation"], batch["action_mask"])
        losses.append(take_step(optimiser, torch.nn.functional.cross_entropy(logits, batch["action"])))
    return float(np.mean(losses))


def take_step(optimiser: torch.optim.Optimizer, loss: torch.Tensor) -> float:
    """Take one optimiser step, and return the loss."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    return loss.item()


def train(args: Args) -> None:
    """Train, save the average policy, and play the matches."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # small matrices: more threads are slower
    tables = make_vector(args.env, args.num_tables, seed=args.seed)
    game, rng = tables.game, np.random.default_rng(args.seed)
    response, average = (make_mlp([game.layout.size, *args.hidden, game.num_actions]) for _ in range(2))
    target = copy.deepcopy(response)
    response_optimiser, average_optimiser = (
        torch.optim.Adam(n.parameters(), args.learning_rate) for n in (response, average)
    )
    replay, reservoir = Memory(args.replay, False, rng), Memory(args.reservoir, True, rng)
    players = Players(response, average, game.num_seats, args)
    collector = Collector(tables, players, reward_scale=args.reward_scale)
    decisions, trainings, start = 0, 0, time.process_time()
    save_onnx_agent(args.folder, average, game)  # at first, since a package may be missing
    with tqdm(total=round(60 * args.minutes), unit="s", desc="processor time") as bar:
        while (used := time.process_time() - start) < 60 * args.minutes:
            players.epsilon = args.epsilon * (1 - used / (60 * args.minutes))
            rows = collector.collect(args.batch)
            remember(rows, replay, reservoir)
            response_loss = fit_response(response, target, response_optimiser, replay, args)
            average_loss = fit_average(average, average_optimiser, reservoir, args)
            decisions, trainings = decisions + rows.num_rows, trainings + 1
            if trainings % args.target_every == 0:
                target.load_state_dict(response.state_dict())
            bar.update(round(time.process_time() - start) - bar.n)
            bar.set_postfix(decisions=f"{decisions:,}", response=f"{response_loss:.3f}", average=f"{average_loss:.3f}")
    folder = save_onnx_agent(args.folder, average, game)
    print(f"{decisions:,} decisions; the average policy is saved in {folder}")
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    train(tyro.cli(Args))
