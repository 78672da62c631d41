"""Deals that players cannot predict from the cards they see, for games with people.

A seed has at most 64 bits: a player who sees some of the dealt cards could try seeds until one fits, and know the cards
to come. Here the random stream of each table starts from a keyed hash (BLAKE2b) of its seeded state, under a
secret key of 256 bits.
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
    """Return 32 random bytes of the operating system."""
    return secrets.token_bytes(SECRET_BYTES)


def with_secret(game: Game, secret: bytes) -> Game:
    """Return the game with deals that depend on a secret, besides seed and table number.

    Args:
        game: Any game.
        secret: 16 to 64 bytes, as `new_secret` returns them.

    Raises:
        ValueError: For a secret of another length.
    """
    if not _FEWEST_BYTES <= len(secret) <= hashlib.blake2b.MAX_KEY_SIZE:
        raise ValueError(f"a secret has {_FEWEST_BYTES} to {hashlib.blake2b.MAX_KEY_SIZE} bytes, not {len(secret)}")

    def start(tables: Tables) -> None:
        for i in range(len(tables)):
            state = _hash_with_key(secret, b"deal", tables["rng"][i].astype("<u8").tobytes(), 32)
            tables["rng"][i] = np.frombuffer(state, "<u8")
        game.start(tables)

    return replace(game, start=start)


def secret_uniform(secret: bytes, *numbers: int) -> float:
    """Return a random number in [0, 1), determined by a secret and integers below 2**64."""
    digest = _hash_with_key(secret, b"uniform", b"".join(number.to_bytes(8, "little") for number in numbers), 8)
    return (int.from_bytes(digest, "little") >> 11) * 2.0**-53


def secret_generator(secret: bytes, *numbers: int) -> np.random.Generator:
    """Return a random generator, determined by a secret and integers below 2**64."""
    digest = _hash_with_key(secret, b"generator", b"".join(number.to_bytes(8, "little") for number in numbers), 32)
    return np.random.default_rng(int.from_bytes(digest, "little"))


def _hash_with_key(secret: bytes, purpose: bytes, data: bytes, size: int) -> bytes:
    return hashlib.blake2b(data, digest_size=size, key=secret, person=purpose).digest()
