"""`env()` behaves as `raw_env()` inside PettingZoo's three standard wrappers, whatever is done to it."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from card_envs import IllegalActionError
from card_envs.envs import ENVS, make_env, make_raw_env
from card_envs.text import FORMS, ActionTextError

SHOWN = ("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "_cumulative_rewards")
EnvLogger.get_logger().setLevel("CRITICAL")  # it also keeps its warnings in a list, which is what is compared here
Call = tuple[str, Callable[[AECEnv], Any]]


def stacked(env_id: str) -> AECEnv:
    env: AECEnv = make_raw_env(env_id)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))


def outcome(env: AECEnv, call: Call) -> tuple[type[BaseException] | None, bool, Any]:
    """What a call does: the exception that it raises, whether it warns, what it returns."""
    EnvLogger.flush()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            returned, raised = call[1](env), None
        except Exception as error:
            returned, raised = None, type(error)
    return raised, bool(caught) or bool(EnvLogger.mqueue), returned


def shown(env: AECEnv) -> dict[str, Any]:
    values = {name: getattr(env, name) for name in SHOWN}
    if not env.agents:
        del values["agent_selection"]  # PettingZoo leaves a leaver there
    return values


def same_observation(one: Any, other: Any) -> bool:
    return all(np.array_equal(one[key], other[key]) for key in ("observation", "action_mask"))


def step(action: Any) -> Call:
    return f"step({action!r})", lambda env: env.step(action)


def last(observe: bool) -> Call:
    return f"last(observe={observe})", lambda env: env.last(observe=observe)[1:4]


def random_call(rng: random.Random, env: AECEnv, illegal: bool) -> Call:
    """Mostly what leads on: legal actions while alive, None when dead. Else anything that people do to environments."""
    if not env.agents:
        return rng.choice([step(None), step(0), step(99_999), ("reset()", lambda env: env.reset())])
    agent = env.agent_selection
    dead = env.terminations[agent] or env.truncations[agent]
    legal = np.flatnonzero(env.infos[agent]["action_mask"]).tolist()
    roll = rng.random()
    if roll < 0.7:
        return step(None if dead else rng.choice([int, np.int64, np.int32])(rng.choice(legal)))
    if roll < 0.82 and illegal:
        return step(rng.randrange(env.action_space(agent).n))
    if roll < 0.88:
        return step(rng.choice([None, -1, -2, 99_999, 2**70, 0.0, 1.5, float("nan"), "1", [1], np.float32(1)]))
    other = rng.choice(env.possible_agents)
    return rng.choice(
        [
            last(True),
            last(False),
            (f"observe({other})", lambda env: env.observe(other)["observation"].tolist()),
            ("state()", lambda env: env.state().tolist()),
            ("next(agent_iter())", lambda env: next(iter(env.agent_iter()))),
            ("agent_iter(0)", lambda env: list(env.agent_iter(0))),
        ]
    )


def assert_same(theirs: AECEnv, ours: AECEnv, call: Call, history: list[str]) -> None:
    history.append(call[0])
    raised, warned, returned = outcome(theirs, call)
    our_raised, our_warned, our_returned = outcome(ours, call)
    assert (our_raised is None) == (raised is None), (history, raised, our_raised)
    if raised is not None:
        assert issubclass(our_raised, raised), (history, raised, our_raised)
    assert our_warned == warned, history
    assert our_returned == returned, history


@pytest.mark.parametrize("env_id", ENVS)
def test_random_scripts(env_id: str) -> None:
    rng = random.Random(env_id)
    theirs, ours = stacked(env_id), make_env(env_id)
    calls = 0
    ends = {"illegal": 0, "regular": 0}
    for script in range(20):
        for env in (theirs, ours):
            env.reset(seed=script)
        history: list[str] = []
        while calls < 150 * (script + 1):
            calls += 1
            alive = ours.agents and not any(ours.terminations.values())
            call = random_call(rng, ours, illegal=script % 2 == 1)
            assert_same(theirs, ours, call, history)
            assert shown(theirs) == shown(ours), history
            if ours.agents and any(ours.terminations.values()) and alive:
                ends["illegal" if any(ours.truncations.values()) else "regular"] += 1
            elif ours.agents and not any(ours.terminations.values()):
                assert same_observation(theirs.last()[0], ours.last()[0]), history
    assert min(ends.values()) > 3, ends


BEFORE_RESET: list[Call] = [
    step(0),
    step(None),
    ("observe", lambda env: env.observe("player_0")),
    ("state", lambda env: env.state()),
    ("render", lambda env: env.render()),
    ("agent_iter", lambda env: env.agent_iter()),
    ("last", lambda env: env.last()),
    *((name, lambda env, name=name: getattr(env, name)) for name in (*SHOWN, "infos", "no_such_thing")),
    ("close", lambda env: env.close()),
    ("max_num_agents", lambda env: env.max_num_agents),
    ("observation_space", lambda env: env.observation_space("player_0")),
]


@pytest.mark.parametrize("call", BEFORE_RESET, ids=[name for name, _ in BEFORE_RESET])
def test_before_reset(call: Call) -> None:
    assert_same(stacked("leduc_holdem-v0"), make_env("leduc_holdem-v0"), call, [])


def test_a_loop_without_a_step_raises() -> None:
    for env in (stacked("kuhn_poker-v0"), make_env("kuhn_poker-v0")):
        env.reset(seed=1)
        with pytest.raises(AssertionError, match="agent_iter"):
            for _ in env.agent_iter():
                env.last()


@pytest.mark.parametrize("env_id", ENVS)
def test_after_an_illegal_action_nobody_is_to_act(env_id: str) -> None:
    env, legal = make_env(env_id, render_mode="ansi"), make_env(env_id, render_mode="ansi")
    for one in (env, legal):
        one.reset(seed=1)
        while one.infos[one.agent_selection]["action_mask"].all():
            one.step(1)
    names, before, agent = env.action_names(), env.render(), env.agent_selection
    state, marked = env.state(), [line for line in str(before).splitlines() if line.endswith(" <")]
    assert len(marked) == 1 and marked[0].startswith(agent)
    illegal = int(np.flatnonzero(env.infos[agent]["action_mask"] == 0)[0])
    with pytest.warns(UserWarning, match=rf"illegal action, the episode ends: {agent}: .*legal: "):
        env.step(illegal)
    for agents_left in (True, False):
        assert env.action_names() == {}
        for answer in names.values():
            with pytest.raises(ActionTextError, match=r"the deal is over$"):
                env.parse_action(answer)
        with pytest.raises(IllegalActionError, match="the episode is over"):
            env.action_name(next(iter(names)))
        for reader in env.possible_agents:
            for form in FORMS:
                assert "Legal" not in env.prompt(reader, form) and "-1" not in env.prompt(reader, form)
        shown = str(env.render())
        assert " <" not in shown and "-1" not in shown
        assert np.array_equal(env.state(), state)
        while agents_left and env.agents:
            env.step(None)
    for one in (env, legal):
        one.reset()
    assert env.render() == legal.render() and env.action_names() == legal.action_names() != {}
