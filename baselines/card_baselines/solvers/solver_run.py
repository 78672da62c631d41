"""Settings and `Algorithm` of solvers for heads-up hold'em, whose budget counts iterations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from card_baselines.runs.algorithm import Algorithm, list_settings
from card_baselines.runs.budget import Budget
from card_baselines.runs.config import RunConfig, require
from card_baselines.runs.learner import Learner
from card_envs.envs import make_game
from card_envs.game import Game

ENV = "limit_holdem-v0"


@dataclass(frozen=True, kw_only=True)
class SolverConfig(RunConfig):
    """Settings of a run; it ends with the first of iterations and minutes."""

    iterations: int
    minutes: float
    """Budget of processor time for the whole run, evaluations along the way included; 0 for none."""
    evaluation_seconds: float

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 1, "iterations")
        require(self, 0, "minutes", "evaluation_seconds")

    def game(self) -> Game:
        """Return heads-up limit hold'em."""
        return make_game(ENV)


def make_algorithm(
    name: str, config: type[Any], learner: Callable[[Any, Game], Learner], checkpoint_seconds: float = 30.0, *,
    env: str = ENV, agent: str = "cfr", presets: Mapping[str, Any] | None = None,
) -> Algorithm[Any]:  # fmt: skip
    """Return the algorithm of a solver, whose run folder `agent` plays."""
    return Algorithm(
        name=name,
        config=config,
        make_learner=learner,
        describe=lambda config: {"agent": agent, "algorithm": name, "env": env, **list_settings(config)},
        presets=presets or {},
        budget=lambda config, done: Budget(config.minutes, config.iterations, done),
        counts="iterations",
        checkpoint_seconds=checkpoint_seconds,
        may_change=("minutes", "iterations", "evaluation_seconds"),
        duplicate=True,
    )
