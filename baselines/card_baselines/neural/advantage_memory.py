"""Memories of sampled advantages, the training data of advantage networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_baselines.average_strategy.reservoir import Reservoir
from card_baselines.neural.external_sampling import Samples
from card_baselines.runs.checkpoint import check_arrays
from card_baselines.runs.ranges import require_range
from card_envs.game import Game

Columns = dict[str, NDArray[Any]]
"""observation (n, d), action_mask (n, num_actions), advantage (n, num_actions) and weight (n,) of n decisions."""


class AdvantageMemory(Protocol):
    """Memory of the training data of an advantage network."""

    def add(self, rng: np.random.Generator, samples: Samples, weight: float) -> None:
        """Remember the traversers' decisions, with their weights times `weight`."""

    def sample(self, rng: np.random.Generator, size: int) -> Columns:
        """Return a minibatch; the expected loss over it is that over all decisions that were added."""

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues."""

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`."""


class SampledAdvantages:
    """A reservoir of decisions, as in Deep CFR, for games of any size."""

    def __init__(self, capacity: int, game: Game) -> None:
        """Keep at most `capacity` decisions of a game."""
        by_action = (game.num_actions,)
        self._reservoir = Reservoir(capacity, {
            "observation": ((game.layout.size,), game.layout.dtype),
            "action_mask": (by_action, np.int8),
            "advantage": (by_action, np.float32),
            "weight": ((), np.float32),
        })  # fmt: skip

    def add(self, rng: np.random.Generator, samples: Samples, weight: float) -> None:
        """Remember the traversers' decisions, with their weights times `weight`."""
        self._reservoir.add(
            rng,
            observation=samples.observation,
            action_mask=samples.action_mask,
            advantage=samples.advantage.astype(np.float32),
            weight=(weight * samples.weight).astype(np.float32),
        )

    def sample(self, rng: np.random.Generator, size: int) -> Columns:
        """Return a minibatch of decisions."""
        return self._reservoir.sample(rng, size)

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues."""
        return self._reservoir.state_dict()

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`."""
        self._reservoir.load_state_dict(state)


class MeanAdvantages:
    """The weighted mean advantage of each information state, for games with few of them.

    The squared loss over means, each with the sum of its weights, differs from the loss over all decisions by a
    constant. So the expected gradient is that of a reservoir of unlimited size, with far less noise.
    """

    def __init__(self, max_states: int, game: Game) -> None:
        """Make an empty memory; `add` raises ValueError if there are more than `max_states` information states."""
        self._max_states = max_states
        self._row_of: dict[bytes, int] = {}
        self._columns: Columns = {
            "observation": np.zeros((0, game.layout.size), game.layout.dtype),
            "action_mask": np.zeros((0, game.num_actions), np.int8),
            "sum": np.zeros((0, game.num_actions)),
            "weight": np.zeros(0),
        }

    def add(self, rng: np.random.Generator, samples: Samples, weight: float) -> None:
        """Remember the traversers' decisions, with their weights times `weight`."""
        row_of = self._row_of
        rows = np.array([row_of.setdefault(seen.tobytes(), len(row_of)) for seen in samples.observation], np.int64)
        if len(row_of) > self._max_states:
            raise ValueError(
                f"more than {self._max_states:,} information states: remember samples of them (--no-merge-samples)"
            )
        self._reserve(len(row_of))
        columns = self._columns
        columns["observation"][rows], columns["action_mask"][rows] = samples.observation, samples.action_mask
        for action in range(samples.advantage.shape[1]):
            sums = np.bincount(rows, samples.weight * samples.advantage[:, action], len(row_of))
            columns["sum"][: len(row_of), action] += weight * sums
        columns["weight"][: len(row_of)] += weight * np.bincount(rows, samples.weight, len(row_of))

    def _reserve(self, size: int) -> None:
        """Make room for `size` information states; the arrays double."""
        if size <= len(self._columns["weight"]):
            return
        for name, column in self._columns.items():
            longer = np.zeros((max(1024, 2 * size), *column.shape[1:]), column.dtype)
            longer[: len(column)] = column
            self._columns[name] = longer

    def sample(self, rng: np.random.Generator, size: int) -> Columns:
        """Return uniformly drawn information states, with mean advantages and the sums of their weights."""
        count = len(self._row_of)
        rows, columns = rng.integers(0, count, size), self._columns
        weight = columns["weight"][rows]
        return {
            "observation": columns["observation"][rows],
            "action_mask": columns["action_mask"][rows],
            "advantage": (columns["sum"][rows] / weight[:, None]).astype(np.float32),
            "weight": (weight / columns["weight"][:count].mean()).astype(np.float32),
        }

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues."""
        return {name: column[: len(self._row_of)] for name, column in self._columns.items()}

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`; ValueError for columns that are not those of different information states."""
        check_arrays(state, self._columns, rows=True)
        columns = {name: state[name].copy() for name in self._columns}
        require_range("action_mask", columns["action_mask"], 0, 1)
        row_of = {observation.tobytes(): row for row, observation in enumerate(columns["observation"])}
        if len(row_of) < len(columns["observation"]) or not (columns["weight"] > 0).all():
            raise ValueError("information states of the memory occur twice, or have no weight")
        self._row_of, self._columns = row_of, columns
