"""Whatever takes a game takes an environment id as well, and play is the same."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pydoc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from card_baselines.secret_deals import with_secret
from card_envs import make_game, make_vector, warmup
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.analysis.exploitability.local_best_response import play_local_best_response
from card_envs.envs import ENVS, EnvEntry, UnknownSettingError, as_game, make_env, make_raw_env
from card_envs.game import Game
from card_envs.match import play_match
from card_wrappers import gymnasium

LEDUC = "leduc_holdem-v0"


def both() -> list[Any]:
    return [LEDUC, make_game(LEDUC)]


def test_matches_and_exploitability() -> None:
    played = [play_match(game, ["cfr", "random"], 200, seed=0) for game in both()]
    assert played[0].names == ("cfr", "random") and (played[0].payoffs == played[1].payoffs).all()
    assert [exact_exploitability(game, "random").nash_conv for game in both()] == [pytest.approx(4.7472, abs=1e-4)] * 2
    limit = play_local_best_response("limit_holdem-v0", "always_call", hands=8, seed=0)
    assert limit.names[1] == "always_call" and limit.hands == 8


def test_the_same_name_twice_is_two_agents() -> None:
    assert play_match("kuhn_poker-v0", ["random", "random"], 10, seed=0).names == ("random", "random")


def first_of_sb3(game: Any) -> Any:
    pytest.importorskip("stable_baselines3")
    from card_wrappers.sb3 import CardVecEnv

    return CardVecEnv(game, 4, seed=1).reset()


FIRST_OBSERVATIONS: dict[str, Callable[[Any], Any]] = {
    "vector": lambda game: make_vector(game, 4, seed=1).reset().observation,
    "gymnasium": lambda game: gymnasium.CardEnv(game).reset(seed=1)[0]["observation"],
    "gymnasium vector": lambda game: gymnasium.CardVectorEnv(game, 4).reset(seed=1)[0]["observation"],
    "stable-baselines3": first_of_sb3,
}


@pytest.mark.parametrize("kind", FIRST_OBSERVATIONS)
def test_environments(kind: str) -> None:
    first, second = (np.asarray(FIRST_OBSERVATIONS[kind](game)) for game in both())
    assert (first == second).all()


def test_settings_are_given_with_an_id() -> None:
    assert make_vector("limit_holdem-v0", 2, num_players=3).game.num_seats == 3


def test_rlcard() -> None:
    pytest.importorskip("rlcard")
    from card_wrappers.rlcard import RLCardEnv, make_env

    assert {make(game, seed=1).name for make in (RLCardEnv, make_env) for game in both()} == {"leduc_holdem"}


@pytest.mark.parametrize("num_tables", [10**12, 10**19])
def test_too_many_tables_say_what_they_take(num_tables: int) -> None:
    for make in (make_vector, gymnasium.CardVectorEnv):
        with pytest.raises(MemoryError, match=r"a table of leduc_holdem takes [\d,]+ bytes, so .* GiB; choose fewer"):
            make(LEDUC, num_tables)


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(TypeError, match="3 is no game: pass an environment id such as"):
        as_game(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"has its settings already: pass its id with \['stacks'\]"):
        make_vector(make_game(LEDUC), 2, stacks=5)
    with pytest.raises(ValueError, match="did you mean 'leduc_holdem-v0'"):
        play_match("leduc_holdm-v0", ["random", "random"], 2, seed=0)
    with pytest.raises(TypeError, match="None is no environment id: pass a text such as"):
        make_game(None)  # type: ignore[arg-type]


def make_with_any_settings(**settings: Any) -> Game:
    return make_game(LEDUC, **settings)


def test_a_function_may_take_any_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    location = f"{__name__}:{make_with_any_settings.__name__}"
    monkeypatch.setitem(ENVS, "any-v0", EnvEntry("any-v0", "Any-v0", location, "any settings"))
    assert make_game("any-v0", num_players=2) == make_game(LEDUC)
    with pytest.raises(UnknownSettingError, match="leduc_holdem-v0 has no setting 'seats'"):
        make_game("any-v0", seats=2)


def test_games_without_decisions_cannot_be_warmed_up() -> None:
    with pytest.raises(RuntimeError, match=r"nobody had a decision in .* deals: stacks are too small for the blinds"):
        warmup("no_limit_holdem-v0", stacks=[1, 1])


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("pathlib:PurePosixPath", "wrong-v0: PurePosixPath returned a PurePosixPath, not a card_envs.game.Game"),
        ("math:pi", "wrong-v0: math:pi is 3.14159.*, not a function that returns a game"),
        ("os:system", "wrong-v0: system cannot make a game: missing .*'command'; pass it as a setting"),
    ],
)
def test_what_makes_no_game_is_refused(location: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENVS, "wrong-v0", EnvEntry("wrong-v0", "Wrong-v0", location, "no game"))
    with pytest.raises(ValueError, match=message):
        make_game("wrong-v0")


@pytest.mark.parametrize("env_id", ENVS)
def test_help_shows_the_rules_of_the_game(env_id: str) -> None:
    module = importlib.import_module(f"card_envs.{env_id.replace('-', '_')}")
    for made, same in ((module.env, make_env), (module.raw_env, make_raw_env)):
        env = made()
        assert type(env) is type(same(env_id)) is type(pickle.loads(pickle.dumps(env)))
        assert inspect.getmodule(env.unwrapped) is module
        rules = inspect.getdoc(env)
        assert rules == inspect.getdoc(module) and rules.startswith(f"`{env_id}`")
        assert "Actions:" in rules and "Rewards:" in rules
        assert rules.splitlines()[2] in pydoc.render_doc(env, renderer=pydoc.plaintext)
    assert len({inspect.getdoc(make_env(each)) for each in ENVS}) == len(ENVS)


@pytest.mark.parametrize("env_id", ENVS)
def test_games_that_were_made_alike_are_equal(env_id: str) -> None:
    game = make_game(env_id)
    assert game == make_game(env_id) == pickle.loads(pickle.dumps(game)) == copy.copy(game)
    assert hash(game) == hash(make_game(env_id)) and len({game, make_game(env_id)}) == 1
    assert game != env_id and game not in [make_game(other) for other in ENVS if other != env_id]
    for change in ({"chips_per_reward": 7}, {"features": {"chance": None}}, {"deal": None}):
        assert game != replace(game, **change)
    assert with_secret(game, b"a" * 16) != game


def test_settings_encoders_and_types_make_other_games() -> None:
    make = partial(make_game, "limit_holdem-v0")
    games = [make(), make(num_players=3), make(stacks=50), make(encoder="bits"), make(encoder="bits", dtype="int8")]
    assert len(set(games)) == len(games)
    assert make(encoder="bits", dtype="int8") == games[-1]
