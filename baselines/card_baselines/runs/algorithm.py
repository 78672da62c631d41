"""A training algorithm: its settings, its presets, and the `Learner` that it trains.

`card-envs train`, presets, plugins and `runs.run.train` know an algorithm as one `Algorithm` object. The registry and
the entry points `card_envs.algorithms` name it as "module:ALGORITHM".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from card_baselines.run_folder import RunFolder
from card_baselines.runs.budget import Budget, Periodic
from card_baselines.runs.checkpoint import STATE
from card_baselines.runs.config import RunConfig
from card_envs.game import Game
from card_envs.locations import load_object


class TrainingDivergedError(ValueError):
    """Raised when a loss, a gradient or a weight is no number; says where, and what is left."""

    def save_details(self, run: RunFolder) -> TrainingDivergedError:
        """Write what explains the error into the run folder; return the error whose message names it."""
        return self


@dataclass(frozen=True)
class Curve:
    """A picture of some columns of the metrics."""

    labels: Mapping[str, str]
    """Column -> label."""
    y_label: str
    picture: str
    log: bool = False


class Learner(ABC):
    """The part of a run that an algorithm supplies: it plays and learns, saves and loads itself, and has a policy."""

    checkpoint = STATE
    """Name of the file that `save` writes."""

    @property
    @abstractmethod
    def done(self) -> int:
        """Training so far, in the unit of the budget: decisions, episodes or iterations."""

    @abstractmethod
    def update(self, fraction: float) -> dict[str, float]:
        """Play and learn once; return measures. `fraction` is the used share of the budget."""

    @abstractmethod
    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write everything that `load` needs to continue, and the run's `progress`, which `load` returns."""

    @abstractmethod
    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; return the progress that was saved with it."""

    @abstractmethod
    def save_policy(self, run: RunFolder) -> None:
        """Write the files with which the run folder plays."""

    def start_from(self, run: RunFolder) -> None:
        """Begin with the weights of another run; raises ValueError where that is not possible."""
        raise ValueError("start_from is not possible with this algorithm")

    def set_budget(self, fraction: Callable[[], float]) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Receive a function that returns the used share of the budget, for updates that last."""

    def measure(self) -> dict[str, float]:
        """Return what an evaluation measures besides matches."""
        return {}

    def curves(self) -> Sequence[Curve]:
        """Return pictures besides that of the panel."""
        return ()

    def on_evaluation(self, run: RunFolder) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Called when the policy in the run folder is new: at the start and after evaluations."""


AnyConfig = TypeVar("AnyConfig", bound=RunConfig)


def _evaluate_by_time(config: Any, budget: Budget, learner: Learner) -> Periodic:
    return Periodic(config.evaluation_seconds, budget.seconds)


@dataclass(frozen=True, kw_only=True)
class Algorithm(Generic[AnyConfig]):
    """A training algorithm under a name.

    Example:
        `train(ALGORITHM, Config(env="kuhn_poker-v0", minutes=1.0))`, with `train` of `runs.run`.
    """

    name: str
    config: type[AnyConfig]
    """Dataclass of the settings; its defaults are those of `card-envs train`."""
    make_learner: Callable[[AnyConfig, Game], Learner]
    describe: Callable[[AnyConfig], dict[str, Any]]
    """Settings -> content of config.json."""
    presets: Mapping[str, AnyConfig] = field(default_factory=dict)
    """Settings under names."""
    find_preset: Callable[[AnyConfig], str] = lambda config: ""
    """Settings -> name of the preset that fits their environment; "" if none does."""
    evaluation_timer: Callable[[AnyConfig, Budget, Learner], Periodic] = _evaluate_by_time
    folder_name: Callable[[AnyConfig], str] | None = None
    """Settings -> name of the folder that holds such runs; by default the name of the algorithm."""
    counts: str = "decisions"
    """Unit of the budget; a column of the metrics."""
    final_panel: Callable[[AnyConfig], Sequence[str]] = lambda config: config.panel
    may_change: tuple[str, ...] = ("minutes", "steps", "checkpoint_seconds", "evaluation_seconds")
    """Settings that may differ when a run is continued; the change is recorded."""
    duplicate: bool = False
    """Replay the deals of evaluations from all seats."""
    keeps_frozen_selves: bool = False
    logs_means: bool = False
    """Log the means of measures since the last evaluation, instead of those of the latest update."""


def find_algorithm(location: str) -> Algorithm[Any]:
    """Return the algorithm at "module:NAME"; raises ValueError if there is none."""
    found = load_object(location) if ":" in location else None
    if not isinstance(found, Algorithm):
        raise ValueError(f"{location!r} is no algorithm: it must name a `card_baselines.runs.algorithm.Algorithm`")
    return found
