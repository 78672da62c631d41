"""Chips of a hold'em hand for which seats can still compete: those that another seat can match."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.showdown import ante_paid, chips_up_to, starting_stack
from card_envs.games.holdem.state import Table


@kernel
def contested_chips(t: Table, seat: Any) -> Any:
    """Return the most chips that a seat can lose: its whole stack, or the largest one of the others in the hand.

    What is left of a larger stack is returned, since nobody can match it. A dead ante is not counted.
    """
    most = np.int64(0)
    for other in range(t.num_seats):
        if other != seat and has(t.in_hand, other):
            most = max(most, _whole_stack(t, other))
    return min(most, _whole_stack(t, seat))


@kernel
def _whole_stack(t: Table, seat: Any) -> Any:
    """Return the largest contribution of a seat to the pots, without a dead ante."""
    return starting_stack(t, seat) - (ante_paid(t, seat) if t.dead_antes == 1 else 0)


@kernel
def contested_pot(t: Table, seat: Any) -> Any:
    """Return the chips in the pot that a seat can win: of every seat as much as it may lose itself, and dead antes.

    With equal stacks that is the whole pot.
    """
    return chips_up_to(t, contested_chips(t, seat))
