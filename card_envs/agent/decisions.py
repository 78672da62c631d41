"""`Decisions`: the batch of decisions that agents get. It contains nothing that the deciding seat may not see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.observation import Encoder, Layout, mask_records, observation_records
from card_envs.rng import splitmix64, to_unit

_DECISION_STREAMS = np.uint64(0xD1B54A32D192ED03)
"""Offset of the seed of a match, so that decisions and deals use different random numbers."""
_CACHED = ("observation", "action_mask", "views", "num_legal")


@dataclass(frozen=True, eq=False)
class Decisions:
    """A batch of n decisions, each of one seat at one table. It holds nothing that the seat may not see.

    Observations, masks and views are computed at the first access, which must be inside `act`: afterwards the tables
    change. The arrays may be kept. `decisions_at` makes batches.

    In `Agent.observe_actions` and `Agent.sees_end`, seats are not always to act. The observation of such a seat is what
    it sees itself, and its mask is all zeros.

    Example:
        >>> import numpy as np
        >>> from card_envs import make_game
        >>> from card_envs.agent import decisions_at
        >>> game = make_game("leduc_holdem-v0")
        >>> tables, rows = game.seeded_tables(3, seed=0), np.arange(3)
        >>> game.deal_batch(tables, rows)
        >>> decisions = decisions_at(game, tables, rows, table_ids=rows, random_numbers=np.zeros(3))
        >>> decisions.action_mask.shape
        (3, 3)
    """

    game: Game
    encoder: Encoder
    """The encoder of `observation`."""
    seats: NDArray[np.int64]
    """(n,): seats that see the tables and decide."""
    table_ids: NDArray[np.int64]
    """(n,): ids of the tables in the match; agents with memory use them as keys."""
    random_numbers: NDArray[np.float64]
    """(n,): random numbers in [0, 1) that depend on seed, deal, decision and seat alone, not on the batch."""
    _tables: Tables
    _rows: NDArray[np.int64]

    @property
    def layout(self) -> Layout:
        """The blocks of an observation."""
        return self.game.find_layout(self.encoder)

    @cached_property
    def observation(self) -> NDArray[Any]:
        """(n, d): what each seat sees; dtype and blocks are those of `layout`."""
        if not self._acts().all():
            return self.game.observe_seats(self._tables, self._rows, self.seats, self.encoder)[0]
        observation = np.empty((len(self), self.layout.size), self.layout.dtype)
        mask = self.__dict__.get("action_mask")
        mask = np.empty((len(self), self.game.num_actions), np.int8) if mask is None else mask
        self.encoder.observe_batch(self._tables, self._rows, observation_records(observation), mask_records(mask))
        self.__dict__["action_mask"] = mask  # as computed by the encoder, so that it is not computed again
        return observation

    @cached_property
    def action_mask(self) -> NDArray[np.int8]:
        """(n, num_actions): 1 for legal actions; rows of seats that are not to act are all zeros."""
        mask = np.empty((len(self), self.game.num_actions), np.int8)
        self.game.mask_batch(self._tables, self._rows, mask_records(mask))
        acts = self._acts()
        if not acts.all():
            mask[~acts] = 0
        return mask

    def _acts(self) -> NDArray[np.bool_]:
        """Return (n,): True for seats that are to act. It is asked at every access, because tables change."""
        return np.asarray(self._tables["actor"][self._rows] == self.seats)

    @cached_property
    def views(self) -> Tables:
        """(n,): records of the tables, censored: public fields and the seat's own cards."""
        return self.game.views(self._tables, self._rows, self.seats)

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.seats)

    def part(self, part: slice | NDArray[np.int64]) -> Decisions:
        """Return the decisions at a slice or at indices (k,)."""
        return replace(
            self,
            seats=self.seats[part],
            table_ids=self.table_ids[part],
            random_numbers=self.random_numbers[part],
            _rows=self._rows[part],
        )

    def with_random_numbers(self, random_numbers: NDArray[np.float64]) -> Decisions:
        """Return the same decisions with other random numbers (n,); computed arrays are kept."""
        other = replace(self, random_numbers=random_numbers)
        other.__dict__.update({name: array for name, array in self.__dict__.items() if name in _CACHED})
        return other

    def legal_actions(self, j: int) -> list[int]:
        """Return the ids of the legal actions of decision j, in increasing order."""
        return [int(action) for action in np.flatnonzero(self.action_mask[j])]

    @cached_property
    def num_legal(self) -> NDArray[np.int64]:
        """(n,): number of legal actions, 0 for seats that are not to act."""
        counts = self.action_mask.sum(axis=1, dtype=np.int32)  # five times as fast as in int64
        return np.asarray(counts, np.int64)


def choose(weights: NDArray[Any], random_numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Draw a column of each row with probability proportional to its weight.

    Args:
        weights: (n, k) non-negative weights, each row with a positive sum.
        random_numbers: (n,) numbers in [0, 1), such as `Decisions.random_numbers`.

    Returns:
        (n,) column indices.

    Raises:
        ValueError: If the shapes are other ones, or a row has no positive, finite sum.

    Example:
        >>> import numpy as np
        >>> choose(np.array([[1, 0, 3]]), np.array([0.3])).tolist()
        [2]
    """
    if weights.ndim != 2 or len(weights) != len(random_numbers):
        raise ValueError(f"weights of shape {weights.shape} must be a row for each of {len(random_numbers)} choices")
    sums = np.cumsum(weights, axis=1, dtype=np.float64)
    totals = sums[:, -1]
    is_usable = (totals > 0) & (totals < np.inf)
    if not is_usable.all():
        wrong = int(np.argmin(is_usable))
        raise ValueError(f"weights {weights[wrong]} of row {wrong} must be at least 0, with a positive, finite sum")
    return np.asarray((sums <= (random_numbers * totals)[:, None]).sum(axis=1), np.int64)


def likeliest(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return (n, k): 1 for the largest weight of each row, the first of equal ones, and 0 for the others."""
    return np.asarray(np.eye(weights.shape[1])[weights.argmax(axis=1)])


@kernel
def write_random_numbers(seed: Any, deals: Any, decision: Any, seats: Any, random_numbers: Any) -> None:
    """Write random numbers in [0, 1), (n,): hashes of seed, deal (n,), index of the decision in it, and seat (n,)."""
    key = splitmix64(np.uint64(seed) + _DECISION_STREAMS)
    for j in range(deals.shape[0]):
        deal = splitmix64(key ^ np.uint64(deals[j]))
        bits = splitmix64(splitmix64(deal ^ np.uint64(decision)) ^ np.uint64(seats[j]))
        random_numbers[j] = to_unit(bits)


def decisions_at(
    game: Game,
    tables: Tables,
    rows: NDArray[np.int64],
    table_ids: NDArray[np.int64],
    random_numbers: NDArray[np.float64] | None = None,
    seats: NDArray[np.int64] | None = None,
    encoder: Encoder | None = None,
) -> Decisions:
    """Return decisions at some tables.

    Args:
        game: The game.
        tables: (N,) records.
        rows: (n,) indices of the tables.
        table_ids: (n,) ids of these tables in the match.
        random_numbers: (n,) numbers in [0, 1) for the agent; None for zeros.
        seats: (n,) seats that see the tables; None for the seats to act, then no table may be over.
        encoder: Encoder of the observations; None for that of the game.
    """
    seats = tables["actor"][rows].astype(np.int64) if seats is None else seats
    random_numbers = np.zeros(len(rows)) if random_numbers is None else random_numbers
    return Decisions(game, encoder or game.encoder, seats, table_ids, random_numbers, tables, rows)
