"""Deals that nobody can compute: for people who play, where a seed could be searched.

The stream of a table is seeded from 64 bits, and often fewer: who sees some of the dealt cards can try seeds until one
fits, and then knows the cards to come. Here a secret of 256 bits decides the deals: the state of each table's stream is
a keyed hash (BLAKE2b) of the seeded one. The cards of one deal then say nothing about those of another.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import replace

import numpy as np

from card_envs.game import Game, Tables

SECRET_BYTES = 32
_FEWEST_BYTES = 16


def new_secret() -> bytes:
    """Return 256 random bits of the operating system."""
    return secrets.token_bytes(SECRET_BYTES)


def with_secret(game: Game, secret: bytes) -> Game:
    """Return the game whose deals follow from a secret too, not from seed and table number alone.

    Args:
        game: Any game.
        secret: At least 16 bytes, such as those of `new_secret`. The same secret, seed and number give the same deal.
    """
    if not _FEWEST_BYTES <= len(secret) <= hashlib.blake2b.MAX_KEY_SIZE:
        raise ValueError(f"a secret has {_FEWEST_BYTES} to {hashlib.blake2b.MAX_KEY_SIZE} bytes, not {len(secret)}")

    def start(tables: Tables) -> None:
        for i in range(len(tables)):
            state = _keyed_hash(secret, b"deal", tables["rng"][i].astype("<u8").tobytes(), 32)
            tables["rng"][i] = np.frombuffer(state, "<u8")
        game.start(tables)

    return replace(game, start=start)


def secret_uniform(secret: bytes, *numbers: int) -> float:
    """Return a random number in [0, 1) that follows from a secret and some whole numbers, each below 2**64."""
    drawn = _keyed_hash(secret, b"uniform", b"".join(number.to_bytes(8, "little") for number in numbers), 8)
    return (int.from_bytes(drawn, "little") >> 11) * 2.0**-53


def secret_generator(secret: bytes, *numbers: int) -> np.random.Generator:
    """Return a random generator that follows from a secret and some whole numbers, each below 2**64."""
    drawn = _keyed_hash(secret, b"generator", b"".join(number.to_bytes(8, "little") for number in numbers), 32)
    return np.random.default_rng(int.from_bytes(drawn, "little"))


def _keyed_hash(secret: bytes, purpose: bytes, data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, digest_size=size, key=secret, person=purpose).digest()
