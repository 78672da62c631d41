"""Distillation of an agent into a network: the network (student) plays, and learns the agent's (teacher's) policy.

The loss is the cross-entropy with the teacher's action probabilities (Hinton et al. 2015), at the decisions of the
student's own play (DAgger, Ross et al. 2011). In mixed deals, players of a pool lead to positions that neither student
nor teacher would reach. This turns a large table or a search into a small network, which `self_play_ppo` or `mmd`
improve with `--start-from`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.legal_logits import NO_ACTION
from card_baselines.agents.learned.mlp_policy import save_policy
from card_baselines.learning.adam import Adam
from card_baselines.learning.optimisation import interpolate, set_learning_rate, take_step
from card_baselines.ppo.fast_cpu import FastActorCritic
from card_baselines.ppo.rollout import LEARNER, SelfPlayTables
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.checkpoint import Part
from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.evaluation import LOCAL_BEST_RESPONSE
from card_baselines.runs.learner import Learner
from card_baselines.runs.ranges import ABOVE_0, AT_LEAST_1, SHARE
from card_envs.agent import Decisions, action_probabilities, choose, find_agent
from card_envs.game import Game, check_actions
from card_envs.typing import Rows

_STEPS_PER_UPDATE = 32


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings of a run."""

    teacher: str = "cfr_large"
    """The teacher: an agent name, "module:Class" or run folder. Where it shows no probabilities, the network learns
    from one of its actions at each decision."""
    opponents: tuple[str, ...] = ("always_raise", "always_call", "random_low_fold", "equity")
    """Pool for mixed deals, in which a player of the pool has all seats but one."""
    mixed: Annotated[float, SHARE] = 0.3
    """Probability that a deal is mixed; in the others the network has all seats."""
    num_tables: Annotated[int, AT_LEAST_1] = 2048
    """Number of tables that are played side by side, about the size of a minibatch."""
    learning_rate: Annotated[tuple[float, float], ABOVE_0] = (2e-3, 2e-5)
    """Learning rate of Adam at the start and at the end of the run, linear in between."""
    hidden: Annotated[tuple[int, ...], AT_LEAST_1] = (512, 256)
    """Widths of the hidden layers."""


