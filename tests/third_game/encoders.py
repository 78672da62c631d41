"""What a seat observes, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.observation import Block, Encoder, Layout, observe_kernels
from tests.third_game.config import DozenConfig
from tests.third_game.kernels import write_mask
from tests.third_game.state import HAND_SIZE, NO_CARD, NUM_CARDS, NUM_SEATS

LAYOUT = Layout(
    (
        Block("hand", NUM_CARDS, "1 for each card I hold", private=True),
        Block("played", (NUM_SEATS, NUM_CARDS), "cards that each seat has played, me first"),
        Block("trick", (NUM_SEATS, NUM_CARDS), "card of each seat in this trick, one-hot, me first"),
        Block("points", NUM_SEATS, "points of each seat as a share of all, me first"),
        Block("tricks", HAND_SIZE, "finished tricks, one-hot; none at the end"),
    )
)
HAND, PLAYED, TRICK, POINTS, TRICKS = (place.start for place in LAYOUT.slices.values())
SIZE = LAYOUT.size

STATE_LAYOUT = Layout(
    (
        Block("hands", (NUM_SEATS, NUM_CARDS), "1 for each card of each seat"),
        Block("played", (NUM_SEATS, NUM_CARDS), "cards that each seat has played"),
        Block("actor", NUM_SEATS, "one-hot, all 0 when the deal is over"),
    )
)
_ACTOR = STATE_LAYOUT.slices["actor"].start


@kernel
def _observe(t: Any, seat: Any, o: Any) -> None:
    for k in range(SIZE):
        o.values[k] = 0.0
    for card in range(NUM_CARDS):
        o.values[HAND + card] = t.hand[seat] >> card & 1
    for k in range(NUM_SEATS):
        other = (seat + k) % NUM_SEATS
        for card in range(NUM_CARDS):
            o.values[PLAYED + k * NUM_CARDS + card] = t.played[other] >> card & 1
        if t.trick[other] != NO_CARD:
            o.values[TRICK + k * NUM_CARDS + t.trick[other]] = 1.0
        o.values[POINTS + k] = t.points[other] / (HAND_SIZE - 1 + t.last_trick)
    if t.num_tricks < HAND_SIZE:
        o.values[TRICKS + t.num_tricks] = 1.0


@kernel
def write_state(t: Any, o: Any) -> None:
    """Fill `o.values` with everything."""
    for k in range(_ACTOR + NUM_SEATS):
        o.values[k] = 0.0
    for seat in range(NUM_SEATS):
        for card in range(NUM_CARDS):
            o.values[seat * NUM_CARDS + card] = t.hand[seat] >> card & 1
            o.values[(NUM_SEATS + seat) * NUM_CARDS + card] = t.played[seat] >> card & 1
    if t.actor != NOBODY:
        o.values[_ACTOR + t.actor] = 1.0


def decode(config: DozenConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Return the cards in words."""
    return {"hand": [int(card) + 1 for card in np.flatnonzero(LAYOUT.split(observation)["hand"])]}


ENCODERS = {"default": Encoder("default", 1, lambda config: LAYOUT, *observe_kernels(_observe, write_mask), decode)}
