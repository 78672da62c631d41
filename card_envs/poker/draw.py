"""Random cards that are not used yet. A set of cards is an int64 with a bit for each card id."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.rng import random_below, splitmix64

_U64, _32 = np.uint64, np.uint64(32)


@kernel
def draw_unused_card(stream: Any, used: Any) -> Any:
    """Return a random card that is not in the set `used`, drawn from the stream of a record."""
    card = random_below(stream, np.int64(DECK_SIZE))
    while used >> card & 1:
        card = random_below(stream, np.int64(DECK_SIZE))
    return card


@kernel
def hash_to_unused_card(used: Any, seed: Any) -> Any:
    """Return a card that is not in the set `used`, fixed by `seed` (uint64): a hash where a stream costs too much."""
    card = hash_to_card(seed)
    while used >> card & 1:
        seed = splitmix64(seed)
        card = hash_to_card(seed)
    return card


@kernel
def hash_to_card(seed: Any) -> Any:
    """Return the card that a uint64 hash stands for."""
    return np.int64((seed >> _32) * _U64(DECK_SIZE) >> _32)
