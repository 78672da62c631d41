"""One random stream per table: xoshiro256++ (Blackman and Vigna, 2019), seeded by splitmix64.

A stream is the field `rng` (four uint64) of a table's record. The random numbers at a table depend on the seed and the
table number only, not on the number of tables. Streams of different tables start from hashed states: they are distinct,
and an overlap is possible but irrelevant among 2**256 states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel

__all__ = ["STREAM", "next_uint64", "random_below", "random_unit", "seed_streams", "splitmix64"]

STREAM = ("rng", np.uint64, (4,))
"""The record field that holds a stream."""
SEED_SCALE = 2.0**53
"""Factor that makes a seed, a whole number of 53 bits, of a random number in [0, 1)."""

_U64 = np.uint64
_GOLDEN, _MIX_1, _MIX_2 = _U64(0x9E3779B97F4A7C15), _U64(0xBF58476D1CE4E5B9), _U64(0x94D049BB133111EB)
_S17, _S23, _S27, _S30, _S31, _S32, _S41, _S45, _S19, _S11 = (_U64(s) for s in (17, 23, 27, 30, 31, 32, 41, 45, 19, 11))
_LOW_32 = _U64(0xFFFFFFFF)


@kernel
def splitmix64(x: Any) -> Any:
    """Return the splitmix64 hash of the uint64 `x`."""
    z = x + _GOLDEN
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def seed_stream(t: Any, seed: Any, table: Any) -> None:
    """Start the stream of record `t` from a uint64 seed and a uint64 table number."""
    x = splitmix64(splitmix64(seed) ^ (table * _MIX_1))
    for k in range(4):
        x = splitmix64(x)
        t.rng[k] = x


@kernel
def next_uint64(t: Any) -> Any:
    """Return the next 64 random bits of record `t`'s stream."""
    s0, s1, s2, s3 = t.rng[0], t.rng[1], t.rng[2], t.rng[3]
    total = s0 + s3
    result = ((total << _S23) | (total >> _S41)) + s0
    shifted = s1 << _S17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << _S45) | (s3 >> _S19)
    t.rng[0], t.rng[1], t.rng[2], t.rng[3] = s0, s1, s2, s3
    return result


@kernel
def random_below(t: Any, bound: Any) -> Any:
    """Return a uniform integer in [0, bound), bound < 2**31, exact (Lemire 2019, with rejection)."""
    n = _U64(bound)
    product = (next_uint64(t) >> _S32) * n
    low = product & _LOW_32
    if low < n:
        threshold = (_LOW_32 + _U64(1) - n) % n
        while low < threshold:
            product = (next_uint64(t) >> _S32) * n
            low = product & _LOW_32
    return np.int64(product >> _S32)


@kernel
def random_unit(t: Any) -> Any:
    """Return a uniform float64 in [0, 1) with 53 random bits."""
    return to_unit(next_uint64(t))


@kernel
def to_unit(bits: Any) -> Any:
    """Return the upper 53 bits of a uint64 as a float64 in [0, 1)."""
    return np.float64(bits >> _S11) * 2.0**-53


@kernel
def seed_streams(tables: Any, seed: Any, first_table: Any) -> None:
    """Start the streams of all `tables`; table i of the array gets the number `first_table` + i."""
    for i in range(tables.shape[0]):
        seed_stream(tables[i], _U64(seed), _U64(first_table) + _U64(i))


def random_seed() -> int:
    """Return an unpredictable seed, 64 random bits of the operating system."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def wrap_seed(seed: int) -> int:
    """Return a seed, any integer of Python or NumPy, modulo 2**64; ValueError for anything else."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, (bool, np.timedelta64)):
        raise ValueError(f"seed {seed!r} must be a whole number")
    return int(seed) % 2**64


def make_generator(seed: int, *purpose: int) -> np.random.Generator:
    """Return NumPy's generator for a seed, which may be any integer, and non-negative numbers that name a purpose."""
    return np.random.default_rng([wrap_seed(seed), *purpose])


def derive_seed(seed: int, *purpose: int) -> int:
    """Return a seed below 2**32 for a purpose, which has other random streams than `seed` and than other purposes.

    Args:
        seed: Any integer.
        purpose: Non-negative numbers that name the purpose.

    Example:
        >>> derive_seed(0, 1), derive_seed(0, 2)
        (3964924996, 3141116543)
    """
    return int(np.random.SeedSequence([wrap_seed(seed), *purpose]).generate_state(1)[0])


def seeded_streams(count: int, seed: int) -> NDArray[Any]:
    """Return random streams that belong to no table: records (count,) with the fields `number` and `rng`.

    A stream depends on the seed, any integer, and its own number only.
    """
    # the number comes first because Numba treats a record as a subtype of any record that it begins with
    streams = np.zeros(count, np.dtype((np.record, [("number", np.uint64), STREAM])))
    streams["number"] = np.arange(count)
    seed_streams(streams, np.uint64(wrap_seed(seed)), np.uint64(0))
    return streams
