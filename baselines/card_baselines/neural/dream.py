"""DREAM: Deep CFR that plays single lines, with a learned baseline against their noise.

Steinberger, Lerer and Brown (DREAM: Deep regret minimization with advantage baselines and model-free learning, 2020).
External sampling (`sd_cfr`) tries all actions of a player, so it needs a game that can be copied, and its cost grows
with the number of actions to the power of the decisions. Here a deal is one line of play, as a game outside a computer
would be: the player explores, everybody else plays the latest strategy. Dividing by the probabilities of exploration
makes the sampled advantages right on average, and noisy. A baseline takes most of the noise away and leaves the mean
as it is (Schmid et al., Variance reduction in Monte Carlo CFR, 2019): a network that predicts, from the observations
of both seats, what each action is worth if all go on with the latest strategy.

Advantage network, memory, and the average strategy are those of `sd_cfr`, and so is what differs from the paper. The
baseline learns by expected SARSA, as in the paper, from one replay memory for both players.

Read in this order: `sd_cfr`, this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.neural.advantage_network import make_network
from card_baselines.neural.exploitability_curve import to_arrays
from card_baselines.neural.external_sampling import Floats, Policy, Samples, observe
from card_baselines.neural.replay_memory import ReplayMemory
from card_baselines.neural.sd_cfr import PRESETS as SD_CFR_PRESETS
from card_baselines.neural.sd_cfr import Config as SdCfrConfig
from card_baselines.neural.sd_cfr import SingleDeepCfr, describe
from card_baselines.runs.algorithm import Algorithm
from card_baselines.runs.checkpoint import load_optimiser, optimiser_tensors, strip_prefix
from card_baselines.runs.config import require, require_above_0, require_shares
from card_envs.agent import choose
from card_envs.game import Game, Tables


@dataclass(frozen=True, kw_only=True)
class Config(SdCfrConfig):
    """Settings of Single Deep CFR, and those of exploration and the baseline."""

    exploration: float = 0.5
    """Probability with which the traverser takes a random action."""
    baseline_steps: int = 200
    """Steps of the optimiser for the baseline after the traversals of each player; 0 for no baseline."""
    baseline_replay: int = 200_000
    """Transitions from which the baseline learns; new ones replace the oldest."""
    baseline_learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense, by name."""
        super().__post_init__()
        require(self, 0, "baseline_steps")
        require(self, 1, "baseline_replay")
        require_shares(self, "exploration")
        require_above_0(self, "exploration", "baseline_learning_rate")


class Baseline:
    """Action values of the latest strategy, given what both seats see; the unit is that of rewards."""

    def __init__(self, game: Game, config: Config, device: torch.device) -> None:
        """Begin with values of 0, which change no estimate."""
        size = 2 * game.layout.size
        self.network = make_network(size, config.hidden, game.num_actions, device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), config.baseline_learning_rate, fused=True)
        self.replay = ReplayMemory(
            config.baseline_replay,
            {
                "history": ((size,), game.layout.dtype),
                "action": ((), np.int64),
                "reward": ((), np.float32),
                "next_history": ((size,), game.layout.dtype),
                "next_weights": ((game.num_actions,), np.float32),
            },
        )
        self._device = device

    @torch.inference_mode()
    def values(self, history: NDArray[Any]) -> Floats:
        """Return the value (n, num_actions) of each action to the seat that acts."""
        output = self.network(torch.from_numpy(history).to(self._device).float())
        return np.asarray(output.cpu().numpy(), np.float64)

    def fit(self, rng: np.random.Generator, steps: int, minibatch: int) -> float:
        """Take steps of expected SARSA (van Seijen et al. 2009); return the mean loss."""
        losses = []
        for _ in range(steps):
            rows = {name: column.to(self._device) for name, column in self.replay.sample(rng, minibatch).items()}
            with torch.no_grad():
                goal = rows["reward"] + (rows["next_weights"] * self.network(rows["next_history"].float())).sum(dim=1)
            value = self.network(rows["history"].float()).gather(1, rows["action"][:, None])[:, 0]
            loss = (value - goal).square().mean()
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            losses.append(loss.detach())
        return float(torch.stack(losses).mean()) if losses else 0.0


