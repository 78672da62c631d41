"""RLlib: credit, masks and errors of the multi-agent environment, and PPO with masked actions.

RLlib pins one version of Gymnasium, so these tests want an environment of their own: see docs/frameworks/rllib.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from card_envs.envs import ENVS
from card_envs.game import IllegalActionError

pytestmark = pytest.mark.filterwarnings("default")  # Ray warns about itself


@pytest.fixture(scope="module")
def rllib() -> Any:
    reason = "Ray is not installed; it needs an environment of its own: pip install 'card-envs[rllib]'"
    pytest.importorskip("ray.rllib", reason=reason)
    import card_wrappers.rllib

    return card_wrappers.rllib


@pytest.fixture(scope="module")
def ray_session(rllib: Any) -> Iterator[None]:
    import ray

    ray.init(num_cpus=3, include_dashboard=False, ignore_reinit_error=True)
    yield
    ray.shutdown()


def play(env: Any, rng: np.random.Generator, seed: int) -> tuple[dict[str, float], set[str]]:
    """Play a deal at random; return the summed rewards and who has acted."""
    observations, _ = env.reset(seed=seed)
    total: dict[str, float] = {}
    acted: set[str] = set()
    while True:
        ((agent, seen),) = observations.items()
        assert env.observation_spaces[agent].contains(seen) and seen["action_mask"].any()
        acted.add(agent)
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        observations, rewards, terminations, truncations, _ = env.step({agent: action})
        assert not truncations["__all__"] and set(rewards) == set(observations)
        for name, reward in rewards.items():
            total[name] = total.get(name, 0.0) + reward
        if terminations["__all__"]:
            assert all(env.observation_spaces[name].contains(last) for name, last in observations.items())
            return total, acted


@pytest.mark.parametrize("env_id", ENVS)
def test_everybody_who_acted_is_paid_what_the_deal_paid(rllib: Any, env_id: str) -> None:
    env, rng = rllib.CardMultiAgentEnv({"env_id": env_id}), np.random.default_rng(0)
    for seed in range(30):
        total, acted = play(env, rng, seed)
        assert set(total) >= acted == {agent for agent, reward in total.items() if agent in acted}
        assert {agent: total[agent] for agent in acted} == {agent: env.env.rewards[agent] for agent in acted}


def test_illegal_actions_and_wrong_seats_say_what_to_do(rllib: Any) -> None:
    env = rllib.CardMultiAgentEnv({"env_id": "limit_holdem-v0"})
    observations, _ = env.reset(seed=0)
    (agent,) = observations
    other = next(name for name in env.possible_agents if name != agent)
    with pytest.raises(ValueError, match=f"only {agent} is to act"):
        env.step({other: 1})
    env.step({agent: 1})
    with pytest.raises(IllegalActionError, match=r"legal: check .* use ppo_config"):
        env.step({other: 0})
    env.step({other: 1})


def test_options_are_for_one_deal_and_its_repetitions(rllib: Any) -> None:
    env = rllib.CardMultiAgentEnv({"env_id": "no_limit_holdem-v0", "num_players": 3, "ante": 1})
    for _ in range(6):  # with player_0 on the button, antes and blinds put all others all-in
        env.reset(options={"stacks": [1, 2, 200]})
        table = env.env._tables[0]
        assert not table["is_over"] and (table["stack"] + table["hand_commit"])[:3].tolist() == [1, 2, 200]
    with pytest.raises(RuntimeError, match=r"no seat had a decision in 1000 deals .*stacks"):
        env.reset(options={"stacks": [1, 1, 1]})
    with pytest.warns(UserWarning, match=r"reset options \['cards'\] are ignored"):
        env.reset(options={"cards": []})


def test_bad_settings_fail_before_any_worker_starts(rllib: Any) -> None:
    with pytest.raises(TypeError, match="has no setting 'players'"):
        rllib.ppo_config("limit_holdem-v0", players=3)
    with pytest.raises(ValueError, match="has no env_id"):
        rllib.CardMultiAgentEnv({"num_players": 3})


@pytest.mark.parametrize("env_id", ["limit_holdem-v0", "big2-v0"])
def test_ppo_trains_with_masked_actions(rllib: Any, ray_session: None, env_id: str) -> None:
    config = rllib.ppo_config(env_id, hidden=(32,)).env_runners(num_env_runners=0)
    train_two_iterations(config)


@pytest.mark.slow
def test_ppo_trains_with_two_workers(rllib: Any, ray_session: None) -> None:
    config = rllib.ppo_config("limit_holdem-v0", hidden=(32,)).env_runners(num_env_runners=2)
    train_two_iterations(config)


def train_two_iterations(config: Any) -> None:
    """An illegal action would raise; RLlib stops at an error of the environment."""
    algorithm = config.training(train_batch_size_per_learner=256, minibatch_size=64, num_epochs=1).build_algo()
    results = [algorithm.train() for _ in range(2)]
    algorithm.stop()
    assert results[-1]["env_runners"]["num_env_steps_sampled_lifetime"] >= 512
    assert "shared" in results[-1]["learners"]
