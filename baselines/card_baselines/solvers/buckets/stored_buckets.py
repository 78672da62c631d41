"""How hand abstractions are stored in the files of strategies, and what finds the buckets of hands."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.canonical_hands import CanonicalHands
from card_baselines.solvers.buckets.equity_buckets import EquityBuckets
from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.buckets.lookup import BucketFinder
from card_envs.poker.hands import NUM_HANDS

_CANONICAL = "canonical_hands"

Buckets = HandBuckets | EquityBuckets | CanonicalHands


def to_stored_arrays(buckets: Buckets) -> dict[str, Any]:
    """Return the arrays for `np.savez`; the large one is compressed. Canonical hands need none but a name."""
    if isinstance(buckets, CanonicalHands):
        return {_CANONICAL: np.array(True)}
    if isinstance(buckets, EquityBuckets):
        return {"bounds": buckets.bounds.astype(np.float32)}
    flop = np.frombuffer(lzma.compress(buckets.flop.astype(np.uint16).tobytes(), preset=9), np.uint8)
    return vars(buckets) | {"flop": flop}


def from_stored_arrays(data: Mapping[str, NDArray[Any]]) -> Buckets:
    """Return the buckets of `to_stored_arrays`; other entries of `data` are ignored."""
    if _CANONICAL in data:
        return CanonicalHands()
    if "bounds" in data:
        return EquityBuckets(data["bounds"].astype(np.float64))
    tables = {name: data[name] for name in HandBuckets.__annotations__}
    tables["flop"] = np.frombuffer(lzma.decompress(tables["flop"].tobytes()), np.uint16).reshape(-1, NUM_HANDS)
    return HandBuckets(**tables)


def make_finder(buckets: Buckets) -> BucketFinder | EquityBuckets | CanonicalHands:
    """Return an object that finds the buckets of hands at tables and on boards."""
    return BucketFinder(buckets) if isinstance(buckets, HandBuckets) else buckets
