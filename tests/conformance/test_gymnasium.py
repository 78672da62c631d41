"""Gymnasium's promises, for one seat of every registered environment, alone and in batches."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import AddRenderObservation, FlattenObservation, FrameStackObservation
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import card_envs
from card_envs.agent import Decisions, RandomAgent
from card_envs.cards import card_ids
from card_envs.envs import ENVS, make_game, on_registration
from card_envs.game import Game, IllegalActionError
from card_envs.single_seat import SingleSeatTables
from card_wrappers.gymnasium import CardEnv, CardVectorEnv

every_id = pytest.mark.parametrize("env_id", ENVS)


def gymnasium_id(env_id: str) -> str:
    return f"card_envs:card_envs/{ENVS[env_id].gymnasium_id}"


def legal(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for each row of a mask."""
    return np.where(mask == 1, rng.random(mask.shape), -1.0).argmax(axis=-1)


@every_id
@pytest.mark.parametrize("illegal_action", ["penalty", "random"])
def test_gymnasium_checks_pass(env_id: str, illegal_action: str) -> None:
    check_env(CardEnv(env_id, illegal_action=illegal_action), skip_render_check=True)


@every_id
def test_make_and_make_vec(env_id: str) -> None:
    env = gymnasium.make(gymnasium_id(env_id), opponents="random", seat=None)
    _, info = env.reset(seed=1)
    assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"] == 1)
    envs = gymnasium.make_vec(gymnasium_id(env_id), num_envs=8, opponents=["random", "card_envs.agent:RandomAgent"])
    assert envs.num_envs == 8 and envs.autoreset_mode is envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.observation_space.contains(envs.reset(seed=1)[0])


def test_settings_reach_the_game() -> None:
    env = gymnasium.make("card_envs:card_envs/NoLimitHoldem-v0", num_players=6, stacks=50, encoder="default")
    assert env.unwrapped.game.num_seats == 6 and env.unwrapped.game.config.stack_list == [50] * 6


@every_id
def test_an_episode_is_what_the_seat_wins(env_id: str) -> None:
    env, rng = CardEnv(env_id), np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(50):
        observation, info = env.reset()
        total, over = 0.0, False
        while not over:
            assert env.observation_space.contains(observation)
            assert info["action_mask"] is observation["action_mask"] and info["action_mask"].any()
            observation, reward, over, truncated, info = env.step(legal(info["action_mask"], rng))
            total += reward
            assert not truncated
        assert env.observation_space.contains(observation) and observation["action_mask"].all()
        final, seat = env._last_step.final_tables, info["seat"]
        assert final["is_over"][0] and total == pytest.approx(final["payoff"][0][seat] / env.game.chips_per_reward)
        assert info["action_mask"] is observation["action_mask"] and env.action_masks().all()


def test_seats() -> None:
    env = CardEnv("limit_holdem-v0", num_players=3)
    seats = [env.reset(seed=seed)[1]["seat"] for seed in range(200)]
    assert set(seats) == {0, 1, 2} and min(map(seats.count, range(3))) > 40
    env = CardEnv("limit_holdem-v0", num_players=3, seat=2)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {2}
    for wrong in (3, -1, 1.0, "button"):
        with pytest.raises(ValueError, match=r"must be None or a whole number in 0\.\.2"):
            CardEnv("limit_holdem-v0", num_players=3, seat=wrong)


def test_illegal_actions_are_replaced_and_cost_one() -> None:
    """At the first decision of the big blind nobody may fold: fold there, against the same choice made for us."""
    outcomes: dict[str, list[Any]] = {}
    for mode in ("penalty", "random"):
        env = CardEnv("limit_holdem-v0", illegal_action=mode, opponents=FirstLegal())
        outcomes[mode] = []
        for seed in range(60):
            _, info = env.reset(seed=seed)
            if info["action_mask"][0] == 0:
                _, reward, over, _, info = env.step(0)
                assert info["illegal_action"] is True
                outcomes[mode].append((reward, over))
    assert len(outcomes["random"]) > 5
    assert [(reward - 1, over) for reward, over in outcomes["random"]] == outcomes["penalty"]


