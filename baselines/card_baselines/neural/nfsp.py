"""Neural fictitious self-play: a best response by DQN, and a network that plays the average of all best responses.

Heinrich and Silver (Deep reinforcement learning from self-play in imperfect-information games, 2016). In each deal
every seat plays the best response with probability eta, else the average strategy. All decisions go to the replay
memory of a DQN, which learns the best response. The decisions of the best response go to a reservoir as well, from
which the average network, the result, learns. One pair of networks plays all seats, and observes its position.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import MlpPolicy, save_policy
from card_baselines.average_strategy.average_network import AverageNetwork
from card_baselines.learning.adam import Adam
from card_baselines.learning.memories import ReplayMemory
from card_baselines.learning.optimisation import interpolate, take_steps
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.checkpoint import Part, check_arrays, tables_part
from card_baselines.runs.exploitability_meter import AVERAGE, MeasuredConfig, MeasuredLearner
from card_baselines.runs.ranges import ABOVE_0, AT_LEAST_0, AT_LEAST_1, SHARE, require_range
from card_envs.agent import Decisions, choose
from card_envs.game import Game
from card_envs.rng import make_generator

_ILLEGAL = -1e9
"""Value of illegal actions."""


@dataclass(frozen=True, kw_only=True)
class Config(MeasuredConfig):
    """Settings of a run."""

    num_tables: Annotated[int, AT_LEAST_1] = 256
    steps_per_update: Annotated[int, AT_LEAST_1] = 16
    """Number of decisions at each table in an update, before the networks are trained."""
    eta: Annotated[float, SHARE] = 0.1
    """Anticipatory parameter: the probability that a seat plays a deal by the best response."""
    epsilon: Annotated[tuple[float, float], AT_LEAST_0] = (0.06, 0.001)
    """Probability of a random action of the best response, at the start and at the end of the run."""
    replay: Annotated[int, AT_LEAST_1] = 200_000
    """Capacity of the replay memory in transitions; new ones replace the oldest."""
    reservoir: Annotated[int, AT_LEAST_1] = 2_000_000
    """Capacity of the reservoir of the average network in decisions."""
    response_steps: Annotated[int, AT_LEAST_1] = 32
    """Number of optimiser steps for the best response in an update."""
    average_steps: Annotated[int, AT_LEAST_1] = 32
    """Number of optimiser steps for the average network in an update."""
    minibatch: Annotated[int, AT_LEAST_1] = 256
    learning_rate: Annotated[float, ABOVE_0] = 1e-3
    """Learning rate of the best response."""
    average_learning_rate: Annotated[float, ABOVE_0] = 1e-3
    target_updates: Annotated[int, AT_LEAST_1] = 10
    """Number of updates between two copies to the target network."""
    reward_scale: Annotated[float, ABOVE_0] = 0.2
    hidden: Annotated[tuple[int, ...], AT_LEAST_1] = (64, 64)


class Nfsp(MeasuredLearner):
    """The learner: both networks, their memories and the tables at which they play."""

    counts = ("decisions", "updates")

    def __init__(self, config: Config, game: Game) -> None:
        """Make networks with random weights, and deal at all tables."""
        torch.manual_seed(config.seed)
        super().__init__(game, config.exploitability)
        self.config, self.device = config, find_device(config.device)
        self.response = MlpPolicy(game.layout.size, list(config.hidden), game.num_actions, "relu").to(self.device)
        self.target = deepcopy(self.response).requires_grad_(False)
        self.optimiser = Adam(self.response.parameters(), config.learning_rate, fused=True)
        self.average = AverageNetwork(game, config.hidden, config.reservoir, config.average_learning_rate, self.device)
        observation = (game.layout.size,), game.layout.dtype
        transitions: dict[str, tuple[tuple[int, ...], Any]] = {
            "observation": observation,
            "action": ((), np.int64),
            "reward": ((), np.float32),
            "next_observation": observation,
            "next_action_mask": ((game.num_actions,), np.int8),
            "is_last": ((), np.bool_),
        }
        self.replay = ReplayMemory(config.replay, transitions, {"action": game.num_actions - 1})
        self.rng = make_generator(config.seed, 4)
        self.decisions = self.updates = 0
        self._tables = game.seeded_tables(config.num_tables, config.seed)
        self._rows = np.arange(config.num_tables)
        game.deal_batch(self._tables, self._rows)
        seats = (config.num_tables, game.num_seats)
        self._plays_response = self.rng.random(seats) < config.eta
        self._has_acted = np.zeros(seats, np.bool_)
        self._last_observation = np.zeros((*seats, game.layout.size), game.layout.dtype)
        self._last_action = np.zeros(seats, np.int64)

    @property
    def num_steps(self) -> int:
        """Number of decisions so far."""
        return self.decisions

    def update(self, fraction: float) -> dict[str, float]:
        """Play at all tables, then train both networks; returns measures."""
        config = self.config
        epsilon = interpolate(config.epsilon, fraction)
        for _ in range(config.steps_per_update):
            self._play_step(epsilon)
        response_loss = self._fit_response() if self.replay.num_added else 0.0
        average_loss = self.average.fit(self.rng, config.average_steps, config.minibatch)
        self.updates += 1
        if self.updates % config.target_updates == 0:
            self.target.load_state_dict(self.response.state_dict())
        return {"response_loss": response_loss, "average_loss": average_loss, "epsilon": epsilon}

    def _play_step(self, epsilon: float) -> None:
        """Take an action at every table, and add the transitions and the best response's decisions to the memories."""
        game, rows = self.game, self._rows
        observation, action_mask = game.observe_actors(self._tables, rows)
        seats = self._tables["actor"].astype(np.int64)
        by_response = self._plays_response[rows, seats]
        greedy = self._greedy_actions(observation, action_mask)
        explores = self.rng.random(len(rows)) < epsilon
        weights = np.where(explores[:, None], action_mask, np.eye(game.num_actions)[greedy])
        weights = np.where(
            by_response[:, None], weights, self.average.policy.compute_probabilities(observation, action_mask)
        )
        actions = choose(weights, self.rng.random(len(rows)))
        taken = np.eye(game.num_actions, dtype=np.float32)[actions[by_response]]
        self.average.reservoir.add_decisions(self.rng, observation[by_response], action_mask[by_response], taken)
        self._add_transitions(observation, action_mask, seats)
        self._last_observation[rows, seats], self._last_action[rows, seats] = observation, actions
        self._has_acted[rows, seats] = True
        self.decisions += len(rows)
        rewards, is_over = np.empty((len(rows), game.num_seats), np.float32), np.empty(len(rows), np.uint8)
        game.step_batch(self._tables, rows, actions, rewards, is_over, True)
        self._end_deals(np.flatnonzero(is_over), rewards)

    @torch.inference_mode()
    def _greedy_actions(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        values = self.response(torch.from_numpy(observation).to(self.device).float()).cpu().numpy()
        return np.asarray(np.where(action_mask == 1, values, _ILLEGAL).argmax(axis=1), np.int64)

    def _add_transitions(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8], seats: NDArray[np.int64]
    ) -> None:
        """Add the transitions from the seats' previous decisions to the present ones."""
        rows = np.flatnonzero(self._has_acted[self._rows, seats])
        self.replay.add(
            self.rng,
            observation=self._last_observation[rows, seats[rows]],
            action=self._last_action[rows, seats[rows]],
            reward=np.zeros(len(rows), np.float32),
            next_observation=observation[rows],
            next_action_mask=action_mask[rows],
            is_last=np.zeros(len(rows), np.bool_),
        )

    def _end_deals(self, over: NDArray[np.int64], rewards: NDArray[np.float32]) -> None:
        """Add the last transitions of the deals that ended, and draw the policies of the seats in the next deals."""
        places, seats = np.nonzero(self._has_acted[over])
        rows = over[places]
        self.replay.add(
            self.rng,
            observation=self._last_observation[rows, seats],
            action=self._last_action[rows, seats],
            reward=rewards[rows, seats] * self.config.reward_scale,
            next_observation=self._last_observation[rows, seats],
            next_action_mask=np.ones((len(rows), self.game.num_actions), np.int8),
            is_last=np.ones(len(rows), np.bool_),
        )
        self._has_acted[over] = False
        self._plays_response[over] = self.rng.random((len(over), self.game.num_seats)) < self.config.eta

    def _fit_response(self) -> float:
        """Take optimiser steps of Q-learning (Mnih et al. 2015); return the mean loss."""

        def compute_loss() -> torch.Tensor:
            rows = self.replay.sample(self.rng, self.config.minibatch, self.device)
            with torch.no_grad():
                next_values = self.target(rows["next_observation"].float())
                best = next_values.masked_fill(rows["next_action_mask"] == 0, _ILLEGAL).max(dim=1).values
                target = rows["reward"] + torch.where(rows["is_last"], 0.0, best)
            value: torch.Tensor = self.response(rows["observation"].float()).gather(1, rows["action"][:, None])[:, 0]
            return (value - target).square().mean()

        return take_steps(self.optimiser, compute_loss, self.config.response_steps)

    def strategies(self, decisions: Decisions) -> dict[str, NDArray[np.float64]]:
        """Return the action probabilities of the average network."""
        return {AVERAGE: self.average.policy.compute_probabilities(decisions.observation, decisions.action_mask)}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average network."""
        save_policy(self.average.policy, run.path / WEIGHTS)

    @property
    def parts(self) -> Mapping[str, Any]:
        """Networks, optimisers, memories, tables, what was done at them, and the random generator."""
        return {
            "response": self.response,
            "target": self.target,
            "adam": self.optimiser,
            "average": self.average.parts,
            "replay": self.replay,
            "play": Part(self._read_play, self._restore_play),
            "tables": tables_part(self.game, self._tables),
            "rng": self.rng,
        }

    def _read_play(self) -> dict[str, NDArray[Any]]:
        """Return who plays the best response, and what each seat last saw and did; `_restore_play` writes into them."""
        return {
            "plays_response": self._plays_response,
            "has_acted": self._has_acted,
            "last_observation": self._last_observation,
            "last_action": self._last_action,
        }

    def _restore_play(self, found: Mapping[str, NDArray[Any]]) -> None:
        own = self._read_play()
        check_arrays(found, own)
        require_range("play.last_action", found["last_action"], 0, self.game.num_actions - 1)
        for name, array in own.items():
            array[:] = found[name]


_SMALL = Config(exploitability=True)
PRESETS = {
    "leduc": replace(_SMALL, env="leduc_holdem-v0", minutes=10.0, evaluation_seconds=15.0),
    "kuhn": replace(
        _SMALL, env="kuhn_poker-v0", hidden=(32, 32), reward_scale=1.0, minutes=0.5, evaluation_seconds=3.0
    ),
    "flop": Config(env="flop_holdem-v0", evaluation_seconds=120.0),
}

ALGORITHM = make_game_algorithm("nfsp", Config, Nfsp, presets=PRESETS, activation="relu")
