"""Percentiles of hands: the share of all hands of the same number of cards that are not better.

Hands of five, six and seven cards are compared by rank, starting hands (two cards) by equity: the share of the pot that
they win on average, all-in before the flop against one random hand. Both are exact. `percentile_tables` computes the
tables. Kaminsky (2020, section 3.3.2) describes hands this way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.poker import percentile_tables
from card_envs.poker.percentile_tables import HAND_SIZES

_COUNTS, _, _ = percentile_tables.load()
_SMALLEST = HAND_SIZES[0]


def _percentiles_by_rank() -> NDArray[np.float32]:
    not_better = _COUNTS[:, ::-1].cumsum(axis=1)[:, ::-1]
    shares: NDArray[np.float32] = (not_better / not_better[:, :1]).astype(np.float32)
    return shares


PERCENTILES: NDArray[np.float32] = _percentiles_by_rank()
"""(3, 7463) percentile of each rank among hands of 5, 6 and 7 cards; column 0 is not used."""


@kernel
def percentile_of_rank(rank: Any, num_cards: Any) -> Any:
    """Return the percentile of a rank among hands of `num_cards` (5, 6 or 7) cards: above 0, at most 1."""
    return PERCENTILES[num_cards - _SMALLEST, rank]
