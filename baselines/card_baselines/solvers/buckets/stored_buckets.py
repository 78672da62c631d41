"""How the tables of `HandBuckets` are stored in the files of strategies."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_envs.poker.hands import NUM_HANDS


def to_stored_arrays(buckets: HandBuckets) -> dict[str, Any]:
    """Return the arrays for `np.savez`; the large one is compressed."""
    flop = np.frombuffer(lzma.compress(buckets.flop.astype(np.uint16).tobytes(), preset=9), np.uint8)
    return vars(buckets) | {"flop": flop}


def from_stored_arrays(data: Mapping[str, NDArray[Any]]) -> HandBuckets:
    """Return the buckets of `to_stored_arrays`; other entries of `data` are ignored."""
    tables = {name: data[name] for name in HandBuckets.__annotations__}
    tables["flop"] = np.frombuffer(lzma.decompress(tables["flop"].tobytes()), np.uint16).reshape(-1, NUM_HANDS)
    return HandBuckets(**tables)
