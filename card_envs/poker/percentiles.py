"""Percentiles of hands: the share of all hands of the same number of cards that are not better.

Hands of five, six and seven cards are compared by rank, starting hands (two cards) by equity: the share of the pot that
they win on average, all-in before the flop against one random hand. Both are exact. The tables ship as one file, which
`tests/helpers/poker_tables.py` computes. Kaminsky (2020, section 3.3.2) describes hands this way.
"""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, RANKS
from card_envs.compiler import kernel
from card_envs.poker.hands import BOARD_SIZE
from card_envs.poker.pinned_tables import load_pinned

TABLE_FILE = Path(__file__).with_name("percentile_tables.npz")
TABLE_SHA256 = "c21dc835a05a6bac1c5b6c5e4661d3bc70200833d10be4b62ec0d897e470a5cc"
"""Hash of the content of `TABLE_FILE`. It is part of the source so that new tables also start a new kernel cache."""

HAND_SIZES = (5, 6, 7)
NUM_RANKS = len(RANKS)
MATCHUPS = comb(DECK_SIZE - 2, BOARD_SIZE) * comb(DECK_SIZE - 2 - BOARD_SIZE, 2)
"""Number of boards times opponent's hands for one starting hand: 2,097,572,400."""


class Tables(NamedTuple):
    """Lookup tables of `poker.percentiles`. A starting hand has the index [first rank, second rank], 0..12 = 2..A.

    Suited hands have the higher rank first, others the lower rank (13 pairs, 78 suited, 78 offsuit).
    """

    hand_counts: NDArray[np.int64]
    """(3, 7463) number of hands of 5, 6 and 7 cards that have each rank; [:, 0] is 0."""
    starting_wins: NDArray[np.int64]
    """(13, 13) number of the `MATCHUPS` that a starting hand wins, all-in before the flop against a random hand."""
    starting_ties: NDArray[np.int64]
    """(13, 13) number of the `MATCHUPS` that it ties."""


TABLES = load_pinned(Tables, TABLE_FILE, TABLE_SHA256)
_SMALLEST = HAND_SIZES[0]


def _percentiles_by_rank() -> NDArray[np.float32]:
    not_better = TABLES.hand_counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    shares: NDArray[np.float32] = (not_better / not_better[:, :1]).astype(np.float32)
    return shares


PERCENTILES: NDArray[np.float32] = _percentiles_by_rank()
"""(3, 7463) percentile of each rank among hands of 5, 6 and 7 cards; column 0 is not used."""


@kernel
def percentile_of_rank(rank: Any, num_cards: Any) -> Any:
    """Return the percentile of a rank among hands of `num_cards` (5, 6 or 7) cards: above 0, at most 1."""
    return PERCENTILES[num_cards - _SMALLEST, rank]