@pytest.mark.parametrize("action", [1.0, "1", None, True, np.array([1]), 10**30], ids=repr)
@pytest.mark.parametrize("illegal_action", ["raise", "penalty", "random"])
def test_what_is_no_action_is_named_and_changes_nothing(action: object, illegal_action: str) -> None:
    env = CardEnv("leduc_holdem-v0", illegal_action=illegal_action)
    env.reset(seed=1)
    before = env.action_names()
    with pytest.raises(IllegalActionError, match=rf"of type {type(action).__name__} is not an id: .* in 0\.\.2"):
        env.step(action)
    assert env.action_names() == before
    env.step(np.int64(1))


def test_illegal_actions_raise_on_demand_and_outside_the_space_always() -> None:
    env = CardEnv("limit_holdem-v0", illegal_action="raise", opponents=FirstLegal())
    seed = next(seed for seed in range(99) if env.reset(seed=seed)[1]["action_mask"][0] == 0)
    before, _ = env.reset(seed=seed)
    with pytest.raises(IllegalActionError, match="nothing to call"):
        env.step(0)
    for wrong in (3, -1, 1.0, float("nan"), None, True, "1", [1]):
        with pytest.raises(IllegalActionError):
            env.step(wrong)
        with pytest.raises(IllegalActionError):
            make_started("limit_holdem-v0").step(wrong)
    assert np.array_equal(env._last_step.observation[0], before["observation"])
    with pytest.raises(ValueError, match="illegal_action 'explode' is not known: choose one of"):
        CardEnv("limit_holdem-v0", illegal_action="explode")


def make_started(env_id: str) -> gymnasium.Env[Any, Any]:
    env = CardEnv(env_id)
    env.reset(seed=0)
    return env


class FirstLegal:
    """Takes the legal action with the smallest id above fold."""

    name = "first_legal"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> np.ndarray:
        return 1 + decisions.action_mask[:, 1:].argmax(axis=1)


def test_stepping_before_and_after_an_episode_raises() -> None:
    env = CardEnv("kuhn_poker-v0")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)
    env.reset(seed=0)
    while not env.step(1)[2]:
        pass
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        CardVectorEnv("kuhn_poker-v0", 3).step(np.ones(3, np.int64))


@every_id
def test_rendering_shows_what_the_learner_sees(env_id: str) -> None:
    env = CardEnv(env_id, render_mode="ansi")
    env.reset(seed=2)
    assert isinstance(env.render(), str)
    assert env.render() != env.game.text(env._tables.tables, 0, None)  # not everybody's cards
    picture = CardEnv(env_id, render_mode="rgb_array")
    picture.reset(seed=2)
    assert picture.render().dtype == np.uint8
    envs = CardVectorEnv(env_id, 3, render_mode="ansi")
    envs.reset(seed=2)
    assert len(envs.render()) == 3


def test_the_end_can_be_looked_at() -> None:
    env = CardEnv("kuhn_poker-v0", render_mode="ansi")
    env.reset(seed=0)
    while not env.step(1)[2]:
        pass
    assert f"{env._last_step.final_tables['payoff'][0][0]:+d}" in env.render()


@every_id
def test_a_batch_of_one_is_the_single_environment(env_id: str) -> None:
    env, envs, rng = CardEnv(env_id), CardVectorEnv(env_id, 1), np.random.default_rng(3)
    observation, info = env.reset(seed=9)
    observations, infos = envs.reset(seed=9)
    for _ in range(300):
        for key, value in observation.items():
            assert np.array_equal(observations[key][0], value)
        assert infos["seat"][0] == info["seat"]
        action = legal(info["action_mask"], rng)
        observation, reward, over, _, info = env.step(action)
        observations, rewards, terminations, truncations, infos = envs.step(np.array([action]))
        assert rewards[0] == np.float32(reward) and terminations[0] == over and not truncations[0]
        assert over == ("final_obs" in infos)
        if over:
            assert infos["_final_obs"][0] and infos["final_info"]["seat"][0] == info["seat"]
            for key, value in observation.items():
                assert np.array_equal(infos["final_obs"][0][key], value)
            observation, info = env.reset()


