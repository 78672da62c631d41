"""Settings, learner and `Algorithm` that the solvers of `train` share.

The budget of a solver counts iterations. Its run folder is an agent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.run_folder import RunFolder
from card_baselines.runs.algorithm import Algorithm, list_settings
from card_baselines.runs.budget import Budget
from card_baselines.runs.checkpoint import load_state, read_count, save_state, strip_prefix, to_arrays
from card_baselines.runs.config import EnvArgs, RunConfig
from card_baselines.runs.learner import Learner
from card_baselines.runs.ranges import AT_LEAST_0, AT_LEAST_1, Range
from card_baselines.settings import parse_settings
from card_baselines.solvers.buckets.clustering import check_turn_table, make_buckets, turn_table
from card_baselines.solvers.buckets.hand_buckets import MAX_WIDTH, HandBuckets
from card_baselines.solvers.strategy import STRATEGY
from card_envs.envs import make_game
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.poker.starting_hands import NUM_STARTING_HANDS

ENV = "limit_holdem-v0"
_BUCKETS, _TURN, _SOLVER = "buckets.", "turn", "solver."
"""Prefixes of the names of tensors in a checkpoint with buckets."""


@dataclass(frozen=True, kw_only=True)
class SolverConfig(RunConfig):
    """Settings of a run; it ends when the iterations or the minutes are used up."""

    iterations: Annotated[int, AT_LEAST_1]
    minutes: Annotated[float, AT_LEAST_0]
    """Budget of processor time for the whole run, evaluations during the run included; 0 for no limit."""
    evaluation_seconds: Annotated[float, AT_LEAST_0]
    """Processor time between evaluations."""

    def game(self) -> Game:
        """Return heads-up limit hold'em."""
        return make_game(ENV)


@dataclass(frozen=True, kw_only=True)
class EnvConfig(SolverConfig):
    """Settings of solvers for several games."""

    env: str = "no_limit_holdem-v0"
    """Environment id."""
    env_args: EnvArgs = ()
    """Environment arguments, such as stacks=400."""

    def game(self) -> Game:
        """Return the game that the settings name."""
        return make_game(self.env, **parse_settings(self.env_args))


@dataclass(frozen=True, kw_only=True)
class BucketConfig(SolverConfig):
    """Settings of solvers whose hands are in `HandBuckets`."""

    width: Annotated[int, Range(2, MAX_WIDTH)]
    """Square root of the number of buckets on each of flop, turn and river."""
    threads: Annotated[int, AT_LEAST_1] = 1
    """Threads that learn from different boards or deals at the same time; minutes are the processor time of all. With
    more than one, results differ a little from run to run."""

    @property
    def hands_by_street(self) -> list[int]:
        """Maximum number of buckets on each street."""
        return [NUM_STARTING_HANDS] + 3 * [self.width**2]


class SolverLearner(Learner):
    """Runs a solver. Subclasses make the solver."""

    iterations_at_once: int
    """Number of iterations of each thread between two checks of the budget."""
    num_threads: int = 1
    """Number of threads of the solver."""

    def __init__(self, config: Any, game: Game) -> None:
        self._config, self._game = config, game

    def make_solver(self) -> Any:
        """Return a new `CfrSolver`; subclasses that set `solver` need none."""
        raise NotImplementedError

    @cached_property
    def solver(self) -> Any:
        """The `CfrSolver`, made on first access: making it may take minutes."""
        return self.make_solver()

    @property
    def num_steps(self) -> int:
        """Number of iterations so far."""
        return int(self.solver.iterations) if "solver" in self.__dict__ else 0

    def update(self, fraction: float) -> dict[str, float]:
        """Run `iterations_at_once` iterations in each thread; the first time one, which compiles."""
        left = self._config.iterations - self.solver.iterations
        self.solver.run(min(self.num_threads * self.iterations_at_once if self.solver.iterations else 1, left))
        return {}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy."""
        with replace_file(run.path / STRATEGY) as temporary:
            self.solver.strategy().save(temporary)

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write the state of the solver."""
        tensors = {name: torch.from_numpy(_to_signed(array)) for name, array in self.checkpoint_arrays().items()}
        save_state(path, tensors, {**progress, "iterations": self.num_steps})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; returns the progress that was saved with it."""
        tensors, progress = load_state(path)
        self.restore_arrays(to_arrays(tensors), read_count(progress, "iterations"))
        return progress

    def checkpoint_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a checkpoint."""
        arrays: dict[str, NDArray[Any]] = self.solver.state()
        return arrays

    def restore_arrays(self, arrays: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from the arrays of a checkpoint."""
        self.solver.restore(arrays, iterations)


class BucketLearner(SolverLearner):
    """Runs a solver whose hands are in `HandBuckets`: computed for a new run, and kept in checkpoints."""

    def __init__(self, config: BucketConfig, game: Game) -> None:
        super().__init__(config, game)
        self._width, self.num_threads = config.width, config.threads
        self._loaded: tuple[HandBuckets, NDArray[np.uint16]] | None = None

    def make_buckets(self) -> HandBuckets:
        """Return the buckets of a new run."""
        return make_buckets(self._width, self._config.seed)

    @cached_property
    def tables(self) -> tuple[HandBuckets, NDArray[np.uint16]]:
        """The buckets, and the bucket of each hand on each canonical turn board (`turn_table`)."""
        if self._loaded is not None:
            return self._loaded
        buckets = self.make_buckets()
        return buckets, turn_table(buckets)

    def checkpoint_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state of the solver and the buckets; boards are drawn by seed and iteration."""
        buckets, turn = self.tables
        arrays = {_SOLVER + name: array for name, array in self.solver.state().items()}
        return arrays | {_BUCKETS + name: array for name, array in vars(buckets).items()} | {_TURN: turn}

    def restore_arrays(self, arrays: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue with the buckets and the solver of a checkpoint."""
        tables = strip_prefix(_BUCKETS, arrays)
        tables["flop"] = tables["flop"].view(np.uint16)
        buckets, turn = HandBuckets(**tables), arrays[_TURN].view(np.uint16)
        if buckets.turn.shape[2] != self._width:
            raise ValueError(f"the checkpoint has buckets of width {buckets.turn.shape[2]}, not {self._width}")
        check_turn_table(buckets, turn)
        self._loaded = buckets, turn
        self.solver.restore(strip_prefix(_SOLVER, arrays), iterations)


def _to_signed(array: NDArray[Any]) -> NDArray[Any]:
    """Return uint16 arrays viewed as int16, since not all versions of PyTorch have uint16."""
    return array.view(np.int16) if array.dtype == np.uint16 else array


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
        may_change=("minutes", "iterations", "evaluation_seconds", "threads", "responder_share"),
        duplicate=True,
    )
