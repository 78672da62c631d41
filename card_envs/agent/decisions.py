"""A batch of decisions: what agents get, with nothing that the deciding seat may not see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.observation import mask_records, observation_records
from card_envs.rng import splitmix64

_UNIFORMS = np.uint64(0xD1B54A32D192ED03)
"""Added to the seed of a match for the random numbers of decisions, which must not be those that deal the cards."""
_MADE = ("observation", "action_mask", "views", "num_legal")
_DROPPED_BITS, _LAST_PLACE = np.uint64(11), 2.0**-53  # a float64 in [0, 1) holds 53 bits


@dataclass(frozen=True, eq=False)
class Decisions:
    """n decisions, each of one seat at one table, with nothing that the seat may not see; `decisions_at` makes them.

    Observations, masks and views are made when first asked for, so agents pay for what they use. Ask for them within
    `act`: afterwards the tables move on. What has been made may be kept.
    """

    game: Game
    """With the encoder that the agent asked for."""
    seats: NDArray[np.int64]
    """(n,): the seat that decides."""
    tables: NDArray[np.int64]
    """(n,): number of the table within the match."""
    uniforms: NDArray[np.float64]
    """(n,): one random number in [0, 1) per decision, fixed by seed, deal and decision, whatever the batch."""
    _tables: Tables
    _rows: NDArray[np.int64]

    @cached_property
    def observation(self) -> NDArray[Any]:
        """(n, d): in the encoder of `game`."""
        observation = np.empty((len(self), self.game.layout.size), self.game.layout.dtype)
        records, masks = observation_records(observation), mask_records(self.action_mask)
        self.game.encoder.observe_batch(self._tables, self._rows, records, masks)  # writes the same masks again
        return observation

    @cached_property
    def action_mask(self) -> NDArray[np.int8]:
        """(n, num_actions): 1 for legal actions, at least one in each row."""
        mask = np.empty((len(self), self.game.num_actions), np.int8)
        self.game.mask_batch(self._tables, self._rows, mask_records(mask))
        return mask

    @cached_property
    def views(self) -> Tables:
        """(n,): records of the game's tables, censored: the fields of public knowledge and the seat's own cards."""
        views = np.empty(len(self), self._tables.dtype)
        self.game.censor_batch(self._tables, self._rows, self.seats, views)
        return views

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.seats)

    def part(self, part: slice | NDArray[np.int64]) -> Decisions:
        """Return some of the decisions."""
        return replace(
            self, seats=self.seats[part], tables=self.tables[part], uniforms=self.uniforms[part], _rows=self._rows[part]
        )

    def with_uniforms(self, uniforms: NDArray[np.float64]) -> Decisions:
        """Return the same decisions with other random numbers (n,); what has been made is not made again."""
        other = replace(self, uniforms=uniforms)
        other.__dict__.update({name: made for name, made in self.__dict__.items() if name in _MADE})
        return other

    def legal_actions(self, j: int) -> list[int]:
        """Return the legal action ids of decision j."""
        return [int(action) for action in np.flatnonzero(self.action_mask[j])]

    @cached_property
    def num_legal(self) -> NDArray[np.int64]:
        """(n,): how many actions are legal."""
        counts = self.action_mask.sum(axis=1, dtype=np.int32)  # five times as fast as in int64
        return np.asarray(counts, np.int64)


def choose(weights: NDArray[Any], uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, for each row of non-negative weights (n, k), the column in which its uniform number falls."""
    sums = np.cumsum(weights, axis=1, dtype=np.float64)
    return np.asarray((sums <= (uniforms * sums[:, -1])[:, None]).sum(axis=1), np.int64)


def likeliest(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 for the largest weight of each row (n, k), the first of equal ones, and 0 for the others."""
    return np.asarray(np.eye(weights.shape[1])[weights.argmax(axis=1)])


@kernel
def write_uniforms(seed: Any, deals: Any, number: Any, seats: Any, uniforms: Any) -> None:
    """Write random numbers in [0, 1) for the `number`-th decision of each deal: hashes of seed, deal, number, seat."""
    key = splitmix64(np.uint64(seed) + _UNIFORMS)
    for j in range(deals.shape[0]):
        deal = splitmix64(key ^ np.uint64(deals[j]))
        bits = splitmix64(splitmix64(deal ^ np.uint64(number)) ^ np.uint64(seats[j]))
        uniforms[j] = np.float64(bits >> _DROPPED_BITS) * _LAST_PLACE


def decisions_at(
    game: Game, tables: Tables, rows: NDArray[np.int64], numbers: NDArray[np.int64], uniforms: NDArray[np.float64]
) -> Decisions:
    """Return the decisions that the actors of tables[rows] face; `numbers` are the tables' numbers in the match."""
    return Decisions(game, tables["actor"][rows].astype(np.int64), numbers, uniforms, tables, rows)
