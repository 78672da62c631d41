"""Measures of a run for TensorBoard, trackio or Weights & Biases, of which only the one that is named is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from card_envs.locations import load_module

PROJECT = "card-envs"
"""Project of the runs in trackio and Weights & Biases."""
BOARD = "tensorboard"
"""Folder of TensorBoard's events inside the run folder."""
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


class Tracker(AbstractContextManager["Tracker"]):
    """Writer of the measures of a run, which goes on where a continued run stopped.

    Args:
        name: Name in `TRACKERS`; with "" nothing is written.
        folder: Run folder; its path is the name of the run.
        config: Settings of the run.
    """

    def __init__(self, name: str, folder: Path, config: Mapping[str, Any]) -> None:
        self._write: Callable[[dict[str, float], int], Any] = lambda measures, step: None
        self._close: Callable[[], Any] = lambda: None
        if name == BOARD:
            writer = load_module("torch.utils.tensorboard").SummaryWriter(str(folder / BOARD))
            self._write = lambda measures, step: [writer.add_scalar(key, measures[key], step) for key in measures]
            self._close = writer.close
        elif name:
            package, run = load_module(TRACKERS[name]), "_".join(folder.parts[-2:])
            identity = {"id": run} if name == "wandb" else {}
            package.init(project=PROJECT, name=run, config=dict(config), resume="allow", **identity)
            self._write = lambda measures, step: package.log(measures, step=step)
            self._close = package.finish

    def add(self, measures: Mapping[str, float], step: int) -> None:
        """Write measures; `step` counts decisions, episodes or iterations, and does not fall.

        Trackers group by slashes: the measure "match chen" is written as "match/chen".
        """
        self._write({name.replace(" ", "/", 1): float(value) for name, value in measures.items()}, step)

    def __exit__(self, *error: object) -> None:
        """Write what is left."""
        self._close()
