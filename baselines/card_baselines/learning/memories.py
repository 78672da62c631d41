"""Memories of decisions, from which minibatches are drawn: a replay memory and a reservoir."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.learning.columns import Columns, Kinds
from card_baselines.runs.checkpoint import check_arrays, read_count
from card_baselines.runs.ranges import require_range
from card_envs.game import Game

_CPU = torch.device("cpu")


class Memory(ABC):
    """Keeps at most `capacity` of the rows added so far; subclasses choose which."""

    counter: ClassVar[str]
    """Name of the number of rows added, in `state_dict`."""

    def __init__(self, capacity: int, kinds: Kinds, highest: Mapping[str, int] | None = None) -> None:
        """Make an empty memory, which grows as rows are added.

        Args:
            capacity: Number of rows that are kept.
            kinds: Names of the columns -> shape and dtype of one entry.
            highest: Names of columns of counting numbers -> the largest possible one.
        """
        self.capacity, self.num_added = capacity, 0
        self._columns, self._highest = Columns(kinds), highest or {}

    def __len__(self) -> int:
        """Return the number of rows that are kept."""
        return self._columns.size

    @abstractmethod
    def choose_places(self, numbers: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the place of each row in the memory, given how many came before it; the capacity or more for none."""

    def add(self, rng: np.random.Generator, **columns: NDArray[Any]) -> None:
        """Offer n rows, given as columns (n, ...); `rng` may decide which are kept."""
        count = len(next(iter(columns.values())))
        places = self.choose_places(np.arange(self.num_added, self.num_added + count), rng)
        self.num_added += count
        self._columns.resize(min(self.num_added, self.capacity), self.capacity)
        is_kept = places < self.capacity
        if not is_kept.all():
            places, columns = places[is_kept], {name: values[is_kept] for name, values in columns.items()}
        for name, values in columns.items():
            self._columns.arrays[name][places] = values  # if rows have the same place, the last one stays

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of the kept rows (len(self), ...)."""
        return self._columns[name]

    def sample(self, rng: np.random.Generator, size: int, device: torch.device = _CPU) -> dict[str, torch.Tensor]:
        """Return columns of `size` kept rows, drawn with replacement, on a device."""
        drawn = self._columns.take(rng.integers(0, len(self), size))
        return {name: torch.from_numpy(column).to(device) for name, column in drawn.items()}

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues: the rows that are kept, and the number of all."""
        return {self.counter: np.array(self.num_added), **self._columns.used()}

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`; ValueError for columns of other types, shapes, lengths or numbers."""
        num_added = read_count(state, self.counter)
        check_arrays(state, self._columns.arrays, rows=True)
        if any(len(state[name]) != min(num_added, self.capacity) for name in self._columns.arrays):
            raise ValueError(f"the columns of a memory have not the length of {num_added} rows added")
        for name, highest in self._highest.items():
            require_range(name, state[name], 0, highest)
        self._columns.restore(state)
        self.num_added = num_added


class ReplayMemory(Memory):
    """Keeps the latest rows: new ones replace the oldest."""

    counter = "num_added"

    def choose_places(self, numbers: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the places in turn."""
        return numbers % self.capacity


class Reservoir(Memory):
    """Keeps a uniform random sample of all rows that were added.

    Algorithm R of Vitter (Random sampling with a reservoir, 1985): row number i, counted from 0, replaces a random row
    with probability capacity / (i + 1).
    """

    counter = "num_seen"

    def choose_places(self, numbers: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the places in turn until all are taken, then random numbers up to that of the row."""
        return np.where(numbers < self.capacity, numbers, rng.integers(0, numbers + 1))


class DecisionReservoir(Reservoir):
    """A sample of decisions with a number for each action, and their weights in a loss.

    Args:
        capacity: Number of decisions that are kept.
        game: The game.
        values: Name of the column with the numbers.
    """

    def __init__(self, capacity: int, game: Game, values: str) -> None:
        by_action = (game.num_actions,)
        super().__init__(capacity, {
            "observation": ((game.layout.size,), game.layout.dtype),
            "action_mask": (by_action, np.int8),
            values: (by_action, np.float32),
            "weight": ((), np.float32),
        })  # fmt: skip
        self._values = values

    def add_decisions(
        self,
        rng: np.random.Generator,
        observation: NDArray[Any],
        action_mask: NDArray[np.int8],
        values: NDArray[np.floating],
        weight: float | NDArray[np.floating] = 1.0,
        scale: float = 1.0,
    ) -> None:
        """Offer n decisions.

        Args:
            rng: Decides which are kept.
            observation: (n, d).
            action_mask: (n, num_actions).
            values: (n, num_actions).
            weight: Of these decisions, one number or (n,).
            scale: Factor of the weights.
        """
        columns = {"observation": observation, "action_mask": action_mask, self._values: values.astype(np.float32)}
        self.add(rng, **columns, weight=np.full(len(observation), scale * weight, np.float32))
