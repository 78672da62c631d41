"""Rewards reach the decision that earned them, whoever ends the deal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from card_envs import make_game
from card_envs.agent import Decisions, RandomAgent, choose
from card_envs.single_seat import SingleSeatTables
from tests.helpers.bet_game import BET, CHECK, bet_game


class Always:
    def __init__(self, action: int) -> None:
        self.name = f"always {action}"
        self.action = action

    def act(self, decisions: Decisions, rng: np.random.Generator) -> np.ndarray:
        return np.full(len(decisions), self.action)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("own", "others", "reward"), [(BET, CHECK, 1), (CHECK, BET, -1), (BET, BET, 0)])
def test_both_seats_are_paid_at_their_only_decision(seat: int, own: int, others: int, reward: int) -> None:
    """For seat 0, it is the other seat's move that ends the deal."""
    tables = SingleSeatTables(bet_game(), 5, Always(others), seat)
    tables.reset()
    for _ in range(3):
        turns = tables.step(np.full(5, own))
        assert turns.is_over.all() and turns.rewards.tolist() == [reward] * 5 and turns.seats.tolist() == [seat] * 5


def test_ppo_learns_to_bet() -> None:
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO

    from card_wrappers.sb3 import CardVecEnv

    tables = CardVecEnv(bet_game(), 32, RandomAgent(), seed=0)
    model = MaskablePPO(
        "MlpPolicy", tables, n_steps=8, batch_size=128, n_epochs=4, learning_rate=0.02, seed=0, device="cpu"
    )
    model.learn(3000)
    for seat in (0, 1):
        observation = np.eye(2, dtype=np.float32)[seat]
        actions = [int(model.predict(observation, action_masks=np.ones(2, bool))[0]) for _ in range(100)]
        assert sum(actions) > 90, seat


GAMES: list[tuple[str, dict[str, Any]]] = [
    ("limit_holdem-v0", {}),
    ("limit_holdem-v0", {"num_players": 6}),
    ("no_limit_holdem-v0", {"num_players": 6, "stacks": [20, 50, 200, 200, 7, 90]}),
    ("big2-v0", {}),
    ("leduc_holdem-v0", {}),
    ("kuhn_poker-v0", {"num_players": 3}),
]


@pytest.mark.parametrize(("env_id", "settings"), GAMES)
def test_rewards_add_up_to_what_the_seat_wins(env_id: str, settings: dict[str, Any]) -> None:
    game = make_game(env_id, **settings)
    tables = SingleSeatTables(game, 100, "random", seed=3)
    rng = np.random.default_rng(0)
    returns, episodes = np.zeros(100), np.zeros(game.num_seats, int)
    ended_by_others = 0
    turns = tables.reset()
    while episodes.sum() < 4000:
        seats = turns.seats
        turns = tables.step(choose(turns.action_mask, rng.random(100)))
        returns += turns.rewards
        over = np.flatnonzero(turns.is_over)
        assert np.array_equal(turns.final_seats, seats[over])
        paid = turns.final_tables["payoff"][np.arange(len(over)), seats[over]] / game.chips_per_reward
        assert np.allclose(returns[over], paid, atol=1e-4)
        assert not turns.rewards[~turns.is_over].any()
        ended_by_others += (returns[over] != 0).sum()
        np.add.at(episodes, seats[over], 1)
        returns[over] = 0.0
    assert (episodes > 4000 / game.num_seats / 3).all() and ended_by_others > 1000, (episodes, ended_by_others)


def test_a_random_learner_among_random_agents_breaks_even() -> None:
    """Nothing is lost or won on the way: deals without a decision of the learner do not exist in Kuhn poker."""
    game = make_game("kuhn_poker-v0", num_players=3)
    tables = SingleSeatTables(game, 500, "random", seed=1)
    rng = np.random.default_rng(1)
    turns, returns, episodes = tables.reset(), 0.0, 0
    while episodes < 30_000:
        turns = tables.step(choose(turns.action_mask, rng.random(500)))
        returns += float(turns.rewards.sum())
        episodes += int(turns.is_over.sum())
    assert abs(returns / episodes) < 0.04  # five standard errors of a payoff whose deviation is 1.4


class Recorder:
    """Remembers what it is told about deals."""

    name = "recorder"

    def __init__(self) -> None:
        self.open: set[int] = set()
        self.payoffs: list[np.ndarray] = []
        self.decisions = 0

    def deal_starts(self, table_ids: np.ndarray) -> None:
        assert not self.open & set(table_ids.tolist())
        self.open |= set(table_ids.tolist())

    def deal_ends(self, table_ids: np.ndarray, payoffs: np.ndarray) -> None:
        assert set(table_ids.tolist()) <= self.open
        self.open -= set(table_ids.tolist())
        self.payoffs += list(payoffs)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> np.ndarray:
        assert set(decisions.table_ids.tolist()) <= self.open
        self.decisions += len(decisions)
        return choose(decisions.action_mask, decisions.random_numbers)


