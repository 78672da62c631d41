"""Tools around PettingZoo: the parallel API, Shimmy's bridge from OpenSpiel, SuperSuit, TorchRL."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation
from pettingzoo.utils import aec_to_parallel, turn_based_aec_to_parallel

from card_envs.envs import ENVS, make_env, make_raw_env

every_id = pytest.mark.parametrize("env_id", ENVS)


@every_id
def test_the_parallel_api_is_refused(env_id: str) -> None:
    """Seats act one after another; an environment in which all act at once would be another game."""
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(make_env(env_id))


@every_id
def test_shimmy_over_our_openspiel_game_is_our_aec_environment(env_id: str) -> None:
    """Shimmy 2.0 counts cards as steps and truncates what gets longer than the game: of Kuhn poker, all deals."""
    pytest.importorskip("pyspiel")
    shimmy = pytest.importorskip("shimmy.openspiel_compatibility")
    from card_wrappers.openspiel import short_name

    bridge, env = shimmy.OpenSpielCompatibilityV0(game_name=short_name(env_id)), make_raw_env(env_id)
    rng, complete = random.Random(1), 0
    for seed in range(12):
        bridge.reset(seed=seed)
        turns = list(_random_turns(bridge, rng))
        cards = list(bridge.game_state.episode.cards)
        hands = {"hands": [cards[13 * seat : 13 * seat + 13] for seat in range(4)]}
        seats = len(bridge.possible_agents)
        env.reset(seed=0, options=hands if env_id == "big2-v0" else {"deck": cards, "button": seats - 1})
        for agent, observation, mask, action in turns:
            ours = env.last()[0]
            assert env.agent_selection == agent and np.array_equal(mask, ours["action_mask"])
            assert np.array_equal(observation[seats:], ours["observation"].astype(float))
            env.step(action)
        if all(bridge.terminations.values()):
            complete += 1
            assert env.rewards == pytest.approx(bridge.rewards)
    assert complete > 0 or env_id == "kuhn_poker-v0"


def _random_turns(env: Any, rng: random.Random) -> Iterator[tuple[str, Any, Any, int]]:
    """Play on at random to the end; yield agent, observation, mask and action of every turn."""
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        observation, *_, info = env.last()
        action = int(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        yield env.agent_selection, observation, info["action_mask"], action
        env.step(action)


@every_id
def test_supersuit_makes_vectors_of_the_turn_based_parallel_wrapper(env_id: str) -> None:
    supersuit = pytest.importorskip("supersuit")
    vector = supersuit.pettingzoo_env_to_vec_env_v1(turn_based_aec_to_parallel(make_raw_env(env_id)))
    observations, _ = vector.reset(seed=1)
    total = np.zeros(vector.num_envs)
    for _ in range(300):
        masks = observations["action_mask"]
        assert masks.shape == (vector.num_envs, vector.action_space.n) and masks.any(axis=1).sum() == 1
        observations, rewards, terminations, _, _ = vector.step(masks.argmax(axis=1))
        total += rewards
        if terminations.all():
            break
    assert terminations.all() and total.sum() == pytest.approx(0) and np.any(total)


@pytest.mark.filterwarnings("default")  # TorchRL warns that it was tested with an older PettingZoo
def test_torchrl_reads_observations_and_masks() -> None:
    pytest.importorskip("torchrl", reason="TorchRL is not installed: it is tested in an environment of its own")
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    env = PettingZooWrapper(make_env("limit_holdem-v0"), use_mask=True)
    lengths = set()
    for _ in range(10):  # random actions under the mask: an illegal one would warn and cost a reward
        rollout = env.rollout(40, break_when_any_done=True)
        lengths.add(len(rollout))
        assert bool(rollout["next", "done"][-1].all())
        rewards = [float(rollout["next", agent, "reward"].sum()) for agent in env.group_map]
        assert len(rewards) == 2 and sum(rewards) == pytest.approx(0)
    assert len(lengths) > 1


@pytest.mark.filterwarnings("default")
def test_torchrl_checks_specs_where_no_deal_ends_meanwhile() -> None:
    """TorchRL 0.14 goes on behind the end of a deal, where masks are zeros; Kuhn poker always ends in three steps."""
    pytest.importorskip("torchrl", reason="TorchRL is not installed")
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

    for env_id in ("leduc_holdem-v0", "big2-v0"):
        check_env_specs(PettingZooWrapper(make_env(env_id), use_mask=True), seed=1)
    with pytest.raises(RuntimeError, match="invalid multinomial distribution"):
        check_env_specs(PettingZooWrapper(make_env("kuhn_poker-v0"), use_mask=True), seed=1)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("env_id", ["KuhnPoker", "LeducHoldem", "LimitHoldem"])
def test_torchrl_checks_gymnasium_environments_with_masks(env_id: str) -> None:
    """TorchRL also samples an action from the mask of a final observation."""
    envs = pytest.importorskip("torchrl.envs", reason="TorchRL is not installed")
    from torchrl.envs.utils import check_env_specs

    made = envs.GymEnv(f"card_envs:card_envs/{env_id}-v0", opponents="always_call", illegal_action="raise")
    env = envs.TransformedEnv(made, envs.ActionMask())
    for seed in range(5):
        check_env_specs(env, seed=seed)
    rollout = env.rollout(60, break_when_any_done=False)
    ended = rollout["next", "done"][:, 0]
    assert ended.any() and bool(rollout["next", "action_mask"][ended].all())


def test_arguments_that_are_unknown_fail_in_pythons_words() -> None:
    """TorchRL gives `frameskip` to everything, and takes it back if it reads these words."""
    with pytest.raises(TypeError, match=r"no setting 'frameskip' .unexpected keyword argument 'frameskip'.: known"):
        gymnasium.make("card_envs:card_envs/LimitHoldem-v0", frameskip=1)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("is_named", [True, False])
def test_torchrl_makes_and_wraps_the_gymnasium_environment(is_named: bool) -> None:
    envs = pytest.importorskip("torchrl.envs", reason="TorchRL is not installed")
    name, settings = "card_envs:card_envs/LimitHoldem-v0", {"opponents": "always_call", "illegal_action": "random"}
    env = envs.GymEnv(name, **settings) if is_named else envs.GymWrapper(gymnasium.make(name, **settings))
    env.set_seed(0)
    rollout = env.rollout(60, break_when_any_done=False)
    assert rollout.shape == (60,) and set(rollout.keys()) >= {"observation", "action_mask"}
    done = rollout["next", "done"]
    assert 5 < int(done.sum()) < 60
    assert not rollout["next", "reward"][~done].any()  # paid at the end of a deal alone


@pytest.mark.filterwarnings("default")
def test_torchrl_over_many_tables() -> None:
    """TorchRL 0.14 reads final observations of vector environments if they are arrays, not dicts, Gymnasium's too."""
    envs = pytest.importorskip("torchrl.envs", reason="TorchRL is not installed")
    name = "card_envs:card_envs/LimitHoldem-v0"
    for vector in (
        gymnasium.make_vec(name, num_envs=3),
        SyncVectorEnv([lambda: gymnasium.make(name)] * 3, autoreset_mode=AutoresetMode.SAME_STEP),
    ):
        with pytest.raises(RuntimeError, match="StopIteration"):
            envs.GymWrapper(vector).rollout(20, break_when_any_done=False)
    flat = [lambda: FlattenObservation(gymnasium.make(name))] * 3
    tables = envs.GymWrapper(SyncVectorEnv(flat, autoreset_mode=AutoresetMode.SAME_STEP))
    assert tables.rollout(20, break_when_any_done=False).shape == (3, 20)
