"""Draws of random cards that are not in use. A set of cards is an int64 with a bit for each card id."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.rng import random_below, splitmix64

_U64, _32 = np.uint64, np.uint64(32)


@kernel
def draw_unused_card(stream: Any, used: Any) -> Any:
    """Return a random card that is not in the set `used`, drawn from the random stream of a record."""
    card = random_below(stream, np.int64(DECK_SIZE))
    while used >> card & 1:
        card = random_below(stream, np.int64(DECK_SIZE))
    return card


@kernel
def hash_to_unused_card(used: Any, seed: Any) -> Any:
    """Return a card that is not in the set `used` and depends only on the set and `seed` (uint64).

    Hashing is cheaper than a random stream.
    """
    card = hash_to_card(seed)
    while used >> card & 1:
        seed = splitmix64(seed)
        card = hash_to_card(seed)
    return card


@kernel
def hash_to_card(seed: Any) -> Any:
    """Return the card id that a uint64 hash stands for, 0..51."""
    return np.int64((seed >> _32) * _U64(DECK_SIZE) >> _32)
