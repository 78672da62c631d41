"""Stable-Baselines3: its own checks, the facts about our VecEnv that its algorithms rely on, and short trainings."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from gymnasium import spaces
from gymnasium.wrappers import TimeLimit
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

from card_envs import make_game
from card_envs.envs import ENVS
from card_envs.game import IllegalActionError
from card_wrappers.gymnasium import CardEnv
from card_wrappers.sb3 import CardVecEnv

every_id = pytest.mark.parametrize("env_id", ENVS)


def legal(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(mask, rng.random(mask.shape), -1.0).argmax(axis=1)


@every_id
def test_sb3_checks_pass(env_id: str) -> None:
    check_env(CardEnv(env_id))


@every_id
@pytest.mark.parametrize("mask_in_observation", [False, True])
def test_observations_and_masks(env_id: str, mask_in_observation: bool) -> None:
    tables = CardVecEnv(make_game(env_id), 8, seed=1, mask_in_observation=mask_in_observation)
    rng = np.random.default_rng(0)
    observed = tables.reset()
    for _ in range(40):
        masks = tables.action_masks()
        assert masks.dtype == np.bool_ and masks.shape == (8, tables.game.num_actions) and masks.any(axis=1).all()
        if mask_in_observation:
            assert np.array_equal(observed["action_mask"], masks)
        single = {key: value[0] for key, value in observed.items()} if mask_in_observation else observed[0]
        assert tables.observation_space.contains(single)
        observed, rewards, dones, infos = tables.step(legal(masks, rng))
        assert rewards.shape == dones.shape == (8,) and rewards.dtype == np.float32 and len(infos) == 8
        for done, info in zip(dones, infos, strict=True):
            assert set(info) == ({"episode", "terminal_observation"} if done else set())
            if done:
                assert tables.observation_space.contains(info["terminal_observation"])


def test_episode_infos_count_unscaled_rewards() -> None:
    tables = CardVecEnv(make_game("limit_holdem-v0"), 32, "always_call", seed=2, reward_scale=0.125)
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitored = VecMonitor(CardVecEnv(make_game("limit_holdem-v0"), 32, "always_call", seed=2))
    rng = np.random.default_rng(0)
    tables.reset()
    monitored.reset()
    returns, lengths, ended = np.zeros(32), np.zeros(32, int), 0
    for _ in range(60):
        actions = legal(tables.action_masks(), rng)
        _, rewards, dones, infos = tables.step(actions)
        _, unscaled, _, monitor_infos = monitored.step(actions)
        assert np.allclose(unscaled * 0.125, rewards)
        returns += unscaled
        lengths += 1
        for i in np.flatnonzero(dones):
            ended += 1
            assert infos[i]["episode"]["r"] == pytest.approx(returns[i]) and infos[i]["episode"]["l"] == lengths[i]
            assert monitor_infos[i]["episode"]["r"] == pytest.approx(infos[i]["episode"]["r"])
        returns[dones] = lengths[dones] = 0
    assert ended > 100


def test_the_terminal_observation_is_the_end_and_not_the_next_deal() -> None:
    game = make_game("leduc_holdem-v0")
    tables, env = CardVecEnv(game, 1, seat=0), CardEnv("leduc_holdem-v0", seat=0)
    tables.seed(7)
    tables.reset()
    env.reset(seed=7)
    ended = 0
    while ended < 20:
        actions = tables.action_masks().argmax(axis=1)
        observed, _, dones, infos = tables.step(actions)
        observation, _, over, *_ = env.step(actions[0])
        assert over == dones[0]
        if over:
            ended += 1
            assert np.array_equal(infos[0]["terminal_observation"], observation["observation"])
            assert np.array_equal(observed[0], env.reset()[0]["observation"])


def test_seeds() -> None:
    def play(tables: CardVecEnv) -> list[float]:
        tables.reset()
        return [float(tables.step(tables.action_masks().argmax(axis=1))[1].sum()) for _ in range(30)]

    game = make_game("limit_holdem-v0")
    first, second = CardVecEnv(game, 16, seed=1), CardVecEnv(game, 16, seed=2)
    one, other = play(first), play(second)
    assert one != other and play(CardVecEnv(game, 16, seed=1)) == one
    first.seed(2)
    assert play(first) == other


def test_what_algorithms_ask_a_vec_env() -> None:
    tables = CardVecEnv(make_game("kuhn_poker-v0"), 4)
    with pytest.raises(RuntimeError, match="call reset"):
        tables.action_masks()
    tables.reset()
    assert is_masking_supported(tables) and not tables.has_attr("no_such_attribute")
    assert np.array_equal(get_action_masks(tables), tables.action_masks())
    assert len(tables.env_method("action_masks", indices=[0, 2])) == 2
    assert tables.get_attr("render_mode", indices=1) == [None]
    assert tables.env_is_wrapped(Monitor) == [True] * 4 and tables.env_is_wrapped(TimeLimit, 0) == [False]
    tables.set_attr("reward_scale", 2.0)
    assert tables.reward_scale == 2.0
    with pytest.raises(ValueError, match="share all attributes"):
        tables.set_attr("reward_scale", 1.0, indices=[0])
    assert isinstance(tables.action_space, spaces.Discrete)


def test_an_illegal_action_names_the_option_for_algorithms_without_masks() -> None:
    """Stock PPO takes one within its first steps."""
    tables = CardVecEnv(make_game("limit_holdem-v0"), 8, "always_call", seed=0)
    with pytest.raises(
        IllegalActionError, match=r'CardVecEnv\(..., illegal_action="penalty"\) or "random"; MaskablePPO'
    ):
        PPO("MlpPolicy", tables, n_steps=16, device="cpu").learn(128)


def test_an_id_has_a_spec_that_gymnasium_makes_and_a_game_has_none() -> None:
    tables = CardVecEnv("limit_holdem-v0", 2, opponents="always_call", num_players=3)
    env = gymnasium.make(tables.spec)
    assert tables.spec.id == "card_envs/LimitHoldem-v0" and env.unwrapped.game == tables.game
    assert tables.metadata["name"] == "limit_holdem"
    assert gymnasium.spec("card_envs/LimitHoldem-v0").kwargs == {"game": "limit_holdem-v0"}, "the registry's is kept"
    tables = CardVecEnv(make_game("kuhn_poker-v0"), 2)
    assert tables.get_attr("spec") == [None, None]


def test_illegal_actions_raise_and_change_nothing() -> None:
    tables = CardVecEnv(make_game("limit_holdem-v0"), 8, "always_call", seed=0)
    tables.reset()
    before = tables.tables.tables.tobytes()
    actions = tables.action_masks().argmax(axis=1)
    actions[5] = 3
    with pytest.raises(IllegalActionError, match=r"table 5: action 3 is outside 0\.\.2"):
        tables.step(actions)
    assert tables.tables.tables.tobytes() == before
    actions[5] = 1
    tables.step(actions)


@pytest.mark.parametrize(("policy", "mask_in_observation"), [("MlpPolicy", False), ("MultiInputPolicy", True)])
def test_maskable_ppo_trains_on_the_batched_tables(policy: str, mask_in_observation: bool) -> None:
    tables = CardVecEnv(make_game("limit_holdem-v0"), 16, "random", mask_in_observation=mask_in_observation)
    model = MaskablePPO(policy, tables, n_steps=16, batch_size=128, n_epochs=2, seed=0, device="cpu")
    model.learn(1024)
    assert model.num_timesteps >= 1024 and len(model.ep_info_buffer) > 0
    mean, _ = evaluate_policy(model, tables, n_eval_episodes=20)
    assert abs(mean) <= tables.game.max_reward


def test_maskable_ppo_trains_on_the_single_environment() -> None:
    model = MaskablePPO("MultiInputPolicy", CardEnv("kuhn_poker-v0", illegal_action="raise"), n_steps=64, device="cpu")
    model.learn(128)  # would raise at the first illegal action


def test_dqn_stores_final_observations_with_masks_of_ones() -> None:
    tables = CardVecEnv(make_game("kuhn_poker-v0"), 4, mask_in_observation=True)
    model = DQN("MultiInputPolicy", tables, learning_starts=10**6, buffer_size=400, device="cpu")
    rng = np.random.default_rng(0)
    model._last_obs = tables.reset()
    for _ in range(40):
        actions = legal(tables.action_masks(), rng)
        following, rewards, dones, infos = tables.step(actions)
        model._store_transition(model.replay_buffer, actions, following, rewards, dones, infos)
    batch = model.replay_buffer.sample(64)
    over = batch.dones[:, 0] == 1
    assert over.any() and batch.next_observations["action_mask"][over].all()
    assert batch.next_observations["action_mask"][~over].any(dim=1).all()


# --- algorithms that know no masks ------------------------------------------------------------------------------------


def test_an_illegal_action_is_replaced_by_a_legal_one_with_and_without_a_penalty() -> None:
    """Action 2, a raise, is illegal in Kuhn poker after a bet; both ways of replacing it play the same deals."""
    outcomes: dict[str, list[float]] = {"penalty": [], "random": []}
    replaced: dict[str, int] = {}
    for illegal_action, rewards in outcomes.items():
        tables = CardVecEnv(make_game("kuhn_poker-v0"), 200, "always_call", seed=2, illegal_action=illegal_action)
        tables.reset()
        flags = []
        for _ in range(4):
            masks = tables.action_masks()
            wrong = masks.argmin(axis=1)
            _, reward, dones, infos = tables.step(wrong)
            flags += [info.get("illegal_action", False) for info in infos]
            assert [info.get("illegal_action", False) for info in infos] == (~masks.all(axis=1)).tolist()
            assert all(("episode" in info) == bool(done) for info, done in zip(infos, dones, strict=True))
            rewards += reward.tolist()
        replaced[illegal_action] = sum(flags)
    assert replaced["penalty"] == replaced["random"] > 0
    assert sum(outcomes["random"]) - sum(outcomes["penalty"]) == replaced["penalty"]


def test_replaced_actions_follow_the_seed() -> None:
    runs = []
    for _ in range(2):
        tables = CardVecEnv(make_game("leduc_holdem-v0"), 50, "random", illegal_action="random")
        tables.seed(4)
        tables.reset()
        runs.append(np.concatenate([tables.step(tables.action_masks().argmin(axis=1))[1] for _ in range(10)]))
    assert np.array_equal(*runs) and runs[0].any()


def test_what_may_be_done_with_illegal_actions() -> None:
    game = make_game("kuhn_poker-v0")
    with pytest.raises(ValueError, match=r"'warn' is not known: choose one of \['raise', 'penalty', 'random'\]"):
        CardVecEnv(game, 2, illegal_action="warn")
    tables = CardVecEnv(game, 2, illegal_action="penalty")
    tables.reset()
    with pytest.raises(IllegalActionError, match=r"table 1: action 9 is outside 0\.\.2"):
        tables.step(np.array([1, 9]))


@pytest.mark.parametrize(
    ("algorithm", "illegal_action"),
    [
        (DQN, "penalty"), (DQN, "random"), (QRDQN, "random"), (PPO, "penalty"), (RecurrentPPO, "random"),
        *(pytest.param(*case, marks=pytest.mark.slow)
          for case in [(QRDQN, "penalty"), (PPO, "random"), (RecurrentPPO, "penalty")]),
    ],
)  # fmt: skip
def test_stock_algorithms_learn_without_masks(algorithm: type, illegal_action: str) -> None:
    tables = CardVecEnv(make_game("leduc_holdem-v0"), 8, seed=0, illegal_action=illegal_action)
    policy = "MlpLstmPolicy" if algorithm is RecurrentPPO else "MlpPolicy"
    settings = {"learning_starts": 64} if algorithm in (DQN, QRDQN) else {"n_steps": 16, "batch_size": 32}
    model = algorithm(policy, tables, gamma=1.0, seed=0, device="cpu", **settings)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(128)
    after = model.policy.parameters()
    assert any(not one.equal(other) for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize("seed", [-1, -(2**70), 2**64 + 5])
def test_any_integer_is_a_seed(seed: int) -> None:
    first, again = (CardVecEnv("leduc_holdem-v0", 4, seed=seed, illegal_action="random") for _ in range(2))
    again.seed(seed)
    np.testing.assert_array_equal(first.reset(), again.reset())
    for _ in range(20):
        actions = np.zeros(4, np.int64)
        np.testing.assert_array_equal(first.step(actions)[0], again.step(actions)[0])


def test_a_wrong_seed_changes_nothing() -> None:
    env = CardVecEnv("leduc_holdem-v0", 2)
    for seed in ("x", 1.5, True):
        with pytest.raises(ValueError, match="must be a whole number"):
            env.seed(seed)  # type: ignore[arg-type]
    env.reset()


def test_a_switch_is_true_or_false() -> None:
    with pytest.raises(ValueError, match="mask_in_observation 'no' must be True or False"):
        CardVecEnv("kuhn_poker-v0", 1, mask_in_observation="no")  # type: ignore[arg-type]
