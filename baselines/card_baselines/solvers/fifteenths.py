"""Probabilities in 15ths, four bits each: how strategies that ship with the package are stored."""

from __future__ import annotations

import lzma

import numpy as np
from numpy.typing import NDArray

WHOLE = 15
"""Denominator of the stored probabilities."""


def to_fifteenths(shares: NDArray[np.float64], smallest: float = 0.02) -> NDArray[np.int64]:
    """Return probabilities (actions, n) in 15ths, which sum to 15 for each column.

    Probabilities below `smallest` become 0, except the largest one.
    """
    shares = np.where((shares < smallest) & (shares < shares.max(axis=0)), 0, shares)
    ends = np.rint(np.cumsum(shares / shares.sum(axis=0), axis=0) * WHOLE).astype(np.int64)
    return np.asarray(np.diff(ends, axis=0, prepend=0), np.int64)


def compress(shares: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return numbers below 16 in compressed bytes, which `decompress` reads."""
    return np.frombuffer(lzma.compress(pack_pairs(shares).tobytes(), preset=9), np.uint8)


def decompress(packed: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Return the `size` numbers of `compress`."""
    return unpack_pairs(np.frombuffer(lzma.decompress(packed.tobytes()), np.uint8), size)


def pack_pairs(numbers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return numbers below 16 as bytes that hold two each."""
    even = np.append(numbers, np.uint8(0)) if len(numbers) % 2 else numbers
    return np.asarray(even[::2] << 4 | even[1::2], np.uint8)


def unpack_pairs(packed: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Return the first `size` numbers of `pack_pairs`."""
    return np.stack([packed >> 4, packed & 15], axis=1).reshape(-1)[:size]
