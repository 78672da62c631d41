"""A learner of one file: its parts are saved by their own `state_dict`, its network as an ONNX agent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from card_baselines.agents.learned.onnx_agent import MODEL, write_onnx
from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import (
    join_parts,
    load_optimiser,
    load_state,
    optimiser_tensors,
    save_state,
    strip_prefix,
    to_arrays,
)
from card_baselines.runs.learner import Learner
from card_envs.game import Game

__all__ = ["StateDictLearner"]


class StateDictLearner(Learner):
    """A learner that needs only `__init__`, which sets these attributes, and `update`, which adds to `num_steps`.

    Its `Algorithm` has `agent="onnx"`: the run folder is played by `OnnxAgent`.
    """

    game: Game
    """The game that is learned, with the encoder of the network."""
    network: torch.nn.Module
    """The policy: maps observations (n, observation size) float32 to logits (n, num_actions)."""
    parts: Mapping[str, Any]
    """Name -> part with a state: a module, an optimiser of the kind of Adam, or any object whose `state_dict` returns
    arrays by name and whose `load_state_dict` continues from them, such as a `Collector`."""
    num_steps: int = 0
    """Number of decisions so far."""

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write the states of all parts."""
        states = {name: _state_of(part) for name, part in self.parts.items()}
        save_state(path, join_parts(states), {**progress, "num_steps": self.num_steps})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; return the progress that was saved with it."""
        tensors, progress = load_state(path)
        for name, part in self.parts.items():
            state = strip_prefix(f"{name}.", tensors)
            if isinstance(part, torch.optim.Optimizer):
                load_optimiser(part, state)
            else:
                part.load_state_dict(state if isinstance(part, torch.nn.Module) else to_arrays(state))
        self.num_steps = int(progress["num_steps"])
        return progress

    def save_policy(self, run: RunFolder) -> None:
        """Write the network as the model of an `OnnxAgent`."""
        write_onnx(run.path / MODEL, self.network, self.game)


def _state_of(part: Any) -> Mapping[str, Any]:
    return optimiser_tensors(part) if isinstance(part, torch.optim.Optimizer) else part.state_dict()