def test_agents_with_a_memory_hear_of_their_deals_alone() -> None:
    game = make_game("no_limit_holdem-v0", num_players=3)
    pool = [Recorder(), Recorder()]
    tables = SingleSeatTables(game, 50, pool, seed=5)
    rng, episodes, turns = np.random.default_rng(5), 0, tables.reset()
    for _ in range(60):
        turns = tables.step(choose(turns.action_mask, rng.random(50)))
        episodes += int(turns.is_over.sum())
    assert pool[0].open | pool[1].open == set(range(50)) and not pool[0].open & pool[1].open
    ended = len(pool[0].payoffs) + len(pool[1].payoffs)
    assert ended > episodes > 100  # deals without a decision of the learner were told too
    assert min(len(pool[0].payoffs), len(pool[1].payoffs)) > ended / 3
    assert all(sum(payoff) == 0 for recorder in pool for payoff in recorder.payoffs)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (99, r"opponent 'odd': table \d+: action 99 is outside"),
        (0.5, r"opponent 'odd' returned actions of .* dtype float64"),
    ],
)
def test_opponents_that_fail_are_named(returned: float, message: str) -> None:
    class Odd:
        name = "odd"

        def act(self, decisions: Decisions, rng: np.random.Generator) -> np.ndarray:
            return np.full(len(decisions), returned)

    tables = SingleSeatTables(make_game("kuhn_poker-v0"), 4, Odd(), seat=0)
    tables.reset()
    with pytest.raises(RuntimeError, match=message):
        tables.step(np.ones(4, int))
    with pytest.raises(RuntimeError, match="call reset"):
        tables.step(np.ones(4, int))


@pytest.mark.parametrize(
    "rows", [[4], [-1], [10**12], [2, 1], [1, 1], [0.0], [True, False, True, False], [[0]], 0, "0", {0}, None]
)
def test_rows_that_are_no_tables_change_nothing(rows: Any) -> None:
    """Kernels check no index: they would write beside the tables."""
    tables = SingleSeatTables(make_game("kuhn_poker-v0"), 4, "random", seed=1)
    actions = tables.reset().action_mask.argmax(axis=1)
    before = tables.tables.tobytes()
    with pytest.raises(ValueError, match=r"^rows .* must be (integers|different tables in 0\.\.3)"):
        tables.restart(rows)
    if rows is not None:
        with pytest.raises(ValueError, match=r"^rows "):
            tables.step(actions, rows)
    assert tables.tables.tobytes() == before
    tables.step(actions, [])
    assert tables.tables.tobytes() == before
    tables.step(actions, np.array([0, 3], np.uint8))


def test_opponents_that_cannot_be_are_refused() -> None:
    game = make_game("kuhn_poker-v0")
    with pytest.raises(ValueError, match="empty list"):
        SingleSeatTables(game, 1, [])
    with pytest.raises(ValueError, match="did you mean 'random'"):
        SingleSeatTables(game, 1, ["random", "rndom"])
    with pytest.raises(TypeError, match="is not an agent: it needs a method act"):
        SingleSeatTables(game, 1, [object()])  # type: ignore[list-item]


def test_a_learner_without_decisions_is_an_error_and_no_endless_loop() -> None:
    game = make_game("limit_holdem-v0", stacks=1)
    with pytest.raises(RuntimeError, match="the learner had no decision"):
        SingleSeatTables(game, 1, "random").reset()


class Seated(RandomAgent):
    """Notes how far after the learner it sits: at its decisions, shown actions, and the ends it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, set[int]] = {"decides": set(), "is shown": set(), "sees the end": set()}
        self.learner: np.ndarray = np.zeros(0)

    def note(self, event: str, decisions: Decisions) -> None:
        self.places[event] |= set(((decisions.seats - self.learner[decisions.table_ids]) % 4).tolist())

    def act(self, decisions: Decisions, rng: np.random.Generator) -> np.ndarray:
        self.note("decides", decisions)
        return super().act(decisions, rng)

    def observe_actions(self, decisions: Decisions, actions: np.ndarray) -> None:
        self.note("is shown", decisions)

    def sees_end(self, ends: Decisions) -> None:
        self.note("sees the end", ends)


def play_seated(opponents: list[Any], of: list[Seated]) -> None:
    tables = SingleSeatTables(make_game("limit_holdem-v0", num_players=4), 40, opponents, seed=2)
    for agent in of:
        agent.learner = tables.seats  # the array that the tables write into
    rng, turns = np.random.default_rng(2), tables.reset()
    for _ in range(30):
        turns = tables.step(choose(turns.action_mask, rng.random(40)))


def test_a_lineup_names_an_agent_for_each_seat_after_the_learner() -> None:
    first, second = Seated(), Seated()
    play_seated([[first, second, first]], [first, second])
    assert first.places == {key: {1, 3} for key in first.places}
    assert second.places == {key: {2} for key in second.places}


def test_each_deal_draws_a_lineup() -> None:
    first, second, third = Seated(), Seated(), Seated()
    play_seated([[first, second, second], third, ["random", "random", first]], [first, second, third])
    assert [agent.places["decides"] for agent in (first, second, third)] == [{1, 3}, {2, 3}, {1, 2, 3}]


def test_a_lineup_of_one_agent_is_that_agent_at_all_other_seats() -> None:
    game, played = make_game("no_limit_holdem-v0", num_players=4), []
    for opponents in ("chen", ["chen"], [["chen", "chen", "chen"]]):
        tables = SingleSeatTables(game, 20, opponents, seed=3)
        rng, turns, rewards = np.random.default_rng(3), tables.reset(), []
        for _ in range(30):
            turns = tables.step(choose(turns.action_mask, rng.random(20)))
            rewards.append(turns.rewards)
        played.append(np.array(rewards))
    assert (played[0] == played[1]).all() and (played[0] == played[2]).all() and played[0].any()


@pytest.mark.parametrize("lineup", [["random"], ["random"] * 4, []])
def test_a_lineup_has_an_agent_for_each_other_seat(lineup: list[str]) -> None:
    with pytest.raises(ValueError, match=r"limit_holdem has 3 other seats here, so name 3 agents in each inner list"):
        SingleSeatTables(make_game("limit_holdem-v0", num_players=4), 2, [lineup])
