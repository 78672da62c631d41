"""The memory of mean advantages; `learning.memories.DecisionReservoir` is that of sampled ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.learning.columns import Columns
from card_baselines.runs.checkpoint import check_arrays
from card_baselines.runs.ranges import require_range
from card_envs.game import Game
from card_envs.typing import Floats


class MeanAdvantages:
    """The weighted mean advantage of each information state, for games with few of them.

    The squared loss over means, each with the sum of its weights, differs from the loss over all decisions by a
    constant. So the expected gradient is that of a reservoir of unlimited size, with far less noise.
    """

    def __init__(self, max_states: int, game: Game) -> None:
        """Make an empty memory; more than `max_states` information states are refused."""
        self._max_states = max_states
        self._row_of: dict[bytes, int] = {}
        self._columns = Columns({
            "observation": ((game.layout.size,), game.layout.dtype),
            "action_mask": ((game.num_actions,), np.int8),
            "sum": ((game.num_actions,), np.float64),
            "weight": ((), np.float64),
        })  # fmt: skip

    def add_decisions(
        self, rng: np.random.Generator, observation: NDArray[Any], action_mask: NDArray[np.int8], values: Floats,
        weight: Floats, scale: float,
    ) -> None:  # fmt: skip
        """Add decisions as `DecisionReservoir` does; ValueError if there are too many information states."""
        row_of, columns = self._row_of, self._columns
        rows = np.array([row_of.setdefault(seen.tobytes(), len(row_of)) for seen in observation], np.int64)
        if len(row_of) > self._max_states:
            raise ValueError(
                f"more than {self._max_states:,} information states: remember samples of them (--no-merge-samples)"
            )
        columns.resize(len(row_of))
        columns["observation"][rows], columns["action_mask"][rows] = observation, action_mask
        for action in range(values.shape[1]):
            columns["sum"][:, action] += scale * np.bincount(rows, weight * values[:, action], len(row_of))
        columns["weight"][:] += scale * np.bincount(rows, weight, len(row_of))

    def sample(self, rng: np.random.Generator, size: int, device: torch.device) -> dict[str, torch.Tensor]:
        """Return uniformly drawn information states, with mean advantages and the sums of their weights."""
        rows = self._columns.take(rng.integers(0, len(self._row_of), size))
        sums, weight = rows.pop("sum"), rows["weight"]
        rows["advantage"] = (sums / weight[:, None]).astype(np.float32)
        rows["weight"] = (weight / self._columns["weight"].mean()).astype(np.float32)
        return {name: torch.from_numpy(column).to(device) for name, column in rows.items()}

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues."""
        return self._columns.used()

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`; ValueError for columns that are not those of different information states."""
        check_arrays(state, self._columns.arrays, rows=True)
        require_range("action_mask", state["action_mask"], 0, 1)
        row_of = {seen.tobytes(): row for row, seen in enumerate(state["observation"])}
        if len(row_of) < len(state["observation"]) or not (state["weight"] > 0).all():
            raise ValueError("information states of the memory occur twice, or have no weight")
        self._columns.restore(state)
        self._row_of = row_of