class Distillation(Learner):
    """The learner: the student network, the teacher, and the tables at which the student plays."""

    checkpoint = "distillation.safetensors"
    counts = ("decisions",)

    def __init__(self, config: Config, game: Game) -> None:
        """Make a network with random weights; ValueError for a teacher that remembers deals."""
        torch.manual_seed(config.seed)
        self.config, self.game, self.device = config, game, find_device(config.device)
        self.teacher = find_agent(config.teacher, game)
        if self.teacher.needs_deal_events:
            raise ValueError(
                f"teacher {config.teacher!r} remembers deals; it must decide without memory of the deal, "
                "as `cfr_large`, networks and most scripted players do"
            )
        sizes = (game.layout.size, config.hidden, game.num_actions, "relu", (), len(config.hidden))
        self.network = FastActorCritic(*sizes).to(self.device)
        self.optimiser = Adam(self.network.policy.parameters(), fused=True)
        self.tables = SelfPlayTables(game, config.num_tables, config.seed, config.opponents, config.mixed)
        self.decisions = 0

    @property
    def num_steps(self) -> int:
        """Number of decisions so far."""
        return self.decisions

    def update(self, fraction: float) -> dict[str, float]:
        """Set the learning rate, play and learn; return measures."""
        learning_rate = interpolate(self.config.learning_rate, fraction)
        set_learning_rate(self.optimiser, learning_rate)
        return {**self.play(), "learning_rate": learning_rate}

    def play(self) -> dict[str, float]:
        """Take 32 steps of play and learning at all tables; return the mean KL divergence from the teacher."""
        divergences = [self._play_step() for _ in range(_STEPS_PER_UPDATE)]
        return {"kl_from_teacher": float(torch.stack(divergences).mean())}

    def compute_log_probabilities(
        self, network: FastActorCritic, observation: NDArray[Any], legal: NDArray[np.int16]
    ) -> torch.Tensor:
        """Return log-probabilities (n, k) of the listed legal actions."""
        logits, _ = network(
            torch.from_numpy(observation).to(self.device).float(), torch.from_numpy(legal).to(self.device)
        )
        return torch.log_softmax(logits, dim=1)

    def _play_step(self) -> torch.Tensor:
        """Take an optimiser step and then an action at every table; return the mean KL divergence."""
        tables, rows = self.tables, self.tables.rows
        _, players = tables.actors(rows)
        own = np.flatnonzero(players == LEARNER)
        observation, legal = tables.observe(rows[own])
        log_probabilities = self.compute_log_probabilities(self.network, observation, legal)
        target = torch.from_numpy(self._ask_teacher(rows[own], legal)).to(self.device)
        divergence = (torch.xlogy(target, target) - target * log_probabilities).sum(dim=1).mean()
        divergence = take_step(self.optimiser, divergence)
        self.decisions += len(own)
        choice = choose(log_probabilities.detach().exp().cpu().numpy(), tables.rng.random(len(own)))
        actions = np.empty(len(rows), np.int64)
        actions[own] = legal[np.arange(len(own)), choice]
        tables.act_for_others(players, actions)
        tables.step(rows, actions)
        return divergence

    def _ask_teacher(self, rows: Rows, legal: NDArray[np.int16]) -> NDArray[np.float32]:
        """Return the teacher's probabilities (n, k) of the listed legal actions (n, k), or 1 for its action."""
        decisions = self.tables.decisions_of(self.teacher, rows)
        if not self.teacher.shows_probabilities:
            return np.asarray(legal == self.ask_for_actions(decisions, legal)[:, None], np.float32)
        probabilities = action_probabilities(self.teacher, decisions)
        listed = np.take_along_axis(probabilities, np.maximum(legal, 0).astype(np.int64), axis=1)
        return np.where(legal == NO_ACTION, 0.0, listed).astype(np.float32)

    def ask_for_actions(self, decisions: Decisions, legal: NDArray[np.int16]) -> NDArray[np.int64]:
        """Return the teacher's actions (n,); ValueError if one is not among the legal ones (n, k)."""
        actions = check_actions(self.teacher.act(decisions, self.tables.rng), len(decisions))
        if not (legal == actions[:, None]).any(axis=1).all():
            raise ValueError(f"teacher {self.config.teacher!r} took an illegal action")
        return actions

    def save_policy(self, run: RunFolder) -> None:
        """Write the weights of the student."""
        save_policy(self.network.policy, run.path / WEIGHTS)

    @property
    def parts(self) -> Mapping[str, Any]:
        """Network, optimiser, and tables with their random generator."""
        tables = self.tables
        restore = partial(tables.restore, network=self.network)
        return {"policy": self.network.policy, "adam": self.optimiser, "tables": Part(tables.state, restore)}


_HEADS_UP = Config(
    env="limit_holdem-v0",
    env_args=("encoder=equity",),
    panel=("always_call", "tight_aggressive", "equity", LOCAL_BEST_RESPONSE),
    minutes=30.0,
    evaluation_seconds=300.0,
    evaluation_hands=20_000,
)

PRESETS = {
    "limit_hu": _HEADS_UP,
    "no_limit_hu": replace(_HEADS_UP, env="no_limit_holdem-v0", teacher="cfr_no_limit", minutes=15.0),
    "big2": Config(
        env="big2-v0",
        env_args=("encoder=clean",),
        teacher="ppo_big2",
        opponents=("random", "big2_greedy", "big2_planner"),
        mixed=0.2,
        panel=("ppo_big2",),
        minutes=7.0,
        evaluation_seconds=300.0,
        evaluation_hands=8_000,
        final_hands=8_000,
    ),
    "no_limit_six_max": Config(
        env="no_limit_holdem-v0",
        env_args=("encoder=equity", "num_players=6"),
        teacher="position_ranges",
        opponents=("always_raise", "always_call", "random_low_fold", "loose_passive"),
        hidden=(256, 128),
        panel=("always_call", "tight_aggressive", "equity"),
        minutes=3.0,
        evaluation_seconds=60.0,
        evaluation_hands=6_000,
        final_hands=30_000,
    ),
}

ALGORITHM = make_game_algorithm("distill", Config, Distillation, presets=PRESETS, activation="relu")
