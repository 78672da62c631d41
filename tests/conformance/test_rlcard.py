"""RLCard: its agents play our games, and the environment keeps the promises that they rely on."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rlcard", reason="RLCard is not installed: pip install 'card-envs[rlcard]'")

import rlcard
from rlcard.agents import DQNAgent, NFSPAgent, RandomAgent
from rlcard.models.limitholdem_rule_models import LimitholdemRuleAgentV1
from rlcard.utils import reorganize, tournament

from card_envs.envs import ENVS, make_raw_env
from card_envs.game import IllegalActionError
from card_wrappers.rlcard import LIMIT_ACTIONS, RLCardEnv, make_env
from tests.helpers.processes import run_python

RLCARD_RULES: dict[str, Any] = {"rules": "rlcard", "encoder": "rlcard", "max_raises": (4, 4, 4, 4)}
every_id = pytest.mark.parametrize("env_id", ENVS)


@every_id
def test_random_agents_play_every_environment(env_id: str) -> None:
    env = make_env(env_id, seed=1)
    env.set_agents([RandomAgent(env.num_actions) for _ in range(env.num_players)])
    for _ in range(10):
        trajectories, payoffs = env.run()
        assert payoffs.sum() == pytest.approx(0) and env.is_over()
        assert len(trajectories) == env.num_players
        for trajectory in trajectories:
            for state in trajectory[::2]:
                assert state["obs"].shape == tuple(env.state_shape[0])
                assert set(state["legal_actions"]) <= set(range(env.num_actions))
                assert len(state["legal_actions"]) == len(state["raw_legal_actions"])


@every_id
def test_deals_are_those_of_the_aec_environment(env_id: str) -> None:
    ours, env, rng = make_raw_env(env_id), make_env(env_id, seed=7), random.Random(7)
    ours.reset(seed=7)
    for _ in range(10):
        state, seat = env.reset()
        while not env.is_over():
            observation = ours.last()[0]
            assert ours.agent_selection == f"player_{seat}"
            assert np.array_equal(observation["observation"], state["obs"])
            action = rng.choice(list(state["legal_actions"]))
            move = {"fold": 0, "call": 1, "check": 1, "raise": 2}[LIMIT_ACTIONS[action]] if env.is_limit else action
            assert observation["action_mask"][move]
            assert observation["action_mask"].sum() == len(state["legal_actions"])
            ours.step(move)
            state, seat = env.step(action)
        assert env.get_payoffs().tolist() == pytest.approx(list(ours.rewards.values()))
        ours.reset()


@pytest.mark.parametrize("settings", [{}, RLCARD_RULES], ids=["standard", "rlcard"])
def test_the_rule_agent_of_rlcard_plays(settings: dict[str, Any]) -> None:
    """It folds where checking is free, which the standard rules do not offer, and there it checks."""
    env = make_env("limit_holdem-v0", seed=2, **settings)
    env.set_agents([LimitholdemRuleAgentV1(), RandomAgent(env.num_actions)])
    wins = tournament(env, 200)
    assert sum(wins) == pytest.approx(0) and any(wins)


@pytest.mark.parametrize(
    "env_id", ["limit_holdem-v0", "no_limit_holdem-v0", pytest.param("big2-v0", marks=pytest.mark.slow)]
)
def test_dqn_and_nfsp_train(env_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = make_env(env_id, seed=3)
    shape: dict[str, Any] = {"num_actions": env.num_actions, "state_shape": env.state_shape[0]}
    dqn = DQNAgent(mlp_layers=[16], replay_memory_init_size=16, batch_size=8, train_every=8, device="cpu", **shape)
    nfsp = NFSPAgent(
        hidden_layers_sizes=[16],
        q_mlp_layers=[16],
        reservoir_buffer_capacity=500,
        min_buffer_size_to_learn=16,
        batch_size=8,
        q_replay_memory_init_size=16,
        q_batch_size=8,
        device="cpu",
        **shape,
    )
    env.set_agents([dqn, nfsp, *[RandomAgent(env.num_actions) for _ in range(env.num_players - 2)]])
    for _ in range(8):
        nfsp.sample_episode_policy()
        trajectories, payoffs = env.run(is_training=True)
        trajectories = reorganize(trajectories, payoffs)
        for agent, transitions in zip((dqn, nfsp), trajectories, strict=False):
            for transition in transitions:
                agent.feed(transition)
    assert dqn.total_t > 0 and nfsp.total_t > 0
    assert env.run(is_training=False)[1].sum() == pytest.approx(0)


def test_step_back_restores_everything() -> None:
    env = make_env("limit_holdem-v0", seed=5, allow_step_back=True)
    _, seat = env.reset()
    assert env.step_back() is False
    before = env.get_state(seat)
    env.step("call", raw_action=True)
    state, again = env.step_back()
    assert again == seat and np.array_equal(state["obs"], before["obs"]) and env.action_recorder == []
    for given in ({"allow_step_back": "no"}, {"config": {"allow_step_back": "no"}}):
        with pytest.raises(ValueError, match="allow_step_back 'no' must be True or False"):
            make_env("limit_holdem-v0", **given)
    with pytest.raises(RuntimeError, match="allow_step_back=True"):
        make_env("limit_holdem-v0").step_back()


def test_raw_states_are_written_as_rlcard_writes_them() -> None:
    env = make_env("limit_holdem-v0", seed=0, **RLCARD_RULES)
    state, seat = env.reset({"button": 1, "deck": [51, 4, 0, 7, 20, 21, 22]})
    assert (seat, state["raw_obs"]["hand"]) == (0, ["SA", "C3"])
    assert state["raw_legal_actions"] == ["call", "raise", "fold"] and list(state["legal_actions"]) == [0, 1, 2]
    env.step(0)
    state, seat = env.step("check", raw_action=True)
    assert state["raw_obs"]["public_cards"] == ["C7", "D7", "H7"] and state["raw_obs"]["all_chips"] == [2, 2]
    assert state["raw_legal_actions"] == ["raise", "fold", "check"]
    assert state["action_record"] == [(0, "call"), (1, "check")]


def test_options_are_for_one_deal() -> None:
    env = make_env("limit_holdem-v0", seed=0)
    env.reset({"stacks": [20, 20]})
    assert [sum(chips) for chips in _chips(env)] == [20, 20]
    env.reset()
    assert [sum(chips) for chips in _chips(env)] == [200, 200]
    with pytest.warns(UserWarning, match=r"reset options \['cards'\] are ignored"):
        env.reset({"cards": []})


def test_a_deal_without_a_decision_is_dealt_again_with_its_options() -> None:
    env = make_env("no_limit_holdem-v0", num_players=3, ante=1, seed=0)
    for _ in range(6):  # with player_0 on the button, antes and blinds put all others all-in
        _, seat = env.reset({"stacks": [1, 2, 200]})
        assert seat >= 0 and not env.is_over() and [sum(chips) for chips in _chips(env)] == [1, 2, 200]
    with pytest.raises(RuntimeError, match=r"no seat had a decision in 1000 deals .*stacks"):
        env.reset({"stacks": [1, 1, 1]})


def _chips(env: Any) -> list[tuple[int, int]]:
    raw = env.get_state(0)["raw_obs"]
    return list(zip(raw["all_chips"], raw["stakes"], strict=True))


def test_folding_by_name_where_it_is_free_checks_and_all_else_raises() -> None:
    env = make_env("limit_holdem-v0", seed=1)
    env.reset()
    with pytest.raises(IllegalActionError, match=r"action 3 is not one of \{0: 'call', 1: 'raise', 2: 'fold'\}"):
        env.step(3)
    with pytest.raises(IllegalActionError, match=r"action 0\.9 is not one of"):
        env.step(0.9)
    with pytest.raises(IllegalActionError, match="action 'bluff' is not one of"):
        env.step("bluff", raw_action=True)
    env.step(0)
    env.step("fold", raw_action=True)  # the big blind has the option
    assert not env.is_over() and env.action_recorder[-1][1] == "check"


@pytest.mark.parametrize("action", [[1], {}, np.array([1, 2]), True, None, 1.0])
@pytest.mark.parametrize("raw_action", [False, True])
def test_actions_of_other_types_are_illegal(action: Any, raw_action: bool) -> None:
    env = make_env("no_limit_holdem-v0", seed=1)
    before = env.reset()[0]["raw_obs"]
    with pytest.raises(IllegalActionError, match="is not one of"):
        env.step(action, raw_action)
    assert env.get_state(env.get_player_id())["raw_obs"] == before


def test_an_action_without_a_deal_is_refused() -> None:
    env = make_env("kuhn_poker-v0", seed=1)
    with pytest.raises(IllegalActionError, match=r"has not begun: call reset\(\)"):
        env.step(0)


def test_seeds() -> None:
    def cards(env: RLCardEnv) -> list[Any]:
        return [env.reset()[0]["raw_obs"]["hand"] for _ in range(5)]

    assert cards(make_env("limit_holdem-v0", seed=1)) == cards(make_env("limit_holdem-v0", seed=1))
    assert cards(make_env("limit_holdem-v0", seed=1)) != cards(make_env("limit_holdem-v0", seed=2))


@pytest.mark.parametrize("seat", [2, -1, 10**9, None, "0", 0.0, True, [0]])
def test_states_of_seats_that_do_not_exist_are_refused(seat: Any) -> None:
    """Compiled code reads beside the table for another seat, and ends the process for a text."""
    env = make_env("leduc_holdem-v0", seed=np.int8(1))
    env.reset()
    with pytest.raises(ValueError, match=r"player_id .* must be a seat in 0\.\.1"):
        env.get_state(seat)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="stale_first_state is a fault of RLCard's limit hold'em"):
        make_env("limit_holdem-v0", stale_first_state=True)
    with pytest.raises(TypeError, match="has no setting 'game_num_players'"):
        make_env("limit_holdem-v0", game_num_players=3)


def test_actions_are_taken_when_python_optimises() -> None:
    program = (
        "from card_wrappers.rlcard import make_env\n"
        "env = make_env('limit_holdem-v0', seed=1)\n"
        "env.reset()\n"
        "env.step('fold', raw_action=True)\n"
        "print(env.is_over())\n"
    )
    assert run_python("-O", "-c", program).stdout == "True\n"


def test_rlcard_makes_every_environment_from_its_own_dictionary() -> None:
    config = {"seed": 3, "allow_step_back": True, "game_num_players": 3}
    env = rlcard.make("card_envs/leduc_holdem-v0", config=config)
    other = make_env("leduc_holdem-v0", 3, num_players=3)
    assert (env.num_players, env.allow_step_back) == (3, True)
    assert np.array_equal(env.reset()[0]["obs"], other.reset()[0]["obs"])
    assert make_env("leduc_holdem-v0", config={"seed": 3}).card_game.num_seats == 2
    with pytest.raises(TypeError, match="config 'x' must be a dictionary"):
        make_env("leduc_holdem-v0", config="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"\['num_players'\] stand in config and beside it"):
        make_env("leduc_holdem-v0", config=config, num_players=2)


def test_ids_registered_later_are_known_too() -> None:
    assert all(f"card_envs/{env_id}" in rlcard.envs.registration.registry.env_specs for env_id in ENVS)
