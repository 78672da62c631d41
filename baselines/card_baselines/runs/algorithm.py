"""A training algorithm: its settings, its presets, and the function that makes its `Learner`.

`card-envs train`, presets, plugins and `runs.run.train` know an algorithm as one `Algorithm` object. The registry and
the entry points `card_envs.algorithms` name it as "module:ALGORITHM".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from card_baselines.runs.budget import Budget, Periodic
from card_baselines.runs.config import RunConfig
from card_baselines.runs.learner import Learner
from card_envs.game import Game
from card_envs.locations import load_object

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