@every_id
def test_tables_do_not_depend_on_the_batch(env_id: str) -> None:
    """Table k of a batch of 3 and of 7 sees the same deals, seats and (random) opponents."""
    few, many = CardVectorEnv(env_id, 3), CardVectorEnv(env_id, 7)
    (one, _), (other, _) = few.reset(seed=4), many.reset(seed=4)
    for _ in range(60):
        for key in one:
            assert np.array_equal(one[key], other[key][:3])
        actions = other["action_mask"].argmax(axis=1)
        one, rewards, *_ = few.step(actions[:3])
        other, other_rewards, *_ = many.step(actions)
        assert np.array_equal(rewards, other_rewards[:3])


@every_id
def test_vector_arrays_fit_their_spaces(env_id: str) -> None:
    envs, rng = CardVectorEnv(env_id, 16), np.random.default_rng(1)
    observations, infos = envs.reset(seed=1)
    for _ in range(40):
        assert envs.observation_space.contains(observations)
        assert infos["action_mask"] is observations["action_mask"] and infos["_action_mask"].all()
        actions = legal(observations["action_mask"], rng)
        assert envs.action_space.contains(actions)
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == (16,)
        assert not rewards[~terminations].any()


@pytest.mark.skipif(
    tuple(map(int, gymnasium.__version__.split(".")[:2])) < (1, 4),
    reason="before 1.4, vector.RecordEpisodeStatistics forgets the last reward where tables reset in the same step",
)
def test_episode_statistics() -> None:
    envs = RecordEpisodeStatistics(CardVectorEnv("limit_holdem-v0", 32, opponents=FirstLegal()))
    observations, _ = envs.reset(seed=0)
    returns, lengths = np.zeros(32), np.zeros(32, int)
    ended = 0
    for _ in range(50):
        observations, rewards, terminations, _, infos = envs.step(observations["action_mask"].argmax(axis=1))
        returns += rewards
        lengths += 1
        if terminations.any():
            assert np.array_equal(infos["_episode"], terminations)
            assert np.allclose(infos["episode"]["r"][terminations], returns[terminations])
            assert np.array_equal(infos["episode"]["l"][terminations], lengths[terminations])
        ended += terminations.sum()
        returns[terminations] = lengths[terminations] = 0
    assert ended > 100 and envs.episode_count == ended


def test_unmasked_sampling_works_in_batches() -> None:
    envs = CardVectorEnv("limit_holdem-v0", 64)
    envs.reset(seed=0)
    envs.action_space.seed(0)
    for _ in range(20):
        *_, infos = envs.step(envs.action_space.sample())
        assert infos["_illegal_action"].all() and infos["illegal_action"].any()


BIG2_HANDS = [list(range(seat, 52, 4)) for seat in range(4)]
ACES = card_ids("7c 2d As Ad")
"""Of seat 1, heads-up."""


def test_options_fix_one_episode() -> None:
    env = CardEnv("no_limit_holdem-v0", opponents="always_call", seat=1)
    env.reset(seed=1)
    for options in ({"button": 0, "stacks": [40, 90], "deck": ACES}, {"button": 1, "stacks": [9, 7], "deck": ACES}):
        observation, info = env.reset(options=options)
        t = env._tables.tables[0]
        assert (info["seat"], t.actor, t.button) == (1, 1, options["button"])
        assert t.num_decisions == (1 if options["button"] == 0 else 0), "the button opens, seat 0 has called"
        assert (t.stack + t.hand_commit)[:2].tolist() == options["stacks"]
        assert set(ACES[2:]) == set(np.flatnonzero(blocks_of(env, observation)["hole_cards"]))
        assert env.observation_space.contains(observation)
        while not env.step(1)[2]:
            pass
    env.reset()
    t = env._tables.tables[0]
    assert (t.stack + t.hand_commit)[:2].tolist() == [200, 200], "the stacks of the options do not stay"


def blocks_of(env: CardEnv, observation: dict[str, Any]) -> Any:
    return env.game.layout.split(observation["observation"])


