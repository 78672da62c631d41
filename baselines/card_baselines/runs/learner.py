"""What an algorithm supplies to a run: a `Learner`, and callbacks that extend one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import STATE


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
        """Return measures of an evaluation besides those of matches."""
        return {}

    def curves(self) -> Sequence[Curve]:
        """Return pictures besides that of the panel."""
        return ()

    def on_evaluation(self, run: RunFolder) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Called when the policy in the run folder is new: at the start and after evaluations."""


class LearnerCallback:
    """An extension of a learner that calls these hooks; by default they do nothing. `learner` is the one that calls."""

    def on_update(self, learner: Any) -> dict[str, float]:
        """Called after every update; returns measures."""
        return {}

    def measure(self, learner: Any) -> dict[str, float]:
        """Return measures of an evaluation besides those of matches."""
        return {}

    def curves(self) -> Sequence[Curve]:
        """Return pictures besides that of the panel."""
        return ()

    def save_policy(self, run: RunFolder) -> None:
        """Called when the learner has written its policy into the run folder."""

    def state(self) -> dict[str, torch.Tensor]:
        """Return tensors from which `restore` continues."""
        return {}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Continue from a `state`."""