@dataclass(frozen=True)
class Step:
    """The decisions that are k actions away from the deal, at tables where the deal goes on: n of m tables."""

    rows: NDArray[np.int64]
    """(n,): the tables."""
    is_own: NDArray[np.bool_]
    """(n,): whether the traverser acts."""
    observation: NDArray[Any]
    action_mask: NDArray[np.int8]
    history: NDArray[Any]
    """(n, 2d): observations of the seat that acts and of the other one."""
    strategy: Floats
    """(n, num_actions): the latest strategy."""
    action: NDArray[np.int64]
    """(n,): the action taken."""
    probability: Floats
    """(n,): with which it was taken."""
    weight: Floats
    """(n,): 1 over the probability with which the traverser's earlier actions were taken."""
    reward: Floats
    """(n,): of the traverser, if the deal ends here."""


def play_lines(
    game: Game,
    tables: Tables,
    traversers: NDArray[np.int64],
    policy: Policy,
    exploration: float,
    rng: np.random.Generator,
) -> list[Step]:
    """Play deals to their ends.

    Args:
        game: A game for two players.
        tables: (m,) tables before their first decision, which stay as they are.
        traversers: (m,) seat of the traverser at each.
        policy: Strategy of both seats.
        exploration: Probability with which the traverser takes a random action.
        rng: Draws the actions.
    """
    tables, rows, weight = tables.copy(), np.arange(len(tables)), np.ones(len(tables))
    steps = []
    while len(rows):
        observation, action_mask = observe(game, tables[rows])
        strategy = policy(observation, action_mask)
        is_own = tables["actor"][rows] == traversers[rows]
        explored = exploration * action_mask / action_mask.sum(axis=1, keepdims=True) + (1 - exploration) * strategy
        chances = np.where(is_own[:, None], explored, strategy)
        action = choose(chances, rng.random(len(rows)))
        probability = chances[np.arange(len(rows)), action]
        history = np.concatenate([observation, observe_other_seat(game, tables[rows])], axis=1)
        rewards, is_over = np.empty((len(rows), game.num_seats), np.float32), np.empty(len(rows), np.uint8)
        game.step_batch(tables, rows, action, rewards, is_over, False)
        reward = np.where(is_over, rewards[np.arange(len(rows)), traversers[rows]], 0.0)
        steps.append(
            Step(rows, is_own, observation, action_mask, history, strategy, action, probability, weight[rows], reward)
        )
        weight[rows] /= np.where(is_own, probability, 1.0)
        rows = rows[is_over == 0]
    return steps


def observe_other_seat(game: Game, tables: Tables) -> NDArray[Any]:
    """Return what the seat that does not act sees, (n, d): what it would see if it had to act."""
    other = tables.copy()
    other["actor"] = 1 - other["actor"]
    return observe(game, other)[0]


def estimate_advantages(steps: list[Step], values: list[Floats]) -> Samples:
    """Return samples whose advantages, times their weights, are counterfactual regrets on average.

    Args:
        steps: Deals that `play_lines` played.
        values: Value (n, num_actions) of each action to the seat that acts, at every step. Any numbers leave the
            expectation as it is; the better they are, the less noise.
    """
    next_value = np.zeros(len(steps[0].rows))
    advantages: list[Floats] = []
    for step, baseline in zip(reversed(steps), reversed(values), strict=True):
        actions = np.arange(len(step.rows)), step.action
        estimate: Floats = np.where(step.is_own[:, None], baseline, -baseline) * step.action_mask  # to the traverser
        outcome = step.reward + next_value[step.rows]
        estimate[actions] += (outcome - estimate[actions]) / step.probability
        expected = (step.strategy * estimate).sum(axis=1)
        next_value[step.rows] = expected
        advantages.append((estimate - expected[:, None]) * step.action_mask)
    own = [step.is_own for step in steps]
    others = [~is_own for is_own in own]
    advantages.reverse()

    def join(columns: list[NDArray[Any]], chosen: list[NDArray[np.bool_]]) -> NDArray[Any]:
        return np.concatenate([column[rows] for column, rows in zip(columns, chosen, strict=True)])

    return Samples(
        observation=join([step.observation for step in steps], own),
        action_mask=join([step.action_mask for step in steps], own),
        advantage=join(advantages, own),
        weight=join([step.weight for step in steps], own),
        other_observation=join([step.observation for step in steps], others),
        other_action_mask=join([step.action_mask for step in steps], others),
        other_probabilities=join([step.strategy for step in steps], others),
        other_weight=join([step.weight for step in steps], others),
    )