def test_options_and_seed_determine_what_follows() -> None:
    """What options leave open comes from the seed, also in the deals after theirs."""
    for env_id, options in (("limit_holdem-v0", {"button": 1}), ("big2-v0", {"hands": BIG2_HANDS})):
        seen: list[Any] = []
        for _ in range(2):
            env, rng = CardEnv(env_id), np.random.default_rng(2)
            observation, info = env.reset(seed=7, options=options)
            seen.append([observation["observation"].tobytes(), info["seat"]])
            for _ in range(3):
                over = False
                while not over:
                    observation, reward, over, _, info = env.step(legal(info["action_mask"], rng))
                    seen[-1] += [observation["observation"].tobytes(), reward]
                observation, info = env.reset()
        assert seen[0] == seen[1]


def test_options_of_many_tables_fix_the_first_episode_of_each() -> None:
    envs = CardVectorEnv("no_limit_holdem-v0", 3, opponents="always_call", seat=1)
    envs.reset(seed=1)
    envs.reset(options={"button": 0, "stacks": [40, 90], "deck": ACES})
    tables = envs._tables.tables
    assert (tables["deck"][:, :4] == ACES).all() and (tables["button"] == 0).all()
    assert ((tables["stack"] + tables["hand_commit"])[:, :2] == [40, 90]).all()
    *_, over, _, _ = envs.step(np.full(3, 4))  # all-in, and called
    assert over.all() and ((tables["stack"] + tables["hand_commit"])[:, :2] == [200, 200]).all()


def test_a_deal_that_ends_before_the_first_decision_is_dealt_again() -> None:
    """The small blind folds most hands to the learner's big blind; whenever there is an observation, it has not."""
    env = CardEnv("limit_holdem-v0", opponents="random", seat=1)
    decisions = set()
    for seed in range(30):
        _, info = env.reset(seed=seed, options={"button": 0})
        t = env._tables.tables[0]
        assert not t.is_over and t.actor == 1 and info["action_mask"].any()
        decisions.add((int(t.button), int(t.num_decisions)))
    assert decisions == {(0, 1)}


def test_options_without_a_decision_are_an_error_and_reset_helps() -> None:
    for env in (CardEnv("no_limit_holdem-v0", seat=0), CardVectorEnv("no_limit_holdem-v0", 2, seat=0)):
        env.reset(seed=0)
        with pytest.raises(RuntimeError, match=r"no decision in 1000 deals with reset options \['stacks'\]"):
            env.reset(options={"stacks": [1, 1]})
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(np.ones(2, np.int64) if isinstance(env, CardVectorEnv) else 1)
        _, info = env.reset()
        assert info["action_mask"].any()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"button": 2}, ValueError, r"button 2 must be a seat in 0\.\.1"),
        ({"stacks": [5]}, ValueError, "stacks"),
        ({"deck": ["As", "As"]}, ValueError, "As is in the deck twice"),
        ("deck", TypeError, "reset options 'deck' must be a dict"),
        (3, TypeError, "reset options 3 must be a dict"),
    ],
)
def test_refused_options_leave_the_episode_as_it_was(options: Any, error: type[Exception], message: str) -> None:
    for env in (CardEnv("no_limit_holdem-v0"), CardVectorEnv("no_limit_holdem-v0", 2)):
        env.reset(seed=3)
        before = env._tables.tables.tobytes(), env.np_random.bit_generator.state
        with pytest.raises(error, match=message):
            env.reset(seed=4, options=options)
        assert (env._tables.tables.tobytes(), env.np_random.bit_generator.state) == before
        env.step(np.ones(2, np.int64) if isinstance(env, CardVectorEnv) else 1)


def test_unknown_options_are_ignored_with_a_warning_as_in_pettingzoo() -> None:
    for make in (CardEnv, partial(CardVectorEnv, num_envs=2)):
        env, plain = make("no_limit_holdem-v0"), make("no_limit_holdem-v0")
        with pytest.warns(UserWarning, match=r"reset options \['bouton'\] are ignored: known are .*'button'"):
            seen, _ = env.reset(seed=4, options={"bouton": 1})
        assert np.array_equal(seen["observation"], plain.reset(seed=4)[0]["observation"])


