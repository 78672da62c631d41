"""Bad input to environments: a message that names the value and what is allowed, and a table as it was."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from card_envs import IllegalActionError, make_game
from card_envs.aec import GameAEC, ResetNeededError
from card_envs.envs import ENVS, find_entry, make_env, make_raw_env

every_id = pytest.mark.parametrize("env_id", ENVS)
NAN = float("nan")


def started(env_id: str, **settings: Any) -> GameAEC:
    env = make_raw_env(env_id, **settings)
    env.reset(seed=4)
    return env


def shown(env: GameAEC) -> tuple[Any, ...]:
    """Everything that a call might have changed."""
    return (
        env._tables.tobytes(),
        list(env.agents),
        env.agent_selection,
        dict(env.rewards),
        dict(env.terminations),
        dict(env.truncations),
        env.last()[0]["observation"].tobytes() if env.agents else None,
    )


@every_id
@pytest.mark.parametrize(
    ("action", "message"),
    [
        (NAN, "action nan of type float is not an id: pass a whole number"),
        (1.0, "action 1.0 of type float is not an id"),
        (np.float32(1), "of type float32 is not an id"),
        (True, "action True of type bool is not an id"),
        (np.True_, "of type bool is not an id"),
        ("1", "action '1' of type str is not an id"),
        (None, "action None of type NoneType is not an id"),
        ([1], r"action \[1\] of type list is not an id"),
        (np.array([1]), "of type ndarray is not an id"),
        (-1, r"player_\d: .*action -1 is outside 0\.\."),
        (99_999, r"player_\d: .*action 99999 is outside 0\.\."),
        (2**70, "of type int is not an id"),
        (-(2**70), "of type int is not an id"),
    ],
)
def test_what_is_no_action(env_id: str, action: Any, message: str) -> None:
    env = started(env_id)
    before = shown(env)
    with pytest.raises(IllegalActionError, match=message):
        env.step(action)
    assert shown(env) == before


@every_id
@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int64, np.uint64, np.array])
def test_every_whole_number_is_an_action(env_id: str, kind: Any) -> None:
    env, other = started(env_id), started(env_id)
    action = int(np.flatnonzero(env.last()[0]["action_mask"])[0])
    env.step(kind(action))
    other.step(action)
    assert shown(env) == shown(other)


@every_id
def test_illegal_ids_say_what_is_legal(env_id: str) -> None:
    env, illegal = started(env_id), 0
    rng = np.random.default_rng(0)
    for _ in range(60):
        mask = env.last()[0]["action_mask"]
        for action in np.flatnonzero(mask == 0)[:5].tolist():
            illegal += 1
            before = shown(env)
            with pytest.raises(IllegalActionError, match=rf"^{env.agent_selection}: .*legal: "):
                env.step(action)
            assert shown(env) == before
        env.step(int(rng.choice(np.flatnonzero(mask))))
        if any(env.terminations.values()):
            env.reset()
    assert illegal > 10


@every_id
def test_acting_after_the_end(env_id: str) -> None:
    env = started(env_id)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    before = shown(env)
    for action in (0, 1, -1, "x"):
        with pytest.raises(IllegalActionError, match=r"after the end of the episode: pass None, or call reset\(\)"):
            env.step(action)
    assert shown(env) == before
    for _ in env.possible_agents:
        env.step(None)
    for action in (0, None):
        with pytest.raises(IllegalActionError, match=r"all agents have left: call reset\(\)"):
            env.step(action)
    for observe in (True, False):
        with pytest.raises(ResetNeededError, match=r"all agents have left: call reset\(\)"):
            env.last(observe)
    env.reset()
    assert env.agents == env.possible_agents


@every_id
def test_action_names_are_for_ids_of_the_agent_to_act(env_id: str) -> None:
    env = make_raw_env(env_id)
    with pytest.raises(ResetNeededError, match=r"call reset\(\) before action_name\(\)"):
        env.action_name(1)
    env.reset(seed=4)
    for action in (-1, env.game.num_actions, 99_999):
        with pytest.raises(IllegalActionError, match=rf"action {action} is outside 0\.\.{env.game.num_actions - 1}$"):
            env.action_name(action)
        assert env.game.action_name(env._tables, 0, action) == f"action {action}"
    for wrong in (NAN, 1.0, "1", None, 2**70):
        with pytest.raises(IllegalActionError, match="is not an id"):
            env.action_name(wrong)
    while not any(env.terminations.values()):
        legal = env.action_names()
        assert {action: env.action_name(action) for action in legal} == legal
        env.step(next(iter(legal)))
    with pytest.raises(
        IllegalActionError, match=r"action 1: the episode is over and no agent is to act; call reset\(\)"
    ):
        env.action_name(1)


def test_raises_that_are_not_legal_have_no_amount() -> None:
    limit = make_raw_env("limit_holdem-v0")
    limit.reset(seed=4)
    while limit.infos[limit.agent_selection]["action_mask"][2]:
        assert limit.action_name(2).startswith(("raise to ", "bet "))
        limit.step(2)
    assert limit.action_name(2) == "action 2"
    no_limit = started("no_limit_holdem-v0", bet_menu="chips:3,8,16,all_in")
    assert [no_limit.action_name(action) for action in range(2, 6)] == [
        "action 2", "raise to 8", "raise to 16", "raise to 200 all-in",
    ]  # fmt: skip


@every_id
def test_last_before_reset(env_id: str) -> None:
    for make in (make_raw_env, make_env):
        env = make(env_id)
        for one in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            with pytest.raises(ResetNeededError, match=r"call reset\(\) before last\(\)") as caught:
                one.last()
            assert isinstance(caught.value, AttributeError) and not hasattr(one, "agent_selection")
            one.reset(seed=1)
            one.last()


def test_unknown_agents() -> None:
    env = started("kuhn_poker-v0")
    for agent in ("player_2", "Player_0", None):
        for method in (env.observe, env.observation_space, env.action_space):
            with pytest.raises(ValueError, match=r"agent .* is not known: choose one of \['player_0', 'player_1'\]"):
                method(agent)


SETTINGS: list[tuple[str, dict[str, Any], str]] = [
    ("limit_holdem-v0", {"encoder": "simple"}, r"encoder 'simple' is not known: choose one of \['bits', 'default'"),
    ("limit_holdem-v0", {"encoder": []}, r"encoder \[\] is not known"),
    ("limit_holdem-v0", {"rules": "house"}, "rules 'house' are not known: choose one of"),
    ("limit_holdem-v0", {"rules": []}, r"rules \[\] are not known"),
    ("big2-v0", {"encoder": "equity"}, "encoder 'equity' is not known: choose one of"),
    ("limit_holdem-v0", {"num_players": 1}, r"num_players 1 must be a whole number in 2 \.\. 10"),
    ("limit_holdem-v0", {"num_players": 11}, "num_players 11 must be"),
    ("limit_holdem-v0", {"num_players": 2.0}, r"num_players 2\.0 must be"),
    ("limit_holdem-v0", {"num_players": True}, "num_players True must be"),
    ("kuhn_poker-v0", {"num_players": 20}, r"num_players 20: Kuhn poker is for 2 \.\. 10 players"),
    *(("big2-v0", {"rules": bad}, "rules .* are not known: choose one of") for bad in ([], {}, None)),
    ("big2-v0", {"straights": ["hong_kong"]}, r"straights \['hong_kong'\] is not known: choose one of"),
    ("kuhn_poker-v0", {"num_players": np.timedelta64(2, "s")}, r"num_players .* must be a whole number|is for 2"),
    ("limit_holdem-v0", {"max_raises": 3}, "max_raises 3 must be a list"),
    (
        "limit_holdem-v0",
        {"max_raises": (1, 2)},
        r"max_raises \(1, 2\) must name a whole number in 0 .. 126 for each of",
    ),
    ("limit_holdem-v0", {"max_raises": (1, 2, 3, 0.5)}, "must name a whole number in 0 .. 126 for each"),
    ("limit_holdem-v0", {"max_raises": (1, 2, 3, -1)}, "must name a whole number in 0 .. 126 for each"),
    ("no_limit_holdem-v0", {"stacks": 0}, "stack 0 of player_0 must be a whole number of chips in 1"),
    ("no_limit_holdem-v0", {"stacks": -5}, "stack -5 of player_0"),
    ("no_limit_holdem-v0", {"stacks": 2.5}, "stacks 2.5 must be a whole number of chips, or a list"),
    ("no_limit_holdem-v0", {"stacks": NAN}, "stacks nan must be a whole number of chips, or a list"),
    ("no_limit_holdem-v0", {"stacks": "200"}, "stacks '200' must be a whole number of chips, or a list"),
    ("no_limit_holdem-v0", {"stacks": [200]}, r"stacks \[200\] are 1 numbers for 2 players"),
    ("no_limit_holdem-v0", {"stacks": [200, NAN]}, "stack nan of player_1 must be a whole number"),
    ("no_limit_holdem-v0", {"stacks": [200, 10**12]}, "stack 1000000000000 of player_1 must be"),
    ("no_limit_holdem-v0", {"small_blind": 4}, "small_blind 4 and big_blind 2 must be whole, 0 <= small <= big"),
    ("no_limit_holdem-v0", {"big_blind": NAN}, "big_blind nan must be whole"),
    ("no_limit_holdem-v0", {"ante": -1}, "-1 must be a whole number of chips"),
    ("no_limit_holdem-v0", {"structure": "spread"}, "structure 'spread' is not known: choose one of"),
    ("no_limit_holdem-v0", {"bet_menu": "fcx"}, "bet_menu 'fcx' is not known: write letters such as 'fchpa'"),
    ("no_limit_holdem-v0", {"bet_menu": [0.5, -1]}, "must lie in 0.001 .. 100"),
    ("no_limit_holdem-v0", {"bet_menu": [NAN]}, "must lie in 0.001 .. 100"),
    ("no_limit_holdem-v0", {"bet_menu": ["big"]}, "bet_menu: 'big' in pot fractions is not a number"),
    *(
        (
            "no_limit_holdem-v0",
            {"bet_menu": f"chips:{amount},8"},
            rf"raise-to amounts \[{shown}, 8\.0\] must be whole numbers of chips in 1 \.\. \d+",
        )
        for amount, shown in (("4.5", r"4\.5"), ("inf", "inf"), ("-inf", "-inf"), ("nan", "nan"), ("0", r"0\.0"))
    ),
    ("no_limit_holdem-v0", {"bet_menu": "chips:8,8"}, r"\(8, 8\) must be at most \d+ different sizes"),
    ("no_limit_holdem-v0", {"bet_menu": "chips:4,x"}, "'x' in 'chips:4,x' is not a number"),
    ("no_limit_holdem-v0", {"bet_menu": None}, "bet_menu None must be a list"),
]


@pytest.mark.parametrize(("env_id", "settings", "message"), SETTINGS)
def test_bad_settings(env_id: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_game(env_id, **settings)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
@pytest.mark.parametrize(
    ("env_id", "settings"),
    [
        ("kuhn_poker-v0", {"num_players": 3}),
        ("limit_holdem-v0", {"num_players": 3, "stacks": 120, "small_blind": 40, "big_blind": 80}),
        ("limit_holdem-v0", {"max_raises": [3, 4, 4, 4], "ante": 1}),
        ("no_limit_holdem-v0", {"num_players": 6, "stacks": [100] * 6, "bet_menu": "integers"}),
        ("flop_holdem-v0", {"bet_sizes": [1, 2], "max_raises": [3, 3]}),
        ("flop_holdem-v0", {"small_blind": 50, "big_blind": 100}),
        ("big2-v0", {"double_from": 10, "points_per_two": 100}),
    ],
)
def test_integers_of_numpy_are_those_of_python(env_id: str, settings: dict[str, Any], kind: Any) -> None:
    """No product of two settings overflows at 256, and no difference of unsigned ones below 0."""
    numbers = {
        name: np.array(value, kind) if isinstance(value, list) else kind(value) if isinstance(value, int) else value
        for name, value in settings.items()
    }
    game, expected = make_game(env_id, **numbers), make_game(env_id, **settings)
    assert repr(game.config) == repr(expected.config)
    assert (game.max_reward, game.position_names) == (expected.max_reward, expected.position_names)


@every_id
def test_unknown_settings_list_the_known_ones(env_id: str) -> None:
    for make in (make_raw_env, make_env):
        told = r"has no setting 'colour' \(unexpected keyword argument 'colour'\): known are \[.*'encoder'"
        with pytest.raises(TypeError, match=told):
            make(env_id, colour="red")


def test_unknown_ids_name_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"'limt_holdem-v0' is not known \(did you mean 'limit_holdem-v0'\?\)"):
        make_game("limt_holdem-v0")


def test_an_id_without_a_version_is_the_newest_version(monkeypatch: pytest.MonkeyPatch) -> None:
    for version in (9, 10, 2):
        entry = replace(ENVS["kuhn_poker-v0"], id=f"kuhn_poker-v{version}")
        monkeypatch.setitem(ENVS, entry.id, entry)
    assert find_entry("kuhn_poker").id == find_entry("card_envs/kuhn_poker").id == "kuhn_poker-v10"
    assert find_entry("kuhn_poker-v9").id == "kuhn_poker-v9"


OPTIONS: list[tuple[str, dict[str, Any], str]] = [
    *(("no_limit_holdem-v0", {"button": bad}, "must be a seat in 0..1") for bad in (-1, 2, 0.0, NAN, "0", True, [0])),
    ("no_limit_holdem-v0", {"stacks": [200, 0]}, "stack 0 of player_1"),
    ("no_limit_holdem-v0", {"stacks": [200, -3]}, "stack -3 of player_1"),
    ("no_limit_holdem-v0", {"stacks": [200, 2.5]}, "stack 2.5 of player_1"),
    ("no_limit_holdem-v0", {"stacks": [1, 2, 3]}, r"stacks \[1, 2, 3\] are 3 numbers for 2 players"),
    ("no_limit_holdem-v0", {"stacks": None}, "stacks None must be a whole number of chips, or a list"),
    ("no_limit_holdem-v0", {"deck": [0, 0]}, r"deck\[1\] = 2c is in the deck twice"),
    ("no_limit_holdem-v0", {"deck": ["As", 51]}, r"deck\[1\] = As is in the deck twice"),
    ("no_limit_holdem-v0", {"deck": [52]}, r"deck\[0\] = 52 is not a card of this deck"),
    ("no_limit_holdem-v0", {"deck": [-1]}, r"deck\[0\] = -1 is not a card"),
    ("no_limit_holdem-v0", {"deck": [1.0]}, r"deck\[0\] = 1.0 is not a card"),
    ("no_limit_holdem-v0", {"deck": [True]}, r"deck\[0\] = True is not a card"),
    ("no_limit_holdem-v0", {"deck": ["1s"]}, "'1s' is not a card: write a rank of 23456789TJQKA"),
    ("no_limit_holdem-v0", {"deck": range(10)}, "deck has 10 cards, but a hand deals 9"),
    ("no_limit_holdem-v0", {"deck": 5}, "deck 5 must be a list"),
    ("no_limit_holdem-v0", {"deck": "AsKs"}, "deck 'AsKs' must be a list"),
    ("no_limit_holdem-v0", {"deck": np.array(5)}, r"deck array\(5\) must be a list"),
    ("no_limit_holdem-v0", {"deck": {1: 0, 2: 0}}, "deck {1: 0, 2: 0} must be a list"),
    ("no_limit_holdem-v0", {"stacks": {1: 500, 0: 700}}, "stacks {1: 500, 0: 700} must be a whole number .*or a list"),
    ("no_limit_holdem-v0", {"stacks": {100, 300}}, "stacks .* must be a whole number of chips, or a list"),
    ("no_limit_holdem-v0", {"stacks": np.array(7)}, r"stacks array\(7\) must be a whole number of chips, or a list"),
    ("kuhn_poker-v0", {"deck": ["2c"]}, r"is not a card of this deck \(3 cards\)"),
    ("big2-v0", {"hands": None}, "hands None must be a list"),
    ("big2-v0", {"hands": [range(13)] * 4}, "2c is dealt twice: to player_0 and to player_1"),
]  # fmt: skip


@pytest.mark.parametrize(("env_id", "options", "message"), OPTIONS)
@pytest.mark.parametrize("seed", [None, 8])
def test_bad_options_leave_the_deal_in_progress(
    env_id: str, options: dict[str, Any], message: str, seed: int | None
) -> None:
    env, undisturbed = started(env_id), started(env_id)
    before = shown(env)
    with pytest.raises(ValueError, match=message):
        env.reset(seed=seed, options=options)
    assert shown(env) == before
    env.reset()
    undisturbed.reset()
    assert shown(env) == shown(undisturbed)


@every_id
@pytest.mark.parametrize("seed", [1.0, NAN, "1", True, [1], np.timedelta64(1, "s")])
def test_bad_seeds(env_id: str, seed: Any) -> None:
    env = started(env_id)
    before = shown(env)
    with pytest.raises(ValueError, match=r"seed .* must be a whole number"):
        env.reset(seed=seed)
    assert shown(env) == before


def test_options_that_are_no_dict() -> None:
    env = started("kuhn_poker-v0")
    before = shown(env)
    with pytest.raises(TypeError, match="reset options 'deck' must be a dict"):
        env.reset(options="deck")
    assert shown(env) == before


def test_stacks_of_one_reset_do_not_stay() -> None:
    env = make_raw_env("no_limit_holdem-v0")
    env.reset(seed=1, options={"stacks": [30, 40]})
    env.reset()
    assert env._tables["stack"][0][:2].sum() + env._tables["pot"][0] == 400
