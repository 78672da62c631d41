"""What a learner that has several seats remembers: its decisions, and once a deal is over, what they were worth.

A seat's decisions of a deal form a chain, along which `credit` writes advantages when the deal ends. Decisions of
unfinished deals wait for the next batch: dropping them would prefer short deals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.legal_logits import NO_ACTION
from card_baselines.runs.devices import sent
from card_envs.compiler import kernel
from card_envs.game import Game

NONE = -1
"""Stands for no decision."""


LEARNED_FROM = ("observation", "legal", "choice", "log_probability", "value", "advantage", "target")
"""The arrays that a loss needs."""


class Batch:
    """Decisions to learn from, on the device that learns."""

    def __init__(self, arrays: dict[str, NDArray[Any]], device: torch.device) -> None:
        """Send arrays with one entry for each decision, under the names `LEARNED_FROM`: once, for all epochs."""
        self._num_legal = (arrays["legal"] != NO_ACTION).sum(axis=1)
        self._tensors = {name: sent(arrays[name], device) for name in LEARNED_FROM}
        self._device = device

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self._num_legal)

    def part(self, rows: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        """Return a minibatch; its lists of legal actions are as wide as the longest of them."""
        places = sent(rows, self._device)
        taken = {name: tensor[places] for name, tensor in self._tensors.items()}
        taken["legal"] = taken["legal"][:, : self._num_legal[rows].max()].contiguous()
        return taken


class Experience:
    """Arrays with one entry for each decision, the first `size` of them in use."""

    def __init__(self, game: Game, num_tables: int, capacity: int) -> None:
        """Make room for `capacity` decisions; it grows when it must."""
        self.size = 0
        self.latest = np.full((num_tables, game.num_seats), NONE, np.int64)
        """(tables, seats): each seat's latest decision in the deal at hand."""
        self.arrays: dict[str, NDArray[Any]] = {
            "observation": np.zeros((capacity, game.layout.size), game.layout.dtype),
            "legal": np.full((capacity, 1), NO_ACTION, np.int16),
            "choice": np.zeros(capacity, np.int64),  # position in the list of legal actions
            "log_probability": np.zeros(capacity, np.float32),
            "value": np.zeros(capacity, np.float32),
            "advantage": np.zeros(capacity, np.float32),
            "target": np.zeros(capacity, np.float32),  # of the value
            "previous": np.full(capacity, NONE, np.int64),  # the seat's decision before, in the same deal
            "is_finished": np.zeros(capacity, np.bool_),
        }

    def add(
        self, rows: NDArray[np.int64], seats: NDArray[np.int64], legal: NDArray[np.int16], **columns: NDArray[Any]
    ) -> None:
        """Append decisions of `seats` at tables `rows`, one per table; `columns` are those that are known by now."""
        begin, end = self.size, self.size + len(rows)
        self._make_room(end, legal.shape[1])
        self.arrays["legal"][begin:end] = NO_ACTION
        self.arrays["legal"][begin:end, : legal.shape[1]] = legal
        for name, values in columns.items():
            self.arrays[name][begin:end] = values
        self.arrays["previous"][begin:end] = self.latest[rows, seats]
        self.arrays["is_finished"][begin:end] = False
        self.latest[rows, seats] = np.arange(begin, end)
        self.size = end

    def _make_room(self, size: int, num_legal: int) -> None:
        legal = self.arrays["legal"]
        if num_legal > legal.shape[1]:
            wider = np.full((len(legal), num_legal), NO_ACTION, np.int16)
            wider[:, : legal.shape[1]] = legal
            self.arrays["legal"] = wider
        if size > len(legal):
            for name, array in self.arrays.items():
                longer = np.zeros((2 * size, *array.shape[1:]), array.dtype)
                longer[: self.size] = array[: self.size]
                self.arrays[name] = longer

    def finished(self) -> NDArray[np.int64]:
        """Return the indices of decisions whose deals are over."""
        return np.flatnonzero(self.arrays["is_finished"][: self.size])

    def batch(self, device: torch.device) -> Batch:
        """Return the decisions whose deals are over, to learn from them on a device."""
        rows = self.finished()
        return Batch({name: self.arrays[name][rows] for name in LEARNED_FROM}, device)

    def forget_finished(self) -> None:
        """Keep the decisions of unfinished deals alone."""
        keep = np.flatnonzero(~self.arrays["is_finished"][: self.size])
        moved = np.full(self.size + 1, NONE, np.int64)  # one more: what NONE, as an index, stands for
        moved[keep] = np.arange(len(keep))
        for array in self.arrays.values():
            array[: len(keep)] = array[keep]
        self.size = len(keep)
        self.arrays["previous"][: self.size] = moved[self.arrays["previous"][: self.size]]
        self.latest = moved[self.latest]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` makes this experience again."""
        return {"latest": self.latest, **{name: array[: self.size] for name, array in self.arrays.items()}}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Become the experience whose `state` was kept."""
        self.latest = state["latest"].copy()
        self.size = 0
        self._make_room(len(state["choice"]), state["legal"].shape[1])
        self.size = len(state["choice"])
        self.arrays["legal"][: self.size] = NO_ACTION
        self.arrays["legal"][: self.size, : state["legal"].shape[1]] = state["legal"]
        for name in set(self.arrays) - {"legal"}:
            self.arrays[name][: self.size] = state[name]


@kernel
def credit(
    rows: Any, rewards: Any, latest: Any, previous: Any, value: Any, advantage: Any, target: Any, is_finished: Any,
    gamma: Any, lambda_: Any,
) -> Any:  # fmt: skip
    """Write the advantages of all decisions of the deals that ended at `rows`; return how many they are.

    A seat's decisions of a deal form a chain, from `latest` back along `previous`. Generalised advantage estimation
    (Schulman et al. 2016) runs along each chain: what follows a decision is the same seat's next one, whoever acts in
    between.
    """
    count = np.int64(0)
    for j in range(rows.shape[0]):
        for seat in range(latest.shape[1]):
            k = latest[rows[j], seat]
            following, discount = np.float64(rewards[j, seat]), 1.0  # the last decision earns the reward itself
            ahead = 0.0
            while k != NONE:
                ahead = discount * following - value[k] + gamma * lambda_ * ahead
                advantage[k] = ahead
                target[k] = ahead + value[k]
                is_finished[k] = True
                following, discount = np.float64(value[k]), gamma
                k = previous[k]
                count += 1
            latest[rows[j], seat] = NONE
    return count
