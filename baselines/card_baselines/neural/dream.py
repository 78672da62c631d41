"""DREAM: Deep CFR with outcome sampling and a learned baseline that reduces its variance.

Steinberger, Lerer and Brown (DREAM: Deep regret minimization with advantage baselines and model-free learning, 2020).
External sampling (`sd_cfr`) tries all actions of a player, so it needs a game that can be copied, and its cost grows
exponentially with the number of decisions. With outcome sampling a deal is played once: the traverser explores, the
other seat plays the latest strategy. Importance weights make the sampled advantages unbiased, with a large variance. A
baseline reduces the variance without changing the mean (Schmid et al., Variance reduction in Monte Carlo CFR, 2019): a
network that predicts, from the observations of both seats, the value of each action under the latest strategy.

Advantage network, memory and average strategy are those of `sd_cfr`, with the same differences from the paper. The
baseline is trained by expected SARSA, as in the paper, from one replay memory for both players.

Read in this order: `sd_cfr`, this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.learning.adam import Adam
from card_baselines.learning.memories import ReplayMemory
from card_baselines.learning.optimisation import take_steps
from card_baselines.neural.advantage_network import make_network
from card_baselines.neural.external_sampling import Policy, Samples, Step, join_steps
from card_baselines.neural.sd_cfr import PRESETS as SD_CFR_PRESETS
from card_baselines.neural.sd_cfr import Config as SdCfrConfig
from card_baselines.neural.sd_cfr import SingleDeepCfr, make_cfr_algorithm
from card_baselines.runs.ranges import ABOVE_0, AT_LEAST_0, AT_LEAST_1, SHARE
from card_envs.agent import choose
from card_envs.game import Game, Tables
from card_envs.typing import Floats


@dataclass(frozen=True, kw_only=True)
class Config(SdCfrConfig):
    """Settings of Single Deep CFR, of exploration and of the baseline."""

    exploration: Annotated[float, SHARE, ABOVE_0] = 0.5
    """Probability that the traverser takes a random action."""
    baseline_steps: Annotated[int, AT_LEAST_0] = 200
    """Number of optimiser steps for the baseline after the traversals of each player; 0 for no baseline."""
    baseline_replay: Annotated[int, AT_LEAST_1] = 200_000
    """Capacity of the replay memory of the baseline, in transitions."""
    baseline_learning_rate: Annotated[float, ABOVE_0] = 1e-3


class Baseline:
    """Action values of the latest strategy, given the observations of both seats, in the unit of rewards."""

    def __init__(self, game: Game, config: Config, device: torch.device) -> None:
        """Make a network whose values are 0, with which estimates are those without a baseline."""
        size = 2 * game.layout.size
        self.network = make_network(size, config.hidden, game.num_actions, device)
        self.optimiser = Adam(self.network.parameters(), config.baseline_learning_rate, fused=True)
        transitions: dict[str, tuple[tuple[int, ...], Any]] = {
            "history": ((size,), game.layout.dtype),
            "action": ((), np.int64),
            "reward": ((), np.float32),
            "next_history": ((size,), game.layout.dtype),
            "next_weights": ((game.num_actions,), np.float32),
        }
        self.replay = ReplayMemory(config.baseline_replay, transitions, {"action": game.num_actions - 1})
        self._device = device

    @torch.inference_mode()
    def values(self, history: NDArray[Any]) -> Floats:
        """Return the value (n, num_actions) of each action to the seat that acts."""
        output = self.network(torch.from_numpy(history).to(self._device).float())
        return np.asarray(output.cpu().numpy(), np.float64)

    def fit(self, rng: np.random.Generator, steps: int, minibatch: int) -> float:
        """Take optimiser steps of expected SARSA (van Seijen et al. 2009); return the mean loss."""

        def compute_loss() -> torch.Tensor:
            rows = self.replay.sample(rng, minibatch, self._device)
            with torch.no_grad():
                next_values: torch.Tensor = self.network(rows["next_history"].float())
                target = rows["reward"] + (rows["next_weights"] * next_values).sum(dim=1)
            value: torch.Tensor = self.network(rows["history"].float()).gather(1, rows["action"][:, None])[:, 0]
            return (value - target).square().mean()

        return take_steps(self.optimiser, compute_loss, steps)


@dataclass(frozen=True)
class LineStep(Step):
    """A step at the n of m tables whose deals are not over."""

    rows: NDArray[np.int64]
    """(n,): the tables."""
    history: NDArray[Any]
    """(n, 2d): observations of the seat that acts and of the other one."""
    action: NDArray[np.int64]
    """(n,): the action taken."""
    probability: Floats
    """(n,): the probability with which it was sampled."""
    reward: Floats
    """(n,): the traverser's reward if the deal ends with this action, else 0."""