class Dream(SingleDeepCfr):
    """Single Deep CFR with other traversals, and their baseline."""

    algorithm: ClassVar[str] = "dream"
    config: Config

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with the strategy that plays all legal actions alike; ValueError unless the game has two players."""
        super().__init__(config, game)
        self.baseline = Baseline(game, config, self.network.device)

    def traverse(self, traversers: NDArray[np.int64]) -> Samples:
        """Return samples of the deals at the tables, and train the baseline with them."""
        config = self.config
        steps = play_lines(self.game, self.tables, traversers, self.network.strategy, config.exploration, self.rng)
        samples = estimate_advantages(steps, [self.baseline.values(step.history) for step in steps])
        if config.baseline_steps:
            self._remember(steps)
            self.baseline.fit(self.rng, config.baseline_steps, config.minibatch)
        return samples

    def _remember(self, steps: list[Step]) -> None:
        """Add the transitions of deals to the memory of the baseline; rewards are those of the seats that acted."""
        num_tables = len(steps[0].rows)
        following = np.zeros((num_tables, steps[0].history.shape[1]), steps[0].history.dtype)
        weights = np.zeros((num_tables, self.game.num_actions))
        next_is_own = np.zeros(num_tables, np.bool_)
        for step in reversed(steps):
            rows = step.rows
            to_actor = np.where(step.is_own, 1.0, -1.0)
            turns = np.where(next_is_own[rows] == step.is_own, 1.0, -1.0)  # the next actor may be the other seat
            self.baseline.replay.add(
                history=step.history,
                action=step.action,
                reward=(to_actor * step.reward).astype(np.float32),
                next_history=following[rows],
                next_weights=(turns[:, None] * weights[rows]).astype(np.float32),
            )
            following[rows], weights[rows], next_is_own[rows] = step.history, step.strategy, step.is_own

    def parts(self) -> dict[str, Mapping[str, Any]]:
        """Return those of Single Deep CFR, and the baseline."""
        baseline = self.baseline
        return {
            **super().parts(),
            "baseline": baseline.network.state_dict(),
            "baseline_adam": optimiser_tensors(baseline.optimiser),
            "baseline_replay": baseline.replay.state(),
        }

    def restore_parts(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Continue with the tensors of all parts."""
        super().restore_parts(tensors)
        self.baseline.network.load_state_dict(strip_prefix("baseline.", tensors))
        load_optimiser(self.baseline.optimiser, strip_prefix("baseline_adam.", tensors))
        self.baseline.replay.restore(to_arrays(strip_prefix("baseline_replay.", tensors)))


def _with_baseline(name: str, **changes: Any) -> Config:
    """Return a preset of `sd_cfr` with the settings that differ."""
    return replace(Config(**vars(SD_CFR_PRESETS[name])), **changes)


PRESETS = {
    "leduc": _with_baseline("leduc", traversals=4000, baseline_steps=40),
    "kuhn": _with_baseline("kuhn", traversals=500, baseline_steps=20),
    "flop": _with_baseline("flop", traversals=20_000),
}

ALGORITHM = Algorithm(
    name=Dream.algorithm,
    config=Config,
    make_learner=Dream,
    describe=partial(describe, algorithm=Dream.algorithm),
    presets=PRESETS,
    find_preset=lambda config: {preset.env: name for name, preset in PRESETS.items()}.get(config.env, ""),
    may_change=("minutes", "steps", "evaluation_seconds", "learning_rate"),
)
