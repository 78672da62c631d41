"""The 169 starting hands of Texas hold'em: numbers, notation, and equity all-in before the flop.

A starting hand stands for all hands of two cards with the same ranks, suited or offsuit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.poker.hands import HANDS
from card_envs.poker.percentiles import MATCHUPS, NUM_RANKS, TABLES

NUM_STARTING_HANDS = NUM_RANKS**2


@kernel
def starting_hand(a: Any, b: Any) -> Any:
    """Return the number of a starting hand, 0..168: 13 * rank + other rank, with the higher rank first if suited."""
    high, low = max(a >> 2, b >> 2), min(a >> 2, b >> 2)
    return high * NUM_RANKS + low if a & 3 == b & 3 else low * NUM_RANKS + high


def starting_hands(cards: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the numbers (...) of starting hands; `cards` has two card ids on the last axis."""
    ids = np.asarray(cards, np.int64)
    high, low = ids.max(axis=-1) >> 2, ids.min(axis=-1) >> 2
    suited = (ids[..., 0] & 3) == (ids[..., 1] & 3)
    return np.asarray(np.where(suited, high * NUM_RANKS + low, low * NUM_RANKS + high), np.int64)


STARTING_HANDS: NDArray[np.int64] = starting_hands(HANDS)
"""(1326,) starting hand of each of `poker.hands.HANDS`."""
STARTING_HAND_COUNTS: NDArray[np.int64] = np.bincount(STARTING_HANDS, minlength=NUM_STARTING_HANDS)
"""(169,) number of hands of two cards that a starting hand stands for: 6 for pairs, 4 suited, 12 offsuit."""


def _percentiles() -> NDArray[np.float32]:
    scores = (2 * TABLES.starting_wins + TABLES.starting_ties).ravel()
    not_better = scores <= scores.reshape(-1, 1)
    shares: NDArray[np.float32] = (not_better @ STARTING_HAND_COUNTS / STARTING_HAND_COUNTS.sum()).astype(np.float32)
    return shares


STARTING_PERCENTILES: NDArray[np.float32] = _percentiles()
"""(169,) share of all hands of two cards whose equity is not higher, above 0, at most 1."""
STARTING_EQUITIES: NDArray[np.float64] = ((TABLES.starting_wins + 0.5 * TABLES.starting_ties) / MATCHUPS).ravel()
"""(169,) equity of each starting hand against a random hand, 0.323 (32o) to 0.852 (AA)."""
