"""What a student lived through in the hands of a round, as arrays."""

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

    Within a hand, an earlier decision stands before a later one.
    """

    game: Game
    """Game with the encoder that the student asked for."""
    observations: NDArray[Any]
    """(n, d)."""
    action_masks: NDArray[np.int8]
    """(n, num_actions): 1 for actions that were legal."""
    actions: NDArray[np.int64]
    """(n,): what it chose."""
    notes: NDArray[Any] | None
    """(n, ...): what it wrote beside its choices, see `Choices`."""
    hands: NDArray[np.int64]
    """(n,): in which hand, 0 .. num_hands - 1; hands in which it decided nothing are missing."""
    seats: NDArray[np.int64]
    """(n,): at which seat; a student may have several of a table."""
    rewards: NDArray[np.float64]
    """(n,): what the seat won in the whole hand, in `game.unit`: the same for all its decisions of the hand."""
    num_hands: int
    """Played side by side."""

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.actions)

    @cached_property
    def following(self) -> NDArray[np.int64]:
        """(n,): index of the seat's next decision in the same hand; -1 for its last one."""
        chains = self.hands * self.game.num_seats + self.seats
        order = np.argsort(chains, kind="stable")
        goes_on = chains[order[1:]] == chains[order[:-1]]
        following = np.full(len(self), -1)
        following[order[:-1][goes_on]] = order[1:][goes_on]
        return following
