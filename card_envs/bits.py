"""Sets as bits of whole numbers: cards, seats, action ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel

_ODD_BITS, _BIT_PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_LOW_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_1, _2, _4, _56 = (np.uint64(shift) for shift in (1, 2, 4, 56))

_BYTE, _BYTE_BITS = 0xFF, 8
_PLACES_IN_BYTE: NDArray[np.int64] = np.zeros((_BYTE + 1, _BYTE_BITS), np.int64)
"""[byte, k]: place of the k-th bit that is set in a byte, counted from the lowest."""
for _byte in range(_BYTE + 1):
    _places = [place for place in range(_BYTE_BITS) if _byte >> place & 1]
    _PLACES_IN_BYTE[_byte, : len(_places)] = _places


@kernel
def bit_count(bits: Any) -> Any:
    """Return the number of bits set in an int64; the compiler knows this formula and emits one instruction."""
    x = np.uint64(bits)
    x = x - ((x >> _1) & _ODD_BITS)
    x = (x & _BIT_PAIRS) + ((x >> _2) & _BIT_PAIRS)
    x = (x + (x >> _4)) & _LOW_NIBBLES
    return np.int64((x * _BYTES) >> _56)


@kernel
def lowest_bit(bits: Any) -> Any:
    """Return the place of the lowest bit set in an int64; 64 where none is."""
    return bit_count(~bits & (bits - 1))


@kernel
def nth_bit(bits: Any, n: Any) -> Any:
    """Return the place of the n-th bit set in a number of at most 16 bits; the lowest is the 0th. It must exist."""
    low = bits & _BYTE
    in_low = bit_count(low)
    if n < in_low:
        return _PLACES_IN_BYTE[low, n]
    return _BYTE_BITS + _PLACES_IN_BYTE[bits >> _BYTE_BITS, n - in_low]
