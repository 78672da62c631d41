"""Lookup tables behind `poker.ranks`, which ship as one file; `tests/helpers/poker_tables.py` computes them.

Every card rank has a key. The sum of the keys of five, six or seven cards identifies their ranks: no two different sets
of ranks have the same sum. The low bits of a sum are its row, the high bits its column. Flushes have a separate table.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.poker.pinned_tables import load_pinned

TABLE_FILE = Path(__file__).with_suffix(".npz")
TABLE_SHA256 = "8f7d3dbbd99b4523d6c6551cae2df81a0a862ed5d12c8072606531fe5ff86d1d"
"""Hash of the content of `TABLE_FILE`. It is part of the source so that new tables also start a new kernel cache."""

SMALLEST_HAND, LARGEST_HAND = 5, 7
RANK_KEYS = (1, 4, 16, 67, 295, 1334, 5734, 23800, 60883, 208450, 509982, 1304151, 2967844)
"""Keys of the card ranks 0..12 = 2..A, the smallest ones whose sums differ."""
SUM_BITS = 24
"""Number of bits of the largest sum of keys: four aces and three kings, 15,783,829."""
ROW_BITS = 13
"""Number of low bits of a sum that are its row. Of 8 to 13 bits, 13 gave the shortest table."""


class Tables(NamedTuple):
    """Lookup tables of `poker.ranks`; ranks of hands are 1 (royal flush) to 7462."""

    flush_ranks: NDArray[np.uint16]
    """(8192,) rank of the hand by the 13-bit set of card ranks in the flush suit; 0 for sets of other than 5 to 7."""
    row_offsets: NDArray[np.int32]
    """(8192,) index in `sum_ranks` at which each row of sums begins."""
    sum_ranks: NDArray[np.uint16]
    """Rank of the hand at [row offset + column] of its sum of keys; 0 where there is no hand. The array is long enough
    for the row and column of any 24-bit number."""


TABLES = load_pinned(Tables, TABLE_FILE, TABLE_SHA256)