def play_lines(
    game: Game,
    tables: Tables,
    traversers: NDArray[np.int64],
    policy: Policy,
    exploration: float,
    rng: np.random.Generator,
) -> list[LineStep]:
    """Play deals to their ends by outcome sampling.

    Args:
        game: A game for two players.
        tables: (m,) tables before their first decision; they are not changed.
        traversers: (m,) seat of the traverser at each table.
        policy: Strategy of both seats.
        exploration: Probability that the traverser takes a random action.
        rng: Random generator of the actions.

    Returns:
        The decisions of all deals, one step for each number of actions before them.
    """
    tables, rows, weight = tables.copy(), np.arange(len(tables)), np.ones(len(tables))
    steps = []
    while len(rows):
        observation, action_mask = game.observe_actors(tables, rows)
        strategy = policy(observation, action_mask)
        is_own = tables["actor"][rows] == traversers[rows]
        explored = exploration * action_mask / action_mask.sum(axis=1, keepdims=True) + (1 - exploration) * strategy
        sampled = np.where(is_own[:, None], explored, strategy)
        action = choose(sampled, rng.random(len(rows)))
        probability = sampled[np.arange(len(rows)), action]
        history = np.concatenate([observation, observe_other_seat(game, tables[rows])], axis=1)
        rewards, is_over = np.empty((len(rows), game.num_seats), np.float32), np.empty(len(rows), np.uint8)
        game.step_batch(tables, rows, action, rewards, is_over, False)
        reward = np.where(is_over, rewards[np.arange(len(rows)), traversers[rows]], 0.0)
        seen = observation, action_mask, strategy, is_own, weight[rows]
        steps.append(LineStep(*seen, rows, history, action, probability, reward))
        weight[rows] /= np.where(is_own, probability, 1.0)
        rows = rows[is_over == 0]
    return steps


def observe_other_seat(game: Game, tables: Tables) -> NDArray[Any]:
    """Return the observations (n, d) of the seats that do not act, as if it were their turn."""
    other = tables.copy()
    other["actor"] = 1 - other["actor"]
    return game.observe_actors(other, np.arange(len(other)))[0]


def estimate_advantages(steps: list[LineStep], values: list[Floats]) -> Samples:
    """Return samples whose advantages, times their weights, are unbiased estimates of counterfactual regrets.

    Args:
        steps: The result of `play_lines`.
        values: For every step, baseline values (n, num_actions) of the actions for the seat that acts. The estimates
            are unbiased for any values, and have the less variance the better the values are.
    """
    next_value = np.zeros(len(steps[0].rows))
    advantages: list[Floats] = []
    for step, baseline in zip(reversed(steps), reversed(values), strict=True):
        actions = np.arange(len(step.rows)), step.action
        estimate: Floats = np.where(step.is_own[:, None], baseline, -baseline) * step.action_mask  # for the traverser
        outcome = step.reward + next_value[step.rows]
        estimate[actions] += (outcome - estimate[actions]) / step.probability
        expected = (step.strategy * estimate).sum(axis=1)
        next_value[step.rows] = expected
        advantages.append((estimate - expected[:, None]) * step.action_mask)
    return join_steps(steps, advantages[::-1])


class Dream(SingleDeepCfr):
    """The learner: Single Deep CFR with outcome sampling and a baseline."""

    config: Config

    def __init__(self, config: Config, game: Game) -> None:
        """Start with the uniform strategy; ValueError unless the game has two players."""
        super().__init__(config, game)
        self.baseline = Baseline(game, config, self.network.device)

    def traverse(self, traversers: NDArray[np.int64]) -> Samples:
        """Return samples of the deals at the tables, and train the baseline with them."""
        config = self.config
        steps = play_lines(self.game, self.tables, traversers, self.network.strategy, config.exploration, self.rng)
        samples = estimate_advantages(steps, [self.baseline.values(step.history) for step in steps])
        if config.baseline_steps:
            self._add_transitions(steps)
            self.baseline.fit(self.rng, config.baseline_steps, config.minibatch)
        return samples

    def _add_transitions(self, steps: list[LineStep]) -> None:
        """Add the transitions of deals to the replay memory of the baseline, from the view of the seats that act."""
        num_tables = len(steps[0].rows)
        following = np.zeros((num_tables, steps[0].history.shape[1]), steps[0].history.dtype)
        weights = np.zeros((num_tables, self.game.num_actions))
        next_is_own = np.zeros(num_tables, np.bool_)
        for step in reversed(steps):
            rows = step.rows
            to_actor = np.where(step.is_own, 1.0, -1.0)
            turns = np.where(next_is_own[rows] == step.is_own, 1.0, -1.0)  # -1 if the other seat acts next
            self.baseline.replay.add(
                self.rng,
                history=step.history,
                action=step.action,
                reward=(to_actor * step.reward).astype(np.float32),
                next_history=following[rows],
                next_weights=(turns[:, None] * weights[rows]).astype(np.float32),
            )
            following[rows], weights[rows], next_is_own[rows] = step.history, step.strategy, step.is_own

    @property
    def parts(self) -> Mapping[str, Any]:
        """The parts of Single Deep CFR, and those of the baseline."""
        baseline = self.baseline
        return {
            **super().parts,
            "baseline": baseline.network,
            "baseline_adam": baseline.optimiser,
            "baseline_replay": baseline.replay,
        }


def _with_baseline(name: str, **changes: Any) -> Config:
    """Return a preset of `sd_cfr` with `changes`."""
    return replace(Config(**vars(SD_CFR_PRESETS[name])), **changes)


PRESETS = {
    "leduc": _with_baseline("leduc", traversals=4000, baseline_steps=40),
    "kuhn": _with_baseline("kuhn", traversals=500, baseline_steps=20),
    "flop": _with_baseline("flop", traversals=20_000),
}

ALGORITHM = make_cfr_algorithm("dream", Config, Dream, presets=PRESETS)
