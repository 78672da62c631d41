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
from card_baselines.learning.columns import NO_ROW, Columns
from card_baselines.runs.checkpoint import check_arrays
from card_baselines.runs.ranges import require_range
from card_envs.compiler import kernel
from card_envs.game import Game

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
    """Columns with one row for each decision."""

    def __init__(self, game: Game, num_tables: int) -> None:
        """Make an empty buffer."""
        self._num_actions = game.num_actions
        self.last_step = np.full((num_tables, game.num_seats), NO_ROW, np.int64)
        """(tables, seats): row of each seat's latest decision in the current deal."""
        self.columns = Columns({
            "observation": ((game.layout.size,), game.layout.dtype),
            "legal": ((1,), np.int16),
            "choice": ((), np.int64),  # index in the list of legal actions
            "log_probability": ((), np.float32),
            "value": ((), np.float32),
            "advantage": ((), np.float32),
            "target": ((), np.float32),  # of the value
            "previous_step": ((), np.int64),  # row of the seat's previous decision in the deal
            "is_finished": ((), np.bool_),
        })  # fmt: skip

    @property
    def size(self) -> int:
        """Number of decisions."""
        return self.columns.size

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
        width = max(legal.shape[1], self.columns["legal"].shape[1])
        if width > self.columns["legal"].shape[1]:
            self.columns.arrays["legal"] = _pad(self.columns.arrays["legal"], width)
        self.last_step[rows, seats] = self.columns.append(
            legal=_pad(legal, width), previous_step=self.last_step[rows, seats],
            is_finished=np.zeros(len(rows), np.bool_), **columns,
        )  # fmt: skip

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
        return np.flatnonzero(self.columns["is_finished"])

    def make_batch(self, device: torch.device) -> Batch:
        """Return the decisions whose deals are over, on a device."""
        rows = self.find_finished()
        return Batch({name: self.columns[name][rows] for name in LOSS_COLUMNS}, device)

    def discard_finished(self) -> None:
        """Remove the decisions of finished deals."""
        new_rows = self.columns.keep(np.flatnonzero(~self.columns["is_finished"]))
        self.columns["previous_step"][:] = new_rows[self.columns["previous_step"]]
        self.last_step = new_rows[self.last_step]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` makes this buffer again."""
        return {"last_step": self.last_step, **self.columns.used()}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a `state`; ValueError for columns of other types or shapes, and for rows that do not exist."""
        check_arrays(state, {"last_step": self.last_step})
        check_arrays(state, {name: a for name, a in self.columns.arrays.items() if name != "legal"}, rows=True)
        size, legal = len(state["choice"]), state["legal"]
        if legal.dtype != np.int16 or legal.ndim != 2 or len(legal) != size:
            raise ValueError(f"legal is {legal.dtype} of shape {legal.shape}, not int16 with {size} rows")
        require_range("last_step", state["last_step"], NO_ROW, size - 1)
        require_range("legal", legal, NO_ACTION, self._num_actions - 1)
        if (state["previous_step"] >= np.arange(size)).any() or (state["previous_step"] < NO_ROW).any():
            raise ValueError("previous_step has rows that are not earlier ones")  # in a circle, GAE would not end
        if ((state["choice"] < 0) | (state["choice"] >= (legal != NO_ACTION).sum(axis=1))).any():
            raise ValueError("choice has numbers beyond the legal actions")
        self.last_step = state["last_step"].copy()
        self.columns.arrays["legal"] = legal
        self.columns.restore(state)


def _pad(legal: NDArray[np.int16], width: int) -> NDArray[np.int16]:
    """Return lists of legal actions (n, width), given (n, k)."""
    padded = np.full((len(legal), width), NO_ACTION, np.int16)
    padded[:, : legal.shape[1]] = legal
    return padded


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
            while k != NO_ROW:
                next_advantage = discount * next_value - value[k] + gamma * gae_lambda * next_advantage
                advantage[k] = next_advantage
                target[k] = next_advantage + value[k]
                is_finished[k] = True
                next_value, discount = np.float64(value[k]), gamma
                k = previous_step[k]
                count += 1
            last_step[rows[j], seat] = NO_ROW
    return count
