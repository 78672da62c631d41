"""The numbers of the 1,326 hands of two cards. Ranges are arrays of weights in this order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel

HOLE_CARDS, BOARD_SIZE = 2, 5
"""Numbers of hole cards of a player and of board cards in Texas hold'em."""
BOARD_CARDS = (0, 3, 4, 5)
"""Number of board cards on each street of Texas hold'em."""
HANDS: NDArray[np.uint8] = np.array(list(combinations(range(DECK_SIZE), 2)), np.uint8)
"""(1326, 2) card ids of every hand of two cards, the lower id first."""
NUM_HANDS = len(HANDS)


@kernel
def hand_number(a: Any, b: Any) -> Any:
    """Return the index in `HANDS` of two different card ids, in any order."""
    low, high = min(a, b), max(a, b)
    return low * (2 * DECK_SIZE - low - 1) // 2 + high - low - 1


def hand_numbers(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the `hand_number` (n,) of hands (n, 2)."""
    low, high = np.minimum(cards[:, 0], cards[:, 1]), np.maximum(cards[:, 0], cards[:, 1])
    return np.asarray(low * (2 * DECK_SIZE - low - 1) // 2 + high - low - 1)


def possible_hands(seen: Iterable[int]) -> NDArray[np.bool_]:
    """Return a mask (1326,) of the hands that hold none of the card ids `seen`."""
    return np.asarray(~np.isin(HANDS, list(seen)).any(axis=1))
