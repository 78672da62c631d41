"""A learner of one file: its parts are saved by their own `state_dict`, its network as an ONNX agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from card_baselines.agents.learned.onnx_agent import MODEL, write_onnx
from card_baselines.run_folder import RunFolder
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
    parts: Mapping[str, Any] = {}
    """Name -> part with a state: a module, an optimiser of the kind of Adam, or any object whose `state_dict` returns
    arrays by name and whose `load_state_dict` continues from them, such as a `Collector`."""
    num_steps: int = 0
    """Number of decisions so far."""
    counts = ("num_steps",)

    def save_policy(self, run: RunFolder) -> None:
        """Write the network as the model of an `OnnxAgent`."""
        write_onnx(run.path / MODEL, self.network, self.game)
