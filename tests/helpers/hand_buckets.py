"""Buckets of hands drawn at random, and the hands of a board pair by pair."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import NUM_BINS, NUM_GROUPS, NUM_STARTING_HANDS, HandBuckets
from card_envs.poker.hands import NUM_HANDS


def some_buckets(width: int = 4, seed: int = 0) -> HandBuckets:
    """Return buckets that mean nothing, but tell hands apart."""
    rng = np.random.default_rng(seed)
    flop = rng.integers(0, width * width, (1755, NUM_HANDS)).astype(np.uint16)
    trees = [rng.random((1 + width, features, width)).astype(np.float32) for features in (NUM_BINS - 1, NUM_GROUPS)]
    trees[1] = trees[1] * 2 - 1
    return HandBuckets(flop, *trees, rng.integers(0, NUM_GROUPS, NUM_STARTING_HANDS))


def some_turn(width: int = 4, seed: int = 1) -> NDArray[np.uint16]:
    """Return buckets of all hands on all turn boards, which mean nothing either."""
    return np.random.default_rng(seed).integers(0, width * width, (16_432, NUM_HANDS)).astype(np.uint16)


def pairs_of(ranked: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return which places can be held together, and 1 where the first beats the second, -1 where it loses."""
    num = int(ranked.num_hands)
    a, b, rank = ranked.first[:num], ranked.second[:num], ranked.rank[:num]
    apart = [first[:, None] != second[None] for first in (a, b) for second in (a, b)]
    together = np.logical_and.reduce(apart).astype(np.float64)
    return together, together * np.sign(rank[None] - rank[:, None])
