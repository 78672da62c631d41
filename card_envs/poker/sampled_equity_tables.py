"""Computation of the sampled equities of all 1,326 hands before the flop, which ship as one file.

Estimates cost most before the flop. `python -m card_envs.poker.sampled_equity_tables` computes the table and writes the
file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.poker.hands import HANDS
from card_envs.poker.pinned_tables import load_pinned, write_pinned
from card_envs.poker.sampled_equity import QUARTERS, write_sampled_equities

TABLE_FILE = Path(__file__).with_suffix(".npz")
TABLE_SHA256 = "a74a02acdb230f0c6f0f8c9acb7358710328a4df2faa6fb36fc1c3264eb4c505"
"""Hash of the content of `TABLE_FILE`."""


class Tables(NamedTuple):
    """Lookup table of the encoder `equity`."""

    by_quarter: NDArray[np.float32]
    """(1326, 4) equity of each of `poker.hands.HANDS` against each quarter of starting hands, the best first."""


def load() -> Tables:
    """Return the shipped tables; ValueError if the file is not the one that this version was built with."""
    return load_pinned(Tables, TABLE_FILE, TABLE_SHA256, "card_envs.poker.sampled_equity_tables")


def build() -> Tables:
    """Compute the tables."""
    rows = np.zeros(len(HANDS), np.dtype((np.record, [("values", np.float32, (1 + QUARTERS,))])))
    _sample_all(HANDS.astype(np.int64), rows)
    return Tables(np.ascontiguousarray(rows["values"][:, 1:]))


@kernel
def _sample_all(hands: Any, rows: Any) -> None:
    for j in range(hands.shape[0]):
        write_sampled_equities(hands[j, 0], hands[j, 1], np.int64(0), np.int64(0), rows[j], 0)


if __name__ == "__main__":
    write_pinned(TABLE_FILE, build())
