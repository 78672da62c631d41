"""The decisions and rewards of a student in the hands of a round, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game


@dataclass(frozen=True, eq=False)
class Experience:
    """The n >= 1 decisions of one student in hands that were played side by side, in the order in which it took them.

    The decisions of a hand are in order, but not adjacent.
    """

    game: Game
    """Game with the encoder of the student."""
    observations: NDArray[Any]
    """(n, d)."""
    action_masks: NDArray[np.int8]
    """(n, num_actions): 1 for legal actions."""
    actions: NDArray[np.int64]
    """(n,): chosen actions."""
    notes: NDArray[Any] | None
    """(n, ...): notes of the student, see `Choices`."""
    hands: NDArray[np.int64]
    """(n,): index of the hand, 0 .. num_hands - 1; hands without a decision of the student are missing."""
    seats: NDArray[np.int64]
    """(n,): seat of the student, which may have several at a table."""
    rewards: NDArray[np.float64]
    """(n,): winnings of the seat in the whole hand, in `game.unit`: the same for all its decisions of the hand."""
    num_hands: int
    """Number of hands that were played side by side."""

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.actions)

    @cached_property
    def following(self) -> NDArray[np.int64]:
        """(n,): index of the seat's next decision in the same hand; -1 for the last one."""
        chains = self.hands * self.game.num_seats + self.seats
        order = np.argsort(chains, kind="stable")
        goes_on = chains[order[1:]] == chains[order[:-1]]
        following = np.full(len(self), -1)
        following[order[:-1][goes_on]] = order[1:][goes_on]
        return following
