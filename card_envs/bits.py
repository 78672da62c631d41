"""Kernels for sets of cards, seats or action ids that are stored as the bits of an integer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel

_ODD_BITS, _BIT_PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_LOW_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_1, _2, _4, _56 = (np.uint64(shift) for shift in (1, 2, 4, 56))

_BYTE, _BYTE_BITS = 0xFF, 8
_SET_BITS: NDArray[np.int64] = np.zeros((_BYTE + 1, _BYTE_BITS), np.int64)
"""[byte, k]: index of the k-th set bit of a byte, counted from the lowest."""
for _byte in range(_BYTE + 1):
    _indices = [index for index in range(_BYTE_BITS) if _byte >> index & 1]
    _SET_BITS[_byte, : len(_indices)] = _indices


@kernel
def bit_count(bits: Any) -> Any:
    """Return the number of set bits of an int64; the compiler turns this formula into one instruction."""
    x = np.uint64(bits)
    x = x - ((x >> _1) & _ODD_BITS)
    x = (x & _BIT_PAIRS) + ((x >> _2) & _BIT_PAIRS)
    x = (x + (x >> _4)) & _LOW_NIBBLES
    return np.int64((x * _BYTES) >> _56)


@kernel
def lowest_bit(bits: Any) -> Any:
    """Return the index of the lowest set bit of an int64; 64 for zero."""
    return bit_count(~bits & (bits - 1))


@kernel
def nth_bit(bits: Any, n: Any) -> Any:
    """Return the index of the n-th set bit (from 0) of a number below 2**16, which must have more than n."""
    low = bits & _BYTE
    in_low = bit_count(low)
    if n < in_low:
        return _SET_BITS[low, n]
    return _BYTE_BITS + _SET_BITS[bits >> _BYTE_BITS, n - in_low]
