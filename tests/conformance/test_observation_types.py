"""Observations as other types of numbers: the same numbers in every environment, and a refusal where they cannot be."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

from card_envs import make_game, make_vector
from card_envs.envs import ENVS, make_env, make_raw_env
from card_envs.game import Game
from card_envs.observation import Block, Layout
from card_envs.observation_types import convert_layout, convert_observations
from card_envs.testing import check

BITS = {"encoder": "bits", "dtype": "int8"}
OTHER_TYPES: list[tuple[str, dict[str, Any], type]] = [
    ("limit_holdem-v0", BITS, np.int8),
    ("limit_holdem-v0", {"encoder": "rlcard", "dtype": "int8"}, np.int8),
    ("leduc_holdem-v0", BITS, np.int8),
    ("kuhn_poker-v0", BITS, np.int8),
    ("big2-v0", {"dtype": "float32"}, np.float32),
]
all_types = pytest.mark.parametrize(("env_id", "settings", "wanted"), OTHER_TYPES)


def usual(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "dtype"}


@all_types
def test_a_batch_shows_the_same_numbers(env_id: str, settings: dict[str, Any], wanted: type) -> None:
    cast, plain = make_vector(env_id, 50, seed=3, **settings), make_vector(env_id, 50, seed=3, **usual(settings))
    one, other = cast.reset(), plain.reset()
    assert one.observation.dtype == wanted != other.observation.dtype
    for _ in range(60):
        assert np.array_equal(one.observation, other.observation)
        assert np.array_equal(one.action_mask, other.action_mask)
        actions = plain.sample_actions()
        assert np.array_equal(cast.sample_actions(), actions)
        one, other = cast.step(actions), plain.step(actions)
    assert cast.tables.tobytes() == plain.tables.tobytes()


@pytest.mark.parametrize(("env_id", "settings", "wanted"), OTHER_TYPES[1:4])
def test_single_environments_declare_and_show_it(env_id: str, settings: dict[str, Any], wanted: type) -> None:
    raw, batch = make_raw_env(env_id, **settings), make_vector(env_id, 1, seed=5, **settings).reset()
    raw._tables = raw.game.seeded_tables(1, 5)
    raw.reset()
    seen = raw.observe(raw.agent_selection)
    space = raw.observation_space(raw.agent_selection)
    assert space.contains(seen) and seen["observation"].dtype == wanted
    assert np.array_equal(seen["observation"], batch.observation[0])
    assert make_env(env_id, **settings).observation_space("player_0") == space
    name = f"card_envs/{ENVS[env_id].gymnasium_id}"
    single, many = gymnasium.make(name, **settings), gymnasium.make_vec(name, num_envs=3, **settings)
    assert single.observation_space.contains(single.reset(seed=1)[0])
    assert many.observation_space.contains(many.reset(seed=1)[0])


@pytest.mark.parametrize("name", ["api", "spaces", "leaks", "batch"])
def test_promises_are_kept_in_int8(name: str) -> None:
    check(make_game("leduc_holdem-v0", **BITS), name, deals=2)


def test_a_game_is_pickled_with_its_type_and_without_its_kernels() -> None:
    game = make_game("limit_holdem-v0", **BITS)
    data = pickle.dumps(game)
    copy: Game = pickle.loads(data)
    assert copy.layout == game.layout and copy.encoder == game.encoder
    assert copy.encoder.observe_batch is game.encoder.observe_batch
    assert len(data) < 10_000
    assert convert_observations(copy, "float32").layout.dtype == np.float32
    assert copy.find_layout(copy.encoders["default"]).dtype == np.float32


@pytest.mark.parametrize(
    ("env_id", "settings", "message"),
    [
        ("limit_holdem-v0", {}, r"'default': dtype 'int8' holds .* fractions; encoders that can: \['bits', 'rlcard'\]"),
        ("no_limit_holdem-v0", {}, "encoders that can: none"),
        ("no_limit_holdem-v0", {"encoder": "rlcard"}, r"block 'my_commit' goes from 0 to 1.07374e\+08"),
        ("no_limit_holdem-v0", {"encoder": "bits"}, r"encoder 'bits' is for limit games .* use encoder 'default'"),
    ],
)
def test_numbers_that_a_type_cannot_hold_are_refused(env_id: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_vector(env_id, 4, dtype="int8", **settings)


def test_unknown_types_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^dtype 'float16' is not known: choose one of \['float32', 'int8'\]$"):
        make_game("big2-v0", dtype="float16")


def test_a_layout_of_whole_numbers_is_refused_where_they_are_too_large() -> None:
    layout = Layout((Block("low", 1, "", low=-200), Block("card", 2, "", high=51)), np.int16)
    with pytest.raises(ValueError, match="block 'low' goes from -200 to 1"):
        convert_layout(layout, "int8")
    assert convert_layout(layout, "float32").space.dtype == np.float32
