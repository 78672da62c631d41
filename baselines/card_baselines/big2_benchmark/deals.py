"""The 10,000 deals of the Big 2 benchmark, as a file that other packages can read.

`deals.npz` holds one array `owner`, uint8 of shape (10000, 52): `owner[d, c]` is the seat 0 .. 3 that is dealt card c
in deal d, where cards are numbered 3D 3C 3H 3S 4D ... 2S. In this package deal d is that of seed `SEED` and table
number d; `write_deals` writes the file.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_envs.envs import make_game
from card_envs.files import replace_file

FILE = Path(__file__).with_name("deals.npz")
NUM_DEALS = 10_000
SEED = 20181010
"""Seed of the deals and of the agents' random numbers."""
DEALS_SHA256 = "66cda5995432e814c20995186214e4f1fd597c91cc66612030b90b9cd8ffb6a4"
"""SHA-256 of the bytes of `owner`, row by row."""

_DECK_SIZE = 52


def load_deals() -> NDArray[np.uint8]:
    """Return the seat of every card in every deal, shape (10000, 52), cards in the order 3D 3C 3H 3S 4D ... 2S.

    Raises:
        ValueError: The file is not the one that this version of the benchmark plays.
    """
    with np.load(FILE, allow_pickle=False) as arrays:
        owner = np.asarray(arrays["owner"], np.uint8)
    if (found := hash_deals(owner)) != DEALS_SHA256:
        raise ValueError(f"{FILE} holds deals {found}, the benchmark needs {DEALS_SHA256}: reinstall card-envs")
    return owner


def hash_deals(owner: NDArray[np.uint8]) -> str:
    """Return the SHA-256 of deals as hexadecimal digits."""
    return hashlib.sha256(owner.tobytes()).hexdigest()


def deal_from_seed(count: int) -> NDArray[np.uint8]:
    """Return the first `count` deals from the seed, as matches deal them; shape (count, 52) as in `load_deals`."""
    game = make_game("big2-v0")
    tables = game.seeded_tables(count, SEED)
    game.deal_batch(tables, np.arange(count))
    cards = tables["held"] | tables["played"]  # dealing leads 3D
    has_card = cards[:, :, None] >> np.arange(_DECK_SIZE) & 1
    return np.asarray(has_card.argmax(axis=1), np.uint8)


def require_same_deals(count: int) -> None:
    """Raise ValueError unless the first `count` deals of this machine are those of the file."""
    if (deal_from_seed(count) != load_deals()[:count]).any():
        raise ValueError(f"seed {SEED} does not give the deals of {FILE}: results would not compare with others")


def write_deals() -> str:
    """Write the file of the deals and return its hash, the value of `DEALS_SHA256`."""
    owner = deal_from_seed(NUM_DEALS)
    with replace_file(FILE) as temporary:
        np.savez_compressed(temporary, owner=owner)
    return hash_deals(owner)
