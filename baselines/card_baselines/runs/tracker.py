"""Measures of a run for TensorBoard, trackio or Weights & Biases, of which only the one that is named is imported."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from card_envs.locations import load_module

PROJECT = "card-envs"
"""Project of the runs in trackio and Weights & Biases."""
BOARD = "tensorboard"
"""Folder of TensorBoard's events inside the run folder."""


class Tracker(ABC):
    """Writer of the measures of a run; a context manager."""

    @abstractmethod
    def add(self, measures: Mapping[str, float], step: int) -> None:
        """Write measures; `step` counts decisions, episodes or iterations, and does not fall."""

    @abstractmethod
    def close(self) -> None:
        """Write what is left."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class NoTracker(Tracker):
    """Writes nothing."""

    def add(self, measures: Mapping[str, float], step: int) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class TensorBoard(Tracker):
    """Writes events below the run folder."""

    def __init__(self, folder: Path) -> None:
        self._writer = load_module("torch.utils.tensorboard").SummaryWriter(str(folder / BOARD))

    def add(self, measures: Mapping[str, float], step: int) -> None:
        """Write a scalar for each measure."""
        for name, value in measures.items():
            self._writer.add_scalar(_path_of(name), value, step)

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


class WandbTracker(Tracker):
    """Logs to a package with the interface of Weights & Biases, such as trackio; a continued run goes on there.

    Args:
        package: Name of the package.
        folder: Run folder; its path is the name of the run.
        config: Settings of the run.
    """

    def __init__(self, package: str, folder: Path, config: Mapping[str, Any]) -> None:
        self._package = load_module(package)
        name = "_".join(folder.parts[-2:])
        identity = {"id": name} if package == "wandb" else {}
        self._package.init(project=PROJECT, name=name, config=dict(config), resume="allow", **identity)

    def add(self, measures: Mapping[str, float], step: int) -> None:
        """Log all measures at a step."""
        self._package.log({_path_of(name): float(value) for name, value in measures.items()}, step=step)

    def close(self) -> None:
        """Finish the run, which can be continued."""
        self._package.finish()


TRACKERS = {BOARD: "tensorboard", "trackio": "trackio", "wandb": "wandb"}
"""Name of a tracker -> the package that it needs."""


def require_tracker(name: str) -> None:
    """Raise a ValueError unless a tracker can be used: one of `TRACKERS` whose package is installed, or "" for none."""
    if not name:
        return
    if name not in TRACKERS:
        raise ValueError(f"tracker {name!r} is not known: choose one of {sorted(TRACKERS)}")
    try:
        load_module(TRACKERS[name])
    except ModuleNotFoundError as error:
        raise ValueError(f"tracker {name!r} needs {error.name}: pip install {TRACKERS[name]}") from error


def open_tracker(name: str, folder: Path, config: Mapping[str, Any]) -> Tracker:
    """Return the tracker with a name of `TRACKERS`; for "" one that writes nothing.

    Args:
        name: Name of the tracker.
        folder: Run folder.
        config: Settings of the run.
    """
    if not name:
        return NoTracker()
    return TensorBoard(folder) if name == BOARD else WandbTracker(TRACKERS[name], folder, config)


def _path_of(measure: str) -> str:
    """Return the name of a measure in a tracker, which groups by slashes: "match chen" -> "match/chen"."""
    return measure.replace(" ", "/", 1)
