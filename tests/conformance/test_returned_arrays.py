"""Arrays and dicts that a caller gets are its own: an environment writes into none, and reads none that was changed."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from card_envs import make_game, make_vector
from card_envs.envs import ENVS, make_env, make_raw_env
from card_envs.text import TextTable
from card_wrappers.gymnasium import CardEnv, CardVectorEnv

STEPS, TABLES = 40, 6
Steps = Iterator[Any]
"""Yields what an environment returns, step by step; each part may be changed by the reader."""


def scribble(given: Any) -> None:
    """Change every array, list and dict in something that an environment returned."""
    if isinstance(given, np.ndarray) and given.dtype != object:
        if given.flags.writeable:
            given[...] = 1 - given if given.dtype == np.int8 else 77 if given.dtype != np.bool_ else ~given
        return
    if isinstance(given, dict):
        for value in given.values():
            scribble(value)
        given.clear()
    elif isinstance(given, (list, tuple, np.ndarray)):
        for value in given:
            scribble(value)
        if isinstance(given, list):
            given.append("scribbled")


def assert_same(mine: Any, theirs: Any) -> None:
    np.testing.assert_equal(without_object_arrays(mine), without_object_arrays(theirs))


def without_object_arrays(given: Any) -> Any:
    """Return lists in place of tuples and of arrays of objects, which NumPy does not compare."""
    if isinstance(given, dict):
        return {key: without_object_arrays(value) for key, value in given.items()}
    if isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.dtype == object):
        return [without_object_arrays(value) for value in given]
    return given


def leaves_arrays_alone(play: Callable[..., Steps], is_kept: bool = True) -> Callable[..., None]:
    """Make a test of a function that yields what an environment returns.

    It plays twice with the same seed; after each step, it scribbles over what the second play returned. What the first
    one returned must be as it was at the end, too; not where `is_kept` is False.
    """

    @functools.wraps(play)
    def test(**arguments: Any) -> None:
        kept = []
        for untouched, given in zip(play(**arguments), play(**arguments), strict=True):
            assert_same(copy.deepcopy(given), untouched)
            kept.append((untouched, copy.deepcopy(untouched)))
            scribble(given)
        assert len(kept) >= STEPS
        for untouched, before in kept if is_kept else []:
            assert_same(untouched, before)

    return test


def pick(mask: Any, rng: np.random.Generator, illegal: float) -> int:
    """Return a random legal action of a mask, or rarely an illegal one."""
    wanted = 0 if rng.random() < illegal and not np.all(mask) else 1
    return int(rng.choice(np.flatnonzero(np.asarray(mask) == wanted)))


every_id = pytest.mark.parametrize("env_id", ENVS)


@every_id
@pytest.mark.parametrize("make", [make_env, make_raw_env])
@leaves_arrays_alone
def test_aec(env_id: str, make: Callable[..., Any]) -> Steps:
    env, rng = make(env_id), np.random.default_rng(0)
    env.reset(seed=1)
    for _ in range(STEPS):
        agent = env.agent_selection
        observation, reward, termination, truncation, info = env.last()
        others = [env.observe(name) for name in env.agents if name != agent]
        action = None if termination or truncation else pick(observation["action_mask"], rng, 0.0)
        yield observation, reward, termination, info, others, env.state()
        yield env.last(), env.observe(agent)
        env.step(action)
        if not env.agents:
            env.reset()


def test_masks_of_agents_that_are_not_to_act_cannot_be_changed() -> None:
    env = make_raw_env("leduc_holdem-v0")
    env.reset(seed=1)
    waiting = next(agent for agent in env.agents if agent != env.agent_selection)
    with pytest.raises(ValueError, match="read-only"):
        env.infos[waiting]["action_mask"][:] = 1


@every_id
@pytest.mark.parametrize("illegal_action", ["penalty", "random", "raise"])
@leaves_arrays_alone
def test_gymnasium(env_id: str, illegal_action: str) -> Steps:
    illegal = 0.0 if illegal_action == "raise" else 0.3
    env, rng = CardEnv(env_id, illegal_action=illegal_action), np.random.default_rng(0)
    observation, info = env.reset(seed=1)
    for _ in range(STEPS):
        action = pick(observation["action_mask"], rng, illegal)
        masks = env.action_masks()
        yield observation, info, masks
        observation, reward, over, _, info = env.step(action)
        yield reward, over, env.action_masks(), env.action_names()
        if over:
            yield observation, info
            observation, info = env.reset()


def pick_all(masks: Any, rng: np.random.Generator, illegal: float) -> np.ndarray:
    return np.array([pick(mask, rng, illegal) for mask in masks])


@every_id
@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
@pytest.mark.parametrize("illegal", [0.0, 0.2])
@leaves_arrays_alone
def test_gymnasium_vector(env_id: str, mode: str, illegal: float) -> Steps:
    envs, rng = CardVectorEnv(env_id, TABLES, autoreset_mode=mode, render_mode="ansi"), np.random.default_rng(0)
    envs.np_random = np.random.default_rng(3)
    observation, info = envs.reset(seed=1)
    for k in range(STEPS):
        actions = pick_all(observation["action_mask"], rng, illegal)
        yield observation, info, envs.action_masks(), list(envs.render()) if k % 10 == 0 else None
        observation, rewards, over, _, info = envs.step(actions)
        if mode == "Disabled" and over.any():
            half = over & (np.arange(TABLES) % 2 == 0)  # in two parts: the others still show their end
            first = over.copy()
            yield observation, rewards, over, info
            if half.any() and not half.all():
                yield envs.reset(options={"reset_mask": half})
            observation, info = envs.reset(options={"reset_mask": first})
        else:
            yield rewards, over


@leaves_arrays_alone
def test_gymnasiums_own_vector_environments() -> Steps:
    envs = gymnasium.make_vec("card_envs:card_envs/LeducHoldem-v0", num_envs=TABLES, vectorization_mode="sync")
    rng = np.random.default_rng(0)
    observation, info = envs.reset(seed=1)
    for _ in range(STEPS):
        assert observation["action_mask"].any(axis=1).all()
        actions = pick_all(observation["action_mask"], rng, 0.1)
        yield observation, info
        observation, rewards, over, _, info = envs.step(actions)
        yield rewards, over


@every_id
@pytest.mark.parametrize("illegal_action", ["penalty", "raise"])
@pytest.mark.parametrize("with_mask", [True, False])
@leaves_arrays_alone
def test_stable_baselines3(env_id: str, illegal_action: str, with_mask: bool) -> Steps:
    sb3 = pytest.importorskip("card_wrappers.sb3", reason="Stable-Baselines3 is not installed", exc_type=ImportError)
    illegal = 0.0 if illegal_action == "raise" else 0.2
    game, rng = make_game(env_id), np.random.default_rng(0)
    tables = sb3.CardVecEnv(
        game, TABLES, seed=1, mask_in_observation=with_mask, illegal_action=illegal_action
    )  # fmt: skip
    observation = tables.reset()
    for _ in range(STEPS):
        actions = pick_all(tables.action_masks(), rng, illegal)
        yield observation, tables.action_masks()
        observation, rewards, dones, infos = tables.step(actions)
        for info in infos:
            if "episode" in info:
                info["episode"].pop("t")  # seconds since the start
                if with_mask:
                    assert info["terminal_observation"]["action_mask"].all()
        yield rewards, dones, [dict(info) for info in infos], infos


@every_id
@leaves_arrays_alone
def test_batched_engine(env_id: str) -> Steps:
    tables, rng = make_vector(env_id, TABLES, seed=1), np.random.default_rng(0)
    batch = tables.reset()
    for k in range(STEPS):
        actions = tables.sample_actions() if k % 2 else pick_all(batch.action_mask, rng, 0.0)
        chosen = actions.copy()
        yield *batch, actions, tables.state() if k % 10 == 0 else None
        batch = tables.step(chosen)


@every_id
@leaves_arrays_alone
def test_text(env_id: str) -> Steps:
    table, rng = TextTable(make_game(env_id)), np.random.default_rng(0)
    table.reset(seed=1)
    for _ in range(STEPS):
        if table.is_over:
            table.reset()
        names = table.action_names()
        words = names[int(rng.choice(sorted(names)))]
        yield names, table.view(table.seat), table.rewards, table.prompt()
        table.answer(words)
        yield table.rewards, table.is_over


@every_id
@leaves_arrays_alone
def test_rlcard(env_id: str) -> Steps:
    rlcard = pytest.importorskip("card_wrappers.rlcard", reason="RLCard is not installed", exc_type=ImportError)
    env, rng = rlcard.make_env(env_id, seed=1, allow_step_back=True), np.random.default_rng(0)
    state, player = env.reset()
    for k in range(STEPS):
        action = rng.choice(list(state["legal_actions"])) if not env.is_over() else None
        perfect = env.get_perfect_information()
        yield state, player, perfect, env.get_payoffs()
        state, player = env.reset() if action is None else env.step(action)
        if k % 7 == 3 and not env.is_over() and env.action_recorder:
            state, player = env.step_back()


@every_id
@functools.partial(leaves_arrays_alone, is_kept=False)  # OpenSpiel's observers have one tensor
def test_openspiel(env_id: str) -> Steps:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    import card_wrappers.openspiel  # noqa: F401  registers the games

    game = pyspiel.load_game("card_envs_" + env_id.partition("-")[0])
    observer, rng = game.make_py_observer(), np.random.default_rng(0)
    state = game.new_initial_state()
    for _ in range(STEPS):
        if state.is_terminal():
            yield state.returns(), state.history()
            state = game.new_initial_state()
        outcomes = state.chance_outcomes() if state.is_chance_node() else []
        legal = state.legal_actions()
        action = outcomes[rng.integers(len(outcomes))][0] if outcomes else legal[rng.integers(len(legal))]
        player = 0 if outcomes else state.current_player()
        observer.set_from(state, player)
        tensor = state.observation_tensor(player) if game.get_type().provides_observation_tensor else None
        yield observer.tensor, dict(observer.dict), outcomes, legal, tensor, state.legal_actions_mask()
        state.apply_action(action)
