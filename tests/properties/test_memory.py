"""Memory: what a table takes is stated, and a million of them fit."""

import numpy as np
import pytest

from card_envs.envs import ENVS, make_game

BYTES_PER_TABLE = {"holdem": 616, "big2": 2831}
"""At most, by the folder of the game."""


@pytest.mark.parametrize("env_id", ENVS)
def test_a_table_takes_no_more_than_stated(env_id: str) -> None:
    game = make_game(env_id)
    dtype = game.new_tables(1).dtype
    folder = type(game.config).__module__.split(".")[-2]
    assert dtype.itemsize <= BYTES_PER_TABLE[folder]


@pytest.mark.parametrize("env_id", ENVS)
def test_records_have_no_padding(env_id: str) -> None:
    dtype = make_game(env_id).new_tables(1).dtype
    assert dtype.itemsize == sum(dtype[name].itemsize for name in dtype.names or ())


@pytest.mark.slow
def test_a_million_holdem_tables_fit_and_are_dealt() -> None:
    game = make_game("limit_holdem-v0")
    tables = game.seeded_tables(1_000_000, seed=0)
    game.deal_batch(tables, np.arange(len(tables)))
    assert tables.nbytes == 616_000_000
    assert (tables["actor"] >= 0).all()
