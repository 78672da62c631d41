"""The interface between a run and a training algorithm: `Learner`, and callbacks that extend one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import STATE, collect_parts, load_state, read_count, restore_parts, save_state

__all__ = ["Curve", "Learner", "LearnerCallback", "TrainingDivergedError", "divergence_error"]


class TrainingDivergedError(ValueError):
    """Raised when a loss, a gradient or a weight is NaN or infinite. The message says where, and what to do."""


def divergence_error(problem: str, learning_rate: float) -> TrainingDivergedError:
    """Return the error about a problem, with what to do."""
    return TrainingDivergedError(
        f"{problem}. The last checkpoint is kept; begin a new run with a lower learning rate (here {learning_rate:g}) "
        "or reward scale"
    )


@dataclass(frozen=True)
class Curve:
    """Description of a picture of some columns of the metrics."""

    labels: Mapping[str, str]
    """Column -> label."""
    y_label: str
    """Label of the y axis."""
    picture: str
    """Name of the file."""
    factor: float = 1.0
    """Factor from the numbers of the columns to the unit of the y axis."""
    log: bool = False
    """Use a logarithmic y axis; otherwise a line marks 0."""


class Learner(ABC):
    """A training algorithm in a run: it collects experience, learns, and saves and loads itself."""

    checkpoint = STATE
    """Name of the file that `save` writes."""
    counts: ClassVar[Sequence[str]] = ()
    """Attributes with numbers of things so far, which a checkpoint holds."""

    @property
    def parts(self) -> Mapping[str, Any]:
        """What a checkpoint holds beside `counts`: parts by name, see `checkpoint.collect_parts`."""
        return {}

    @property
    @abstractmethod
    def num_steps(self) -> int:
        """Number of steps so far, in the unit of the budget: decisions, episodes or iterations."""

    @abstractmethod
    def update(self, fraction: float) -> dict[str, float]:
        """Collect experience and learn from it once; return measures.

        `fraction` is the used fraction of the budget, 0 to 1, for schedules.
        """

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write a checkpoint from which `load` continues, and the run's `progress`, which `load` returns."""
        save_state(path, collect_parts(self.parts), {**progress, **{name: getattr(self, name) for name in self.counts}})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; return the progress that was saved with it."""
        tensors, progress = load_state(path)
        for name in self.counts:
            setattr(self, name, read_count(progress, name))
        restore_parts(self.parts, tensors)
        return progress

    @abstractmethod
    def save_policy(self, run: RunFolder) -> None:
        """Write the policy, as the agent of the run folder loads it."""

    def start_from(self, run: RunFolder) -> None:
        """Initialise the network with the weights of another run; ValueError where that is not possible."""
        raise ValueError("start_from is not possible with this algorithm")

    def set_budget(self, fraction: Callable[[], float]) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Called once with a function that returns the used fraction of the budget, for use within long updates."""

    def measure(self) -> dict[str, float]:
        """Return further measures for an evaluation, which are logged beside the results of matches."""
        return {}

    def curves(self) -> Sequence[Curve]:
        """Return further curves, which are drawn beside that of the panel."""
        return ()

    def on_evaluation(self, run: RunFolder) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Called when a new policy was written to the run folder: at the start and after evaluations."""


class LearnerCallback:
    """An extension of a learner, which calls these hooks. By default they do nothing."""

    def on_update(self, learner: Any) -> dict[str, float]:
        """Called after every update; returns measures."""
        return {}

    def measure(self, learner: Any) -> dict[str, float]:
        """Return further measures for an evaluation, as `Learner.measure`."""
        return {}

    def curves(self) -> Sequence[Curve]:
        """Return further curves, as `Learner.curves`."""
        return ()

    def save_policy(self, run: RunFolder) -> None:
        """Called after the learner has written its policy to the run folder."""

    def parts(self, learner: Any) -> Mapping[str, Any]:
        """Return what a checkpoint of the learner holds of this callback, as `Learner.parts`."""
        return {}