def test_a_spec_as_json_says_what_it_cannot_hold() -> None:
    env_id = "card_envs:card_envs/LimitHoldem-v0"
    spec = gymnasium.make(env_id, opponents="always_call", num_players=3).spec
    assert spec is not None
    again = gymnasium.make(EnvSpec.from_json(spec.to_json()))
    assert again.unwrapped.game == make_game("limit_holdem-v0", num_players=3)
    spec = gymnasium.make(env_id, opponents=RandomAgent()).spec
    assert spec is not None
    with pytest.raises(TypeError, match=r"cannot hold opponents=.*of type RandomAgent: pass a name in its place"):
        spec.to_json()


def test_ids_are_registered_once() -> None:
    known, seen = dict(ENVS), []
    for entry in known.values():
        assert card_envs.register_env(entry.id, entry.make_game, entry.summary, gymnasium_id=entry.gymnasium_id,
                                      histories=entry.histories) is entry  # fmt: skip
    on_registration(seen.append)
    assert seen == list(ENVS.values()) == list(known.values())
    assert {f"card_envs/{entry.gymnasium_id}" for entry in ENVS.values()} <= set(gymnasium.registry)


def make_vector_mode(mode: str, **options: Any) -> Any:
    options = {"opponents": FirstLegal(), **options}
    return gymnasium.make_vec("card_envs:card_envs/LeducHoldem-v0", 16, autoreset_mode=mode, **options)


def play_rows(envs: Any, steps: int) -> Any:
    """Yield what the first legal actions lead to; where none is legal, action 0 is given, which counts for nothing."""
    observation, _ = envs.reset(seed=4)
    for _ in range(steps):
        actions = observation["action_mask"].argmax(axis=1)
        observation, rewards, over, _, info = envs.step(actions)
        yield observation, rewards, over, info


def test_next_step_shows_the_end_and_then_the_next_episode() -> None:
    """The episodes are those of the same step, each one step longer."""
    ended = np.zeros(16, bool)
    returns: dict[str, list[list[float]]] = {}
    for mode in ("SameStep", "NextStep"):
        returns[mode] = [[] for _ in range(16)]
        ended[:] = False
        for observation, rewards, over, info in play_rows(make_vector_mode(mode), 40):
            assert "illegal_action" not in info
            if mode == "NextStep":
                assert ("final_obs" in info) is False
                assert observation["action_mask"][over].all() and info["action_mask"].any(axis=1).all()
                assert not rewards[ended].any() and not over[ended].any()
                ended = over.copy()
            for table in np.flatnonzero(over).tolist():
                returns[mode][table].append(float(rewards[table]))
    for same, following in zip(returns["SameStep"], returns["NextStep"], strict=True):
        assert len(following) > 5 and same[: len(following)] == following


def test_disabled_tables_wait_for_a_reset_of_theirs() -> None:
    envs = make_vector_mode("Disabled", opponents="random")
    observation, _ = envs.reset(seed=4)
    over, rng = np.zeros(16, bool), np.random.default_rng(0)
    while not over.any():
        actions = (observation["action_mask"] * rng.random((16, 3))).argmax(axis=1)
        observation, _, over, _, _ = envs.step(actions)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset_mask"):
        envs.step(observation["action_mask"].argmax(axis=1))
    assert not over.all()
    again, info = envs.reset(options={"reset_mask": over})
    assert again["action_mask"].any(axis=1).all() and np.array_equal(info["action_mask"], again["action_mask"])
    assert np.array_equal(again["observation"][~over], observation["observation"][~over])
    one = np.arange(16) == 3
    fresh, _ = envs.reset(options={"reset_mask": one, "button": 0})
    assert np.array_equal(fresh["observation"][~one], again["observation"][~one])
    envs.step(fresh["action_mask"].argmax(axis=1))
    with pytest.raises(ValueError, match="boolean array of shape"):
        envs.reset(options={"reset_mask": [True]})
    with pytest.raises(ValueError, match="a seed resets all tables"):
        envs.reset(seed=1, options={"reset_mask": one})


