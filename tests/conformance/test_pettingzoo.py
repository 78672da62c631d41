"""PettingZoo's promises, and ours about masks, for every registered environment, with and without the conventions."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test

from card_envs.aec import GameAEC
from card_envs.envs import ENVS, make_env, make_raw_env
from tests.fuzz.copies import environment_copies
from tests.helpers.processes import run_python

Make = Callable[..., GameAEC]


def factories() -> list[Make]:
    modules = [import_module(f"card_envs.{env_id.replace('-', '_')}") for env_id in ENVS]
    return [getattr(module, name) for module in modules for name in ("env", "raw_env")]


every_env = pytest.mark.parametrize("make", factories(), ids=lambda make: f"{make.__module__[10:]}.{make.__name__}")


def random_turns(env: AECEnv, deals: int, seed: int = 0) -> Iterator[str]:
    """Play `deals` deals at random; at every turn, dead ones included, yield the agent before it moves."""
    rng = random.Random(seed)
    for deal in range(deals):
        env.reset(seed=seed if deal == 0 else None)
        for agent in env.agent_iter():
            yield agent
            observation, _, termination, truncation, _ = env.last()
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            env.step(None if termination or truncation else rng.choice(legal))


def through_pickle(env: GameAEC) -> GameAEC:
    twin: GameAEC = pickle.loads(pickle.dumps(env))
    return twin


@every_env
@pytest.mark.filterwarnings(r"ignore:reset options \['options'\] are ignored:UserWarning")  # api_test asks for it
def test_api(make: Make) -> None:
    api_test(make(), num_cycles=300)


@every_env
def test_seeds(make: Make) -> None:
    seed_test(make, num_cycles=100)


@pytest.mark.skipif(not hasattr(pettingzoo, "aec_registry"), reason="PettingZoo has a registry since 1.27")
@pytest.mark.parametrize("env_id", ENVS)
def test_registry(env_id: str) -> None:
    env = pettingzoo.make("aec", f"card_envs/{env_id}")
    env.reset(seed=0)
    assert str(env) == env_id.replace("-", "_") and isinstance(env.unwrapped, GameAEC)


def test_a_pettingzoo_without_registry_is_enough() -> None:
    program = (
        "import pettingzoo\n"
        "for name in ('aec_registry', 'register', 'make'):\n"
        "    vars(pettingzoo).pop(name, None)\n"
        "from card_envs import kuhn_poker_v0\n"
        "import gymnasium\n"
        "print(kuhn_poker_v0.env(), 'card_envs/KuhnPoker-v0' in gymnasium.registry)\n"
    )
    result = run_python("-c", program)
    assert result.stdout.split() == ["kuhn_poker_v0", "True"], result.stderr


@every_env
def test_every_turn_of_random_play(make: Make) -> None:
    """Masks, spaces and rewards of all agents; nothing warns in regular use."""
    env, on_turn = make(), 0
    spaces = {agent: env.observation_space(agent) for agent in env.possible_agents}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for agent in random_turns(env, deals=30):
            alive = not env.terminations[agent]
            on_turn += alive
            for other in env.agents:
                mask = env.observe(other)["action_mask"]
                assert mask.dtype == np.int8 and mask.shape == (env.action_space(other).n,)
                assert set(mask.tolist()) <= {0, 1} and mask.any() == (alive and other == agent)
                assert np.array_equal(env.infos[other]["action_mask"], mask)
            for other in env.possible_agents:
                assert env.observation_space(other) is spaces[other]
                assert spaces[other].contains(env.observe(other))
            assert env.state_space.contains(env.state())
            if alive:
                observation, *_, info = env.last()
                assert info["action_mask"] is observation["action_mask"]
                assert not any(env.rewards.values())
            elif len(env.agents) == len(env.possible_agents):
                assert any(env.rewards.values()) or env.unwrapped.game.unit != "points"  # pots of hold'em may be split
                assert sum(env.rewards.values()) == pytest.approx(0.0)
                assert all(type(value) is bool for value in (*env.terminations.values(), *env.truncations.values()))
    assert on_turn > 60


@every_env
def test_copies_keep_the_deal_in_progress_and_the_deals_to_come(make: Make) -> None:
    assert environment_copies(make, seed=5) > 50


@every_env
def test_unknown_options_only_warn(make: Make) -> None:
    env, plain = make(), make()
    with pytest.warns(UserWarning, match="'options'.* ignored: known are"):
        env.reset(seed=3, options={"options": 1})
    plain.reset(seed=3)
    assert np.array_equal(env.last()[0]["observation"], plain.last()[0]["observation"])


@every_env
def test_render_modes(make: Make) -> None:
    env = make(render_mode="ansi")
    for _ in random_turns(env, deals=2):
        text = env.render()
        assert isinstance(text, str) and all(agent in text for agent in env.possible_agents)
    env = make(render_mode="rgb_array")
    for turn, _ in enumerate(random_turns(env, deals=1)):
        if turn % 4 == 0:
            picture = env.render()
            assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3 and picture.std() > 1
    with pytest.raises(ValueError, match="render_mode 'svg' is not known: choose one of"):
        make(render_mode="svg")
    env = make()
    env.reset()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


@pytest.mark.parametrize("make", [make_env, make_raw_env])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, through_pickle])
def test_an_environment_is_copied_before_its_first_deal(make: Any, duplicate: Any) -> None:
    env = make("kuhn_poker-v0")
    twin = duplicate(env)
    for each in (env, twin):
        with pytest.raises(AttributeError, match="has no attribute 'agents'"):
            _ = each.agents
    env.reset(seed=3)
    twin.reset(seed=3)
    assert twin._tables.tobytes() == env._tables.tobytes()


@pytest.mark.parametrize("make", [make_env, make_raw_env])
def test_attributes_are_looked_up_the_fast_way(make: Any) -> None:
    env = make("kuhn_poker-v0")
    assert not hasattr(type(env), "__getattr__"), "a class with __getattr__ makes every step a fifth slower"
