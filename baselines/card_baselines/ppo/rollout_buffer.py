"""Rollout buffer of a learner that plays several seats, with generalised advantage estimation when a deal ends.

The decisions of one seat in one deal form a linked list, along which `compute_gae` runs when the deal is over.
Decisions of unfinished deals stay in the buffer for the next batch: dropping them would favour short deals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.legal_logits import NO_ACTION
from card_baselines.runs.checkpoint import check_arrays
from card_baselines.runs.ranges import require_range
from card_envs.compiler import kernel
from card_envs.game import Game

NONE = -1
"""Row number that stands for no decision."""
LOSS_COLUMNS = ("observation", "legal", "choice", "log_probability", "value", "advantage", "target")
"""Columns of the buffer that the loss reads."""


class Batch:
    """Decisions of finished deals, on the device of the learner."""

    def __init__(self, columns: dict[str, NDArray[Any]], device: torch.device) -> None:
        """Copy the `LOSS_COLUMNS`, with one row for each decision, to a device."""
        self._num_legal = (columns["legal"] != NO_ACTION).sum(axis=1)
        self._tensors = {name: torch.from_numpy(columns[name]).to(device) for name in LOSS_COLUMNS}
        self._device = device

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self._num_legal)

    def minibatch(self, rows: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        """Return the columns of some rows; lists of legal actions are cut to the longest of these rows."""
        index = torch.from_numpy(rows).to(self._device)
        columns = {name: tensor.index_select(0, index) for name, tensor in self._tensors.items()}
        columns["legal"] = columns["legal"][:, : self._num_legal[rows].max()].contiguous()
        return columns


class RolloutBuffer:
    """Columns with one row for each decision; the first `size` rows are in use."""

    def __init__(self, game: Game, num_tables: int, capacity: int) -> None:
        """Allocate `capacity` rows; the buffer grows when it is full."""
        self.size, self._num_actions = 0, game.num_actions
        self.last_step = np.full((num_tables, game.num_seats), NONE, np.int64)
        """(tables, seats): row of each seat's latest decision in the current deal."""
        self.columns: dict[str, NDArray[Any]] = {
            "observation": np.zeros((capacity, game.layout.size), game.layout.dtype),
            "legal": np.full((capacity, 1), NO_ACTION, np.int16),
            "choice": np.zeros(capacity, np.int64),  # index in the list of legal actions
            "log_probability": np.zeros(capacity, np.float32),
            "value": np.zeros(capacity, np.float32),
            "advantage": np.zeros(capacity, np.float32),
            "target": np.zeros(capacity, np.float32),  # of the value
            "previous_step": np.full(capacity, NONE, np.int64),  # row of the seat's previous decision in the deal
            "is_finished": np.zeros(capacity, np.bool_),
        }

    def add(
        self, rows: NDArray[np.int64], seats: NDArray[np.int64], legal: NDArray[np.int16], **columns: NDArray[Any]
    ) -> None:
        """Append n decisions at different tables.

        Args:
            rows: (n,): the tables.
            seats: (n,): the seats that decided.
            legal: (n, k): lists of legal actions.
            **columns: observation (n, d), choice, log_probability and value, each (n,).
        """
        begin, end = self.size, self.size + len(rows)
        self._reserve(end, legal.shape[1])
        self.columns["legal"][begin:end] = NO_ACTION
        self.columns["legal"][begin:end, : legal.shape[1]] = legal
        for name, values in columns.items():
            self.columns[name][begin:end] = values
        self.columns["previous_step"][begin:end] = self.last_step[rows, seats]
        self.columns["is_finished"][begin:end] = False
        self.last_step[rows, seats] = np.arange(begin, end)
        self.size = end

    def _reserve(self, size: int, num_legal: int) -> None:
        """Make room for `size` decisions with up to `num_legal` legal actions."""
        legal = self.columns["legal"]
        if num_legal > legal.shape[1]:
            wider = np.full((len(legal), num_legal), NO_ACTION, np.int16)
            wider[:, : legal.shape[1]] = legal
            self.columns["legal"] = wider
        if size > len(legal):
            for name, column in self.columns.items():
                longer = np.zeros((2 * size, *column.shape[1:]), column.dtype)
                longer[: self.size] = column[: self.size]
                self.columns[name] = longer

    def finish_deals(
        self, rows: NDArray[np.int64], rewards: NDArray[np.float32], gamma: float, gae_lambda: float
    ) -> int:
        """Compute the advantages of the deals that ended at tables `rows`, given the seats' rewards (n, seats).

        Returns the number of decisions in these deals.
        """
        c = self.columns
        return int(
            compute_gae(
                rows, rewards, self.last_step, c["previous_step"], c["value"], c["advantage"], c["target"],
                c["is_finished"], float(gamma), float(gae_lambda),
            )
        )  # fmt: skip

    def find_finished(self) -> NDArray[np.int64]:
        """Return the rows of the decisions whose deals are over."""
        return np.flatnonzero(self.columns["is_finished"][: self.size])

    def make_batch(self, device: torch.device) -> Batch:
        """Return the decisions whose deals are over, on a device."""
        rows = self.find_finished()
        return Batch({name: self.columns[name][rows] for name in LOSS_COLUMNS}, device)

    def discard_finished(self) -> None:
        """Remove the decisions of finished deals."""
        keep = np.flatnonzero(~self.columns["is_finished"][: self.size])
        new_rows = np.full(self.size + 1, NONE, np.int64)  # one more, since NONE is the index of the last entry
        new_rows[keep] = np.arange(len(keep))
        for column in self.columns.values():
            column[: len(keep)] = column[keep]
        self.size = len(keep)
        self.columns["previous_step"][: self.size] = new_rows[self.columns["previous_step"][: self.size]]
        self.last_step = new_rows[self.last_step]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` makes this buffer again."""
        return {"last_step": self.last_step, **{name: column[: self.size] for name, column in self.columns.items()}}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a `state`; ValueError for columns of other types or shapes, and for rows that do not exist."""
        check_arrays(state, {"last_step": self.last_step})
        check_arrays(state, {name: column for name, column in self.columns.items() if name != "legal"}, rows=True)
        size, legal = len(state["choice"]), state["legal"]
        if legal.dtype != np.int16 or legal.ndim != 2 or len(legal) != size:
            raise ValueError(f"legal is {legal.dtype} of shape {legal.shape}, not int16 with {size} rows")
        require_range("last_step", state["last_step"], NONE, size - 1)
        require_range("legal", legal, NO_ACTION, self._num_actions - 1)
        if (state["previous_step"] >= np.arange(size)).any() or (state["previous_step"] < NONE).any():
            raise ValueError("previous_step has rows that are not earlier ones")  # in a circle, GAE would not end
        if ((state["choice"] < 0) | (state["choice"] >= (legal != NO_ACTION).sum(axis=1))).any():
            raise ValueError("choice has numbers beyond the legal actions")
        self.last_step = state["last_step"].copy()
        self.size = 0
        self._reserve(len(state["choice"]), state["legal"].shape[1])
        self.size = len(state["choice"])
        self.columns["legal"][: self.size] = NO_ACTION
        self.columns["legal"][: self.size, : state["legal"].shape[1]] = state["legal"]
        for name in set(self.columns) - {"legal"}:
            self.columns[name][: self.size] = state[name]


@kernel
def compute_gae(
    rows: Any, rewards: Any, last_step: Any, previous_step: Any, value: Any, advantage: Any, target: Any,
    is_finished: Any, gamma: Any, gae_lambda: Any,
) -> Any:  # fmt: skip
    """Write the advantages of all decisions of the deals that ended at tables `rows`; return their number.

    Generalised advantage estimation (Schulman et al. 2016, equation 16) along the decisions of each seat, from
    `last_step` back along `previous_step`. The reward comes after the last decision of a deal.
    """
    count = np.int64(0)
    for j in range(rows.shape[0]):
        for seat in range(last_step.shape[1]):
            k = last_step[rows[j], seat]
            next_value, discount = np.float64(rewards[j, seat]), 1.0  # the last decision earns the undiscounted reward
            next_advantage = 0.0
            while k != NONE:
                next_advantage = discount * next_value - value[k] + gamma * gae_lambda * next_advantage
                advantage[k] = next_advantage
                target[k] = next_advantage + value[k]
                is_finished[k] = True
                next_value, discount = np.float64(value[k]), gamma
                k = previous_step[k]
                count += 1
            last_step[rows[j], seat] = NONE
    return count
