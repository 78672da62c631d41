"""The batched engine: N tables are N single environments, and bad input changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from card_envs import IllegalActionError, make_vector
from card_envs.agent import choose
from card_envs.compiler import COMPILED
from card_envs.envs import ENVS, make_game, make_raw_env
from card_envs.game import NOBODY, Game
from card_envs.observation import mask_records
from card_envs.rng import seeded_streams
from card_envs.single_seat import SingleSeatTables
from card_envs.vector import VectorTables
from tests.third_game.game import dozen

every_id = pytest.mark.parametrize("env_id", ENVS)


def started(env_id: str, num_tables: int = 6, seed: int = 0, steps: int = 2, **settings: Any) -> VectorTables:
    """Tables in the middle of their deals."""
    tables = make_vector(env_id, num_tables, seed=seed, **settings)
    tables.reset()
    for _ in range(steps):
        tables.step(tables.sample_actions())
    return tables


@pytest.mark.parametrize(
    ("env_id", "settings"),
    [*((env_id, {}) for env_id in ENVS), ("no_limit_holdem-v0", {"num_players": 6, "stacks": [3, 20, 90, 200, 7, 50]})],
)
def test_a_batch_is_as_many_single_environments(env_id: str, settings: dict[str, Any]) -> None:
    num_tables, seed = 5, 2**64 + 11
    tables = make_vector(env_id, num_tables, seed, **settings)
    envs = []
    for i in range(num_tables):
        env = make_raw_env(env_id, **settings)
        env._tables = env.game.seeded_tables(1, seed, first_table=i)
        env.reset()
        envs.append(env)
    rng = np.random.default_rng(0)
    batch, finished = tables.reset(), 0
    for _ in range(250):
        for i, env in enumerate(envs):
            observation = env.last()[0]
            assert env.agent_selection == f"player_{batch.seats[i]}"
            assert np.array_equal(batch.observation[i], observation["observation"])
            assert np.array_equal(batch.action_mask[i], observation["action_mask"])
        assert np.array_equal(tables.state(), [env.state() for env in envs])
        actions = choose(batch.action_mask, rng.random(num_tables))
        batch = tables.step(actions)
        for i, env in enumerate(envs):
            env.step(int(actions[i]))
            rewards = [env.rewards[agent] for agent in env.possible_agents]
            assert np.array_equal(batch.rewards[i], np.float32(rewards))
            assert batch.is_over[i] == all(env.terminations.values())
            finished += batch.is_over[i]
            while all(env.terminations.values()):  # more than once where a deal leaves nothing to decide
                env.reset()
    assert finished > 5


@every_id
def test_reset_with_a_seed_begins_anew_without_rewards_of_the_step_before(env_id: str) -> None:
    tables = started(env_id, steps=30)
    while not tables.step(tables.sample_actions()).is_over.any():
        pass
    first = make_vector(env_id, 6, seed=9).reset()
    again = tables.reset(seed=9)
    assert np.array_equal(first.observation, again.observation) and np.array_equal(first.seats, again.seats)
    assert not again.rewards.any() and not again.is_over.any()
    assert not np.array_equal(tables.reset().observation, again.observation)


@every_id
def test_sampled_actions_are_legal_and_spread(env_id: str) -> None:
    tables, few = make_vector(env_id, 500, seed=3), make_vector(env_id, 3, seed=3)
    batch, _ = tables.reset(), few.reset()
    for _ in range(5):
        actions = tables.sample_actions()
        assert np.array_equal(few.sample_actions(), actions[:3]), "they do not depend on the batch"
        few.step(actions[:3])
        assert batch.action_mask[np.arange(500), actions].all()
        batch = tables.step(actions)
    assert len(set(actions.tolist())) > 1
    assert not np.array_equal(tables.sample_actions(), tables.sample_actions())


@every_id
@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(5, np.int64), r"shape \(5,\) and dtype int64: 6 integers are needed"),
        (np.zeros((6, 1), np.int64), r"shape \(6, 1\)"),
        (np.int64(1), r"shape \(\)"),
        (np.ones(6), "dtype float64"),
        (np.full(6, np.nan), "dtype float64"),
        (np.ones(6, np.bool_), "dtype bool"),
        (["1"] * 6, "dtype <U1"),
        ([None] * 6, "dtype object"),
        (None, "dtype object"),
        ([2**70] * 6, "dtype object"),
        (np.full(6, 2**64 - 1, np.uint64), "action 18446744073709551615"),
        (np.full(6, -1), r"table 0: .*action -1 is outside 0\.\."),
        (np.full(6, 99_999), r"table 0: .*action 99999 is outside 0\.\."),
    ],
)
def test_bad_actions_change_nothing(env_id: str, actions: Any, message: str) -> None:
    tables = started(env_id)
    before = tables.tables.tobytes()
    with pytest.raises(IllegalActionError, match=message):
        tables.step(actions)
    assert tables.tables.tobytes() == before
    tables.step(tables.sample_actions())


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("env_id", [env_id for env_id in ENVS if env_id != "kuhn_poker-v0"])
def test_one_illegal_action_changes_no_table(env_id: str, num_threads: int) -> None:
    """With several threads, the action is illegal in the last part, and tables of the first part stay too."""
    tables = started(env_id, num_tables=40, num_threads=num_threads)
    masks = np.empty((40, tables.game.num_actions), np.int8)
    tables.game.mask_batch(tables.tables, np.arange(40), masks.view([("mask", np.int8, masks.shape[1])])[:, 0])
    table = int(np.flatnonzero((masks == 0).any(axis=1))[-1])
    actions = tables.sample_actions()
    actions[table] = np.flatnonzero(masks[table] == 0)[0]
    before = tables.tables.tobytes()
    with pytest.raises(IllegalActionError, match=rf"table {table}: .*legal"):
        tables.step(actions)
    assert table >= 20 and tables.tables.tobytes() == before
    tables.step(tables.sample_actions())


@pytest.mark.parametrize("num_threads", [3, 1_000, 2**31, 10**30])
def test_more_threads_than_tables_are_as_many_as_tables(num_threads: int) -> None:
    tables, expected = started("kuhn_poker-v0", num_tables=3, num_threads=num_threads), started("kuhn_poker-v0", 3)
    for _ in range(20):
        assert np.array_equal(
            tables.step(tables.sample_actions()).observation, expected.step(expected.sample_actions()).observation
        )


@every_id
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint64])
def test_every_integer_type_will_do(env_id: str, dtype: type[np.integer[Any]]) -> None:
    one, other = started(env_id), started(env_id)
    actions = one.sample_actions()
    if actions.max() <= np.iinfo(dtype).max:
        assert np.array_equal(one.step(actions).observation, other.step(actions.astype(dtype)).observation)
    assert np.array_equal(one.step(one.sample_actions().tolist()).seats, one.tables["actor"])


@pytest.mark.parametrize("method", ["step", "sample_actions", "state", "observe"])
def test_stepping_before_reset_raises(method: str) -> None:
    tables = make_vector("kuhn_poker-v0", 2)
    arguments = {"step": [np.ones(2, int)], "observe": [0]}.get(method, [])
    with pytest.raises(RuntimeError, match=rf"call reset\(\) before {method}\(\)"):
        getattr(tables, method)(*arguments)


@pytest.mark.parametrize("num_tables", [0, -1, 1.5, "2", True, None])
def test_bad_numbers_of_tables(num_tables: Any) -> None:
    with pytest.raises(ValueError, match=r"num_tables .* must be a whole number, at least 1"):
        make_vector("kuhn_poker-v0", num_tables)


@pytest.mark.parametrize("seed", [1.5, "1", float("nan"), True, [1]])
def test_bad_seeds(seed: Any) -> None:
    with pytest.raises(ValueError, match=r"seed .* must be a whole number"):
        make_vector("kuhn_poker-v0", 2, seed=seed)
    tables = started("kuhn_poker-v0")
    before = tables.tables.tobytes()
    with pytest.raises(ValueError, match=r"seed .* must be a whole number"):
        tables.reset(seed=seed)
    assert tables.tables.tobytes() == before


@pytest.mark.parametrize("seed", [0, -1, 2**64 + 1, 2**200, np.int64(-5), np.uint64(2**64 - 1)])
def test_any_whole_number_is_a_seed(seed: Any) -> None:
    one, other = make_vector("leduc_holdem-v0", 4, seed=seed), make_vector("leduc_holdem-v0", 4, seed=int(seed))
    assert np.array_equal(one.reset().observation, other.reset().observation)
    assert np.array_equal(one.sample_actions(), other.sample_actions())


def test_tables_where_nobody_can_ever_decide_are_an_error_and_no_endless_loop() -> None:
    with pytest.raises(RuntimeError, match="stacks are too small for the blinds"):
        VectorTables(make_game("limit_holdem-v0", stacks=1), 2).reset()


@every_id
def test_masks_of_finished_tables_are_empty(env_id: str) -> None:
    game = make_game(env_id)
    tables, rows = game.seeded_tables(3, 1), np.arange(3)
    game.deal_batch(tables, rows)
    streams, actions = seeded_streams(3, 2), np.zeros(3, np.int64)
    rewards, is_over = np.zeros((3, game.num_seats), np.float32), np.zeros(3, np.uint8)
    while len(going := np.flatnonzero(tables["is_over"] == 0)):
        game.random_batch(tables, going, streams, actions[: len(going)])
        game.step_batch(tables, going, actions[: len(going)], rewards, is_over, False)
    mask = np.ones((3, game.num_actions), np.int8)
    game.mask_batch(tables, rows, mask_records(mask))
    assert (tables["actor"] == NOBODY).all() and not mask.any()


@every_id
def test_any_seat_can_be_observed(env_id: str) -> None:
    tables = started(env_id, num_tables=5, steps=7)
    game, rows = tables.game, range(5)
    for seats in (np.arange(5) % game.num_seats, 1, np.int8(0), list(tables.tables["actor"])):
        observation, mask = tables.observe(seats)
        expected = [game.observe(tables.tables, i, int(seat)) for i, seat in enumerate(np.broadcast_to(seats, 5))]
        assert all(np.array_equal(observation[i], expected[i][0]) for i in rows)
        assert all(np.array_equal(mask[i], expected[i][1]) for i in rows)
    assert mask.any(axis=1).all()


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (-1, r"must be in 0\.\.1"),
        (2, r"seats 2\.\.2 must"),
        ([0, 1], r"shape \(2,\)"),
        (0.5, "dtype float64"),
        (True, "dtype bool"),
    ],
)
def test_seats_that_do_not_exist_are_refused(seats: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        started("kuhn_poker-v0").observe(seats)


SKIPPING = {
    "big2": make_game("big2-v0"),
    "few_raises": make_game("limit_holdem-v0", num_players=3, max_raises=[0, 1, 0, 0], stacks=[3, 20, 9]),
    "dozen": dozen(),
}
"""Games with forced decisions: passes, checks where nobody may raise, last cards."""


@pytest.mark.parametrize("name", SKIPPING)
@pytest.mark.parametrize("num_threads", [1, 2])
def test_skipping_forced_decisions_changes_only_what_is_shown(name: str, num_threads: int) -> None:
    count, rng = 20, np.random.default_rng(0)
    every = VectorTables(SKIPPING[name], count, seed=3)
    skipping = VectorTables(SKIPPING[name], count, seed=3, skip_forced=True, num_threads=num_threads)
    shown, batch = skipping.reset(), every.reset()
    rewards, is_over, num_skipped = np.zeros_like(batch.rewards), np.zeros(count, np.bool_), 0
    for _ in range(60):
        while (forced := batch.action_mask.sum(axis=1) == 1).any():  # only where a decision is forced
            num_skipped += forced.sum()
            for i in np.flatnonzero(forced):
                ends, paid = step_one(every, i, int(batch.action_mask[i].argmax()))
                if ends and not is_over[i]:
                    rewards[i], is_over[i] = paid, True
            batch = batch._replace(**look(every))
        for array, wanted in zip(shown, (*batch[:3], rewards, is_over), strict=True):
            assert np.array_equal(array, wanted)
        assert every.tables.tobytes() == skipping.tables.tobytes()
        actions = choose(batch.action_mask, rng.random(count))
        shown, batch = skipping.step(actions), every.step(actions)
        rewards, is_over = batch.rewards, batch.is_over
    assert num_skipped > 20


def step_one(tables: VectorTables, i: int, action: int) -> tuple[bool, Any]:
    """Act at one table and deal if that ends the episode; return whether it does, and the rewards."""
    rewards, is_over = np.zeros((1, tables.game.num_seats), np.float32), np.zeros(1, np.uint8)
    tables.game.step_batch(tables.tables, np.array([i]), np.array([action]), rewards, is_over, True)
    return bool(is_over[0]), rewards[0]


def look(tables: VectorTables) -> dict[str, Any]:
    """What the actors of all tables see, as fields of a `VectorStep`."""
    observation, mask = tables.observe(seats := tables.tables["actor"])
    return {"observation": observation, "action_mask": mask, "seats": seats.astype(np.int64)}


@pytest.mark.parametrize(
    "game",
    [
        *SKIPPING.values(),
        make_game("no_limit_holdem-v0", bet_menu="integers", stacks=[5, 9]),
        make_game("no_limit_holdem-v0", bet_menu=[1], num_players=4, stacks=30),
    ],
    ids=str,
)
def test_forced_actions_are_those_with_a_single_one_in_the_mask(game: Game) -> None:
    tables = VectorTables(game, 200, seed=1)
    batch = tables.reset()
    found = np.empty(200, np.int64)
    for _ in range(25):
        tables.game.forced_batch(tables.tables, np.arange(200), found)
        only = batch.action_mask.sum(axis=1) == 1
        assert np.array_equal(found, np.where(only, batch.action_mask.argmax(axis=1), -1))
        batch = tables.step(tables.sample_actions())


def test_a_game_without_any_choice_is_an_error_and_no_endless_loop() -> None:
    tables = make_vector("limit_holdem-v0", 2, seed=0, skip_forced=True)
    tables.game = replace(tables.game, forced_batch=lambda tables, rows, actions: actions.fill(1))
    with pytest.raises(RuntimeError, match="omit skip_forced"):
        tables.reset()


HISTORY = {
    "callers", "raisers", "recent_seat", "recent_kind", "street_callers", "street_raisers", "kinds_played", "played",
    "street",
}  # fmt: skip
"""Blocks of states and of observations that say what was played."""


@pytest.mark.parametrize(
    ("env_id", "settings"),
    [
        ("limit_holdem-v0", {"num_players": 3}),
        ("no_limit_holdem-v0", {"num_players": 6, "stacks": 60}),
        ("leduc_holdem-v0", {}),
        ("big2-v0", {}),
    ],
)
def test_the_state_holds_all_that_the_seats_observe(env_id: str, settings: dict[str, Any]) -> None:
    """Equal states are equal observations of every seat, and the history is the one that seat 0 observes."""
    tables = make_vector(env_id, 500, seed=2, encoder="clean" if env_id == "big2-v0" else "default", **settings)
    game = tables.game
    seen: dict[bytes, bytes] = {}
    tables.reset()
    for _ in range(40):
        states, of_all = tables.state(), np.concatenate([tables.observe(k)[0] for k in range(game.num_seats)], axis=1)
        blocks, observed = game.state_layout.split(states), game.layout.split(tables.observe(0)[0])
        for name in HISTORY & blocks.keys():
            assert np.array_equal(blocks[name], observed[name]), name
        for state, observations in zip(states, of_all, strict=True):
            assert seen.setdefault(state.tobytes(), observations.tobytes()) == observations.tobytes()
        tables.step(tables.sample_actions())


@pytest.mark.parametrize("game", [*(make_game(env_id) for env_id in ENVS), SKIPPING["dozen"]], ids=str)
def test_default_names_the_encoder_that_a_game_has_without_asking(game: Game) -> None:
    assert game.make("default").encoder is game.encoder


def test_a_switch_is_true_or_false() -> None:
    game = make_game("kuhn_poker-v0")
    assert VectorTables(game, 2, skip_forced=np.True_).skip_forced is True
    with pytest.raises(ValueError, match="skip_forced 'x' must be True or False"):
        VectorTables(game, 2, skip_forced="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="skip_forced 1 must be True or False"):
        SingleSeatTables(game, 2, "random", skip_forced=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("observe", (2, 0), "table"),
        ("observe", (0, 2), "seat"),
        ("legal_actions", (5,), "table"),
        ("state", (5,), "rows"),
        ("states", ([0, -1],), "rows"),
        ("observe_actors", ([0.0],), "rows"),
        ("observe_actors", ([[0]],), "rows"),
        ("observe_seats", ([0], [7]), "seats"),
        ("views", ([9], [0]), "rows"),
        ("views", ([0], [-1]), "seats"),
    ],
)
def test_methods_of_a_game_refuse_tables_and_seats_that_do_not_exist(method: str, arguments: Any, message: str) -> None:
    """Kernels would read and write the memory behind the arrays."""
    tables = started("leduc_holdem-v0", 2, steps=0)
    with pytest.raises(ValueError, match=rf"{message} \[.*\] must be whole numbers in 0\.\.1"):
        getattr(tables.game, method)(tables.tables, *arguments)
    with pytest.raises(ValueError, match="2 rows and 1 seats: name a seat for each row"):
        tables.game.views(tables.tables, [0, 1], [0])


@pytest.mark.skipif(not COMPILED, reason="Python's own errors")
@pytest.mark.parametrize("action", [None, 1.5, "1"])
def test_a_kernel_says_which_arguments_it_cannot_take(action: Any) -> None:
    tables = started("leduc_holdem-v0", 1, steps=0)
    with pytest.raises(TypeError, match=rf"^step cannot be compiled for tables: .*, i: 0 .*, action: {action!r} \("):
        tables.game.step(tables.tables, 0, action)