@pytest.mark.parametrize(
    ("mode", "wrapper"),
    [
        ("NextStep", "FlattenObservation"),
        ("NextStep", "NormalizeObservation"),  # the one that does not run where tables wait
        ("NextStep", "RecordEpisodeStatistics"),
        ("Disabled", "FlattenObservation"),
        ("Disabled", "RecordEpisodeStatistics"),
    ],
)
def test_vector_wrappers_of_gymnasium_run(mode: str, wrapper: str) -> None:
    envs = make_vector_mode(mode, illegal_action="random")
    if wrapper == "NormalizeObservation":
        envs = gymnasium.wrappers.vector.FlattenObservation(envs)
    envs = getattr(gymnasium.wrappers.vector, wrapper)(envs)
    envs.reset(seed=0)
    episodes = 0
    for _ in range(60):
        _, _, over, _, info = envs.step(envs.action_space.sample())
        episodes += int(np.sum(over))
        if wrapper == "RecordEpisodeStatistics" and over.any():
            assert np.array_equal(info["_episode"], over)
        if mode == "Disabled" and over.any():
            envs.reset(options={"reset_mask": over})
    assert episodes > 16


def test_wrappers_of_gymnasium_that_add_axes_run() -> None:
    """Observations of two and three axes are in their spaces."""
    flat = FlattenObservation(CardEnv("limit_holdem-v0", opponents="always_call"))
    stacked = FrameStackObservation(flat, 4)
    pictures = AddRenderObservation(CardEnv("limit_holdem-v0", opponents="always_call", render_mode="rgb_array"))
    for env, num_axes in ((stacked, 2), (pictures, 3)):
        assert env.observation_space.contains(env.reset(seed=1)[0]) and len(env.observation_space.shape) == num_axes
        for _ in range(20):
            observation, _, is_over, _, _ = env.step(1)
            assert env.observation_space.contains(observation)
            if is_over:
                env.reset()
    with pytest.raises((TypeError, AssertionError)):  # a text is no observation
        AddRenderObservation(CardEnv("limit_holdem-v0", render_mode="ansi"))


def play_episodes(tables: SingleSeatTables) -> list[list[tuple[list[bytes], float]]]:
    """The episodes of each table: what the learner sees where it has a choice, and what it wins."""
    count = tables.num_tables
    episodes: list[list[tuple[list[bytes], float]]] = [[] for _ in range(count)]
    step, won, seen = tables.reset(), np.zeros(count, np.float32), [list[bytes]() for _ in range(count)]
    for _ in range(120):
        won += step.rewards
        for i in np.flatnonzero(step.is_over):
            episodes[i].append((seen[i], float(won[i])))
            won[i], seen[i] = 0.0, []
        for i in np.flatnonzero(step.action_mask.sum(axis=1) > 1):
            seen[i].append(bytes([step.seats[i]]) + step.observation[i].tobytes())
        last_legal = step.action_mask.shape[1] - 1 - step.action_mask[:, ::-1].argmax(axis=1)
        step = tables.step(last_legal)
    return episodes


@pytest.mark.parametrize("game", [make_game("big2-v0"), make_game("limit_holdem-v0", max_raises=[0, 1, 0, 0])], ids=str)
def test_skipping_forced_decisions_changes_only_what_is_shown(game: Game) -> None:
    every, skipping = (
        play_episodes(SingleSeatTables(game, 10, "random", seed=5, skip_forced=skips)) for skips in (False, True)
    )
    for of_table, fewer_steps in zip(every, skipping, strict=True):
        with_choices = [(seen, won) for seen, won in of_table if seen]
        assert 5 < len(with_choices) < len(fewer_steps)
        assert with_choices == fewer_steps[: len(with_choices)]


def test_environments_skip_forced_decisions_on_request() -> None:
    env = gymnasium.make("card_envs:card_envs/Big2-v0", skip_forced=True)
    envs = gymnasium.make_vec("card_envs:card_envs/Big2-v0", 4, skip_forced=True)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    observation, _ = envs.reset(seed=0)
    for _ in range(60):
        assert info["action_mask"].sum() > 1
        assert (observation["action_mask"].sum(axis=1) > 1).all()
        _, _, is_over, _, info = env.step(legal(info["action_mask"], rng))
        if is_over:
            _, info = env.reset()
        observation = envs.step(legal(observation["action_mask"], rng))[0]
