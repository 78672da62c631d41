"""The collector keeps account of seats and deals: every chain of decisions, reward and advantage is checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from card_baselines.kit import Collector, Rows, policy_agent
from card_envs import make_vector
from card_envs.agent import Agent


def random_player(seed=0):
    rng = np.random.default_rng(seed)

    def act(step):
        weights = step.action_mask * rng.random(step.action_mask.shape)
        return weights.argmax(axis=1), {"weight": weights.max(axis=1)}

    return act


@pytest.mark.parametrize("env", ["kuhn_poker-v0", "leduc_holdem-v0", "limit_holdem-v0"])
def test_decisions_of_a_seat_are_chained_in_the_order_of_time(env):
    collector = Collector(make_vector(env, 16, seed=1), random_player())
    for _ in range(4):
        rows = collector.collect(200)
        assert rows.num_rows >= 200
        has_next = rows["next_row"] >= 0
        following = rows["next_row"][has_next]
        assert (following > np.flatnonzero(has_next)).all()
        for column in ("seat", "deal", "table"):
            np.testing.assert_array_equal(rows[column][following], rows[column][has_next])
        assert len(np.unique(following)) == len(following)
        deal_and_seat = rows["deal"] * 2 + rows["seat"]
        assert len(np.unique(deal_and_seat)) == (~has_next).sum()
        assert (rows["action_mask"][np.arange(rows.num_rows), rows["action"]] == 1).all()


def test_what_both_seats_get_in_a_deal_adds_up_to_zero():
    rows = Collector(make_vector("leduc_holdem-v0", 32, seed=2), random_player()).collect(2000)
    assert (rows["reward"][rows["next_row"] >= 0] == 0).all()
    both = [deal for deal in np.unique(rows["deal"]) if len(np.unique(rows["seat"][rows["deal"] == deal])) == 2]
    sums = [rows["reward"][rows["deal"] == deal].sum() for deal in both]
    assert len(both) > 100
    np.testing.assert_allclose(sums, 0, atol=1e-6)
    assert rows["reward"].any()


def test_no_decision_is_lost_or_returned_twice():
    act, actions = random_player(), []

    def remember(step):
        chosen, columns = act(step)
        actions.append(len(chosen))
        return chosen, columns

    collector = Collector(make_vector("leduc_holdem-v0", 16, seed=3), remember)
    returned = sum(collector.collect(50).num_rows for _ in range(10))
    still_open = len(collector.state_dict()["rows.action"])
    assert returned + still_open == sum(actions)


def test_advantages_are_those_of_the_definition():
    rng = np.random.default_rng(4)
    rows = Collector(make_vector("limit_holdem-v0", 16, seed=4), random_player()).collect(500)
    value = rng.normal(size=rows.num_rows).astype(np.float32)
    advantage, target = rows.gae(value, gamma=0.9, lam=0.8)
    for row in range(0, rows.num_rows, 7):
        chain = [row]
        while rows["next_row"][chain[-1]] >= 0:
            chain.append(int(rows["next_row"][chain[-1]]))
        values = [*value[chain], 0.0]
        deltas = [rows["reward"][k] + 0.9 * values[i + 1] - values[i] for i, k in enumerate(chain)]
        assert advantage[row] == pytest.approx(
            sum(0.72**i * delta for i, delta in enumerate(deltas)), rel=1e-4, abs=1e-5
        )
    np.testing.assert_allclose(target, advantage + value, rtol=1e-6)


def test_returns_are_the_payoff_of_the_seat():
    rows = Rows({"reward": np.float32([0, 0, 2, -2]), "next_row": np.array([2, 3, -1, -1])})
    assert rows.returns().tolist() == [2, -2, 2, -2]


def test_minibatches_are_a_permutation_and_leave_out_what_does_not_fill_one():
    rows = Rows({"reward": np.zeros(10, np.float32), "next_row": np.full(10, -1)})
    parts = list(rows.minibatches(3, np.random.default_rng(0)))
    assert [len(part) for part in parts] == [3, 3, 3]
    assert len(np.unique(np.concatenate(parts))) == 9
    assert [len(part) for part in rows.minibatches(30, np.random.default_rng(0))] == [10]


def test_a_restored_collector_goes_on_exactly():
    def always(step):
        return step.action_mask.argmax(axis=1), {"deal_number": step.seats}

    first = Collector(make_vector("leduc_holdem-v0", 8, seed=5), always, opponents=["random"], mixed=0.5, seed=1)
    first.collect(100)
    second = Collector(make_vector("leduc_holdem-v0", 8, seed=99), always, opponents=["random"], mixed=0.5)
    second.load_state_dict({name: array.copy() for name, array in first.state_dict().items()})
    for _ in range(3):
        one, two = first.collect(100), second.collect(100)
        assert one.keys() == two.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], two[name])


def test_a_state_of_other_tables_is_refused():
    state = Collector(make_vector("leduc_holdem-v0", 8, seed=5), random_player()).state_dict()
    with pytest.raises(ValueError, match="same game and number of tables"):
        Collector(make_vector("leduc_holdem-v0", 9, seed=5), random_player()).load_state_dict(state)


def test_opponents_play_all_seats_but_one_and_are_not_learned_from():
    tables = make_vector("no_limit_holdem-v0", 64, seed=6, num_players=3)
    rows = Collector(tables, random_player(), opponents=["always_call"]).collect(500)
    seats = {(deal, seat) for deal, seat in zip(rows["deal"].tolist(), rows["seat"].tolist(), strict=True)}
    assert len(seats) == len({deal for deal, _ in seats})
    assert set(rows["seat"].tolist()) == {0, 1, 2}


def test_an_opponent_beats_a_learner_that_folds():
    fold = policy_agent(lambda observation, mask: np.eye(3)[np.zeros(len(mask), int)], "folder")
    tables = make_vector("limit_holdem-v0", 64, seed=7)
    rows = Collector(tables, lambda step: (np.where(step.action_mask[:, 0] == 1, 0, 1), {}), opponents=["always_raise"])
    assert rows.collect(500).returns().mean() < -0.3
    assert fold.name == "folder"


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("last_row", lambda array: array + 1000, "last_row has numbers"),
        ("rows.next_row", lambda array: array - 5, "next_row has numbers"),
        ("rows.reward", lambda array: array[:-1], "different lengths"),
        ("players", lambda array: array + 3, "players has numbers"),
        ("deal", lambda array: array[:-1], "deal is int64 of shape"),
        ("num_deals", lambda array: -array, "num_deals is"),
        ("rng", lambda array: array[:0], "random generator"),
        ("rows.table", lambda array: array + 8, "table has numbers"),
        ("rows.seat", lambda array: array - 1, "seat has numbers"),
        ("rows.action", lambda array: array.astype(np.float64), "action is float64 of shape"),
        ("rows.observation", lambda array: array[:, 1:], "observation is float32 of shape"),
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(name, change, words):
    collector = Collector(make_vector("leduc_holdem-v0", 8, seed=5), random_player(), opponents=["random"])
    collector.collect(20)
    state = {key: array.copy() for key, array in collector.state_dict().items()}
    with pytest.raises(ValueError, match=words):
        collector.load_state_dict({**state, name: change(state[name])})
    assert all((array == state[key]).all() for key, array in collector.state_dict().items())


def test_state_is_that_of_the_table_before_the_action():
    tables = make_vector("leduc_holdem-v0", 4, seed=8)
    seen = []

    def act(step):
        seen.append(tables.state())
        return step.action_mask.argmax(axis=1), {}

    rows = Collector(tables, act, state=True).collect(40)
    every = {row.tobytes() for state in seen for row in state}
    assert all(row.tobytes() in every for row in rows["state"])


@pytest.mark.parametrize(
    ("chosen", "columns", "words"),
    [
        (lambda step: step.action_mask.argmax(axis=1) + 0.5, {}, "dtype float64: 4 integers are needed"),
        (lambda step: 1, {}, r"shape \(\) and dtype int64: 4 integers are needed"),
        (lambda step: np.full(4, np.nan), {}, "4 integers are needed"),
        (None, {"value": 0.5}, r"value as float64 of shape \(\): float64 of shape \(4,\) is needed"),
        (None, {"value": np.zeros(3)}, r"value as float64 of shape \(3,\)"),
        (None, {"reward": np.zeros(4)}, "none of them called observation, .*reward"),
    ],
)
def test_what_act_returns_is_one_of_each_for_each_row(chosen, columns, words):
    def act(step):
        return (chosen or (lambda step: step.action_mask.argmax(axis=1)))(step), columns

    with pytest.raises(ValueError, match=words):
        Collector(make_vector("leduc_holdem-v0", 4, seed=0), act).collect(1)


@pytest.mark.parametrize(
    "columns", [{}, {"value": np.zeros(4), "more": np.zeros(4)}, {"other": np.zeros(4)}, {"value": np.zeros(4) + 0.5}]
)
def test_columns_are_the_same_at_every_call(columns):
    calls = iter([{"value": np.zeros(4, np.int64)}, columns])
    collector = Collector(
        make_vector("leduc_holdem-v0", 4, seed=0), lambda step: (step.action_mask.argmax(axis=1), next(calls))
    )
    with pytest.raises(ValueError, match=r"act returned (the columns|value as float64)"):
        collector.collect(100)


class Rounds(Agent):
    def act(self, decisions, rng):
        return decisions.action_mask.argmax(axis=1) + 0.5


def test_an_opponent_returns_whole_actions():
    collector = Collector(make_vector("leduc_holdem-v0", 4, seed=0), random_player(), opponents=[Rounds()])
    with pytest.raises(ValueError, match=r"dtype float64: \d integers are needed"):
        collector.collect(10)


def test_numbers_of_rows_are_checked():
    collector = Collector(make_vector("leduc_holdem-v0", 4, seed=0), random_player())
    for decisions in (0, -1, 1.5, np.nan):
        with pytest.raises(ValueError, match="must be a whole number, at least 1"):
            collector.collect(decisions)
    rows = collector.collect(10)
    for value in (np.zeros(rows.num_rows - 1), np.zeros((rows.num_rows, 1)), 0.0):
        with pytest.raises(ValueError, match=f"one number for each of {rows.num_rows} rows"):
            rows.gae(value)
    for size in (0, -1, 2.5):
        with pytest.raises(ValueError, match="must be a whole number of rows, at least 1"):
            next(rows.minibatches(size, np.random.default_rng(0)))


class Remembers(Agent):
    def act(self, decisions, rng):
        return decisions.action_mask.argmax(axis=1)

    def deal_starts(self, table_ids):
        pass


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": [Remembers()]}, "keeps a memory"),
        ({"mixed": 0.5}, "0 without opponents"),
        ({"opponents": ["random"], "mixed": 1.5}, "must be a probability"),
        ({"opponents": ["nobody"]}, "nobody"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Collector(make_vector("leduc_holdem-v0", 4, seed=0), random_player(), **arguments)
