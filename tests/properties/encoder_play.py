"""Random hold'em hands and what every encoder makes of them, compiled or not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import is_legal
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import ENCODERS
from card_envs.games.holdem.state import CALL, FOLD
from card_envs.observation import Encoder, mask_records, observation_records
from card_envs.rng import seed_streams
from tests.helpers.wide_games import MASK_WIDTH, WIDTH

UNWRITTEN = -7


class Observer:
    """Buffers for one seat's observation, longer than needed and filled with a number that no encoder writes."""

    def __init__(self, encoder: Encoder, config: HoldemConfig) -> None:
        self.encoder, self.config = encoder, config
        self.size = encoder.layout(config).size
        self.numbers = np.empty((1, WIDTH), np.float32)
        self.mask = np.empty((1, max(MASK_WIDTH, config.num_actions)), np.int8)
        self._records = observation_records(self.numbers), mask_records(self.mask)

    def look(self, tables: Any, seat: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return what the seat sees of table 0, and its mask; nothing may be written behind the end."""
        self.numbers[:], self.mask[:] = UNWRITTEN, UNWRITTEN
        self.encoder.observe(tables, 0, seat, *self._records)
        assert not self.numbers[0, self.size :].any()
        return self.numbers[0, : self.size].copy(), self.mask[0, : self.config.num_actions].copy()


def encoders_of(config: HoldemConfig) -> list[Encoder]:
    """Return the encoders that serve a game."""
    return [encoder for encoder in ENCODERS.values() if serves(encoder, config)]


def serves(encoder: Encoder, config: HoldemConfig) -> bool:
    """Return True if the encoder has a layout for the game."""
    try:
        encoder.layout(config)
    except ValueError:
        return False
    return True


def choose(rng: random.Random, config: HoldemConfig, t: Any) -> int:
    """Return a random legal action: few folds and many calls, so that hands reach the river."""
    roll = rng.random()
    if roll < 0.08 and is_legal(t, FOLD):
        return FOLD
    raises = [action for action in range(2, config.num_actions) if is_legal(t, action)] if roll > 0.5 else []
    return rng.choice(raises) if raises else CALL


def new_tables(config: HoldemConfig, num_tables: int, seed: int, first_table: int = 0) -> Any:
    tables = config.new_tables(num_tables)
    seed_streams(tables, np.uint64(seed), np.uint64(first_table))
    kernels.start(tables)
    return tables


def random_states(config: HoldemConfig, seed: int) -> Iterator[Any]:
    """Yield one table, as an array of one, before every decision and at the end of random hands, forever."""
    rng = random.Random(seed)
    tables = new_tables(config, 1, seed)
    while True:
        kernels.deal(tables, 0)
        while not tables[0].is_over:
            yield tables
            assert kernels.step(tables, 0, choose(rng, config, tables[0])) != ILLEGAL
        yield tables
