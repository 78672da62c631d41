"""A learner of one file: it chooses actions and learns from rows; its parts are saved by their own `state_dict`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.onnx_agent import MODEL, write_onnx
from card_baselines.kit.collector import Collector, Rows
from card_baselines.run_folder import RunFolder
from card_baselines.runs.learner import Learner
from card_envs.game import Game
from card_envs.vector import VectorStep

__all__ = ["StateDictLearner"]


class StateDictLearner(Learner):
    """A learner that needs three methods: `__init__`, which sets these attributes, `act` and `learn`.

    Its `Algorithm` has `agent="onnx"`: the run folder is played by `OnnxAgent`. `card-envs train` runs it, and a league
    trains it with the hands of its rounds.
    """

    game: Game
    """The game that is learned, with the encoder of the network."""
    network: torch.nn.Module
    """The policy: maps observations (n, observation size) float32 to logits (n, num_actions)."""
    collector: Collector
    """Plays with `act`."""
    batch: int = 4096
    """Minimum number of decisions in an update."""
    parts: Mapping[str, Any] = {}
    """Name -> part with a state: a module, an optimiser of the kind of Adam, or any object whose `state_dict` returns
    arrays by name and whose `load_state_dict` continues from them, such as a `Collector`."""
    num_steps: int = 0
    """Number of decisions so far."""
    counts = ("num_steps",)

    @abstractmethod
    def act(self, step: VectorStep) -> tuple[NDArray[Any], Mapping[str, NDArray[Any]]]:
        """Return actions and further columns of the rows, as a function `Act` of a `Collector` does."""

    @abstractmethod
    def learn(self, rows: Rows, fraction: float) -> dict[str, float]:
        """Learn from decisions of finished deals once; return measures.

        Args:
            rows: The decisions.
            fraction: Used fraction of the budget, 0 to 1, for schedules; 0 in a league, which has no end.
        """

    def update(self, fraction: float) -> dict[str, float]:
        """Collect decisions, and learn from them."""
        rows = self.collector.collect(self.batch)
        self.num_steps += rows.num_rows
        return self.learn_from(rows, fraction)

    def learn_from(self, rows: Rows, fraction: float) -> dict[str, float]:
        """Call `learn`, and return its measures as floats; ValueError for anything but a dict of numbers."""
        measures: Any = self.learn(rows, fraction)
        try:
            return {str(name): float(value) for name, value in measures.items()}
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"learn returned {measures!r:.80}: a dict of numbers is needed, such as a loss") from error

    def save_policy(self, run: RunFolder) -> None:
        """Write the network as the model of an `OnnxAgent`."""
        write_onnx(run.path / MODEL, self.network, self.game)
