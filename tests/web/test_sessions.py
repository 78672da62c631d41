"""Sessions are matches: the same deals, seats, random numbers and payoffs as `play_match` with the same seed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.export import write_hands
from card_baselines.web.replay import Library
from card_baselines.web.results import MIN_INTERVAL_DEALS, compute_results, format_row
from card_baselines.web.session import Plan, Player, Session, name_players
from card_baselines.web.store import Store
from card_envs.agent import Agent, Decisions, find_agent
from card_envs.cards import NO_CARD
from card_envs.envs import make_game
from card_envs.history import replay_paths
from card_envs.match import play_match

TABLES = [
    ("limit_holdem-v0", {}, ("chen", "always_raise")),
    ("no_limit_holdem-v0", {"num_players": 3}, ("random", "tight_aggressive", "always_call")),
    ("big2-v0", {}, ("random", "big2_greedy", "random", "big2_lowest")),
    ("kuhn_poker-v0", {}, ("random", "random")),
]


def plan_of(env: str, settings: dict[str, int], agents: tuple[str, ...], block: int = 0) -> Plan:
    return Plan(env, settings, tuple(Player(f"{name} {k}", name) for k, name in enumerate(agents)), 11, block)


def session_of(plan: Plan) -> Session:
    game = make_game(plan.env, **plan.settings)
    return Session(plan, game, {k: find_agent(player.agent or "", game) for k, player in enumerate(plan.players)})


def play_hands(session: Session, hands: int, store: Store, number: int) -> list[list[int]]:
    """Play hands of agents alone and write them as the server does; return the payoffs by player."""
    payoffs = []
    for hand in range(hands):
        session.deal(hand)
        store.add_hand(number, hand)
        while not session.is_over:
            action = session.agent_action()
            store.add_decision(number, hand, len(session.actions), action, payoffs=session.payoffs_after(action))
            session.act(action)
        payoffs.append(session.payoffs)
    return payoffs


@pytest.mark.parametrize("block", [0, 2])
@pytest.mark.parametrize(("env", "settings", "agents"), TABLES)
def test_a_session_of_agents_is_a_match(
    tmp_path: Path, env: str, settings: dict[str, int], agents: tuple[str, ...], block: int
) -> None:
    plan = plan_of(env, settings, agents, block)
    session, store = session_of(plan), Store(tmp_path / "results.sqlite")
    number = store.add_session(plan, [None] * len(agents))
    hands = 2 * len(agents) * (plan.block_size if block else 1)
    hands *= 1 + MIN_INTERVAL_DEALS // hands if env in ("limit_holdem-v0", "kuhn_poker-v0") and not block else 1
    payoffs = play_hands(session, hands, store, number)
    players = [find_agent(name, session.game) for name in agents]
    match = play_match(session.game, players, hands, plan.seed, duplicate=block > 0)
    numbers = [plan.match_hand(hand) for hand in range(hands)]
    assert sorted(numbers) == list(range(hands))
    assert np.array_equal(np.array(payoffs), match.payoffs[numbers])
    (row,) = compute_results(store, Catalogue(), people_only=False)
    unit, factor = next(iter(match.units.items()))
    assert (row.unit, row.hands, row.deals) == (unit, hands, match.deals)
    assert row.mean == pytest.approx(match.agents[0].mean * factor)
    if match.deals < MIN_INTERVAL_DEALS:
        assert row.ci95 == (None, None)
        assert format_row(row)[4].endswith("(no interval)")
    else:
        assert row.ci95 == pytest.approx([bound * factor for bound in match.agents[0].ci95])


class Learning(Agent):
    """Raises when it saw its last opponent's cards in a showdown, else calls; writes down what it is told."""

    name = "learning"

    def __init__(self) -> None:
        self.told: list[tuple[str, int, float]] = []

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        self.told.append(("starts", int(table_ids[0]), 0.0))

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        saw = [each for each in self.told if each[0] == "sees"]
        may_raise = decisions.action_mask[:, 2] == 1
        return np.where(may_raise & bool(saw and saw[-1][2] > 0), 2, 1)

    def sees_end(self, ends: Decisions) -> None:
        seen = ends.views["deck"][0, 2 * (1 - ends.seats[0])]
        self.told.append(("sees", int(ends.table_ids[0]), float(seen != NO_CARD)))

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        self.told.append(("ends", int(table_ids[0]), float(payoffs[0, 0])))


def played_by(agent: Agent, hands: int) -> tuple[list[tuple[int, list[int]]], Session]:
    """Return the hands of a session against a player that folds often, and the session with the last on the table."""
    plan = plan_of("limit_holdem-v0", {}, ("learning", "tight_aggressive"))
    game = make_game(plan.env)
    session = Session(plan, game, {0: agent, 1: find_agent("tight_aggressive", game)})
    played = []
    for hand in range(hands):
        session.deal(hand)
        while not session.is_over:
            session.act(session.agent_action())
        played.append((hand, session.actions))
    return played, session


def test_agents_with_memory_remember_and_see_what_they_see_in_a_match() -> None:
    agent, in_match = Learning(), Learning()
    _, session = played_by(agent, 40)
    opponent = find_agent("tight_aggressive", session.game)
    play_match(session.game, [in_match, opponent], 40, session.plan.seed, hands_per_table=40)
    assert agent.told == in_match.told
    assert {number for _, number, _ in agent.told} == {0}
    assert {saw for kind, _, saw in agent.told if kind == "sees"} == {0.0, 1.0}


def test_a_restored_session_has_told_its_agents_all_hands() -> None:
    agent, again = Learning(), Learning()
    played, session = played_by(agent, 12)
    restored = Session(session.plan, session.game, {0: again, 1: find_agent("tight_aggressive", session.game)})
    restored.restore(played)
    assert again.told == agent.told
    assert restored.hand == 11 and restored.payoffs == session.payoffs


def test_a_session_is_restored_with_the_recorded_actions_of_an_agent_that_fails() -> None:
    class Failing(Learning):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
            raise RuntimeError("always")

    played, session = played_by(Learning(), 3)
    agents = {0: Failing(), 1: find_agent("tight_aggressive", session.game)}
    restored = Session(session.plan, session.game, agents)
    restored.restore(played)
    assert restored.payoffs == session.payoffs


@pytest.mark.parametrize("hook", ["deal_starts", "observe_actions", "sees_end", "deal_ends"])
def test_a_hand_goes_on_if_an_agent_fails_in_a_hook(hook: str, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("always")

    fail.__name__ = hook
    failing = type("Failing", (Learning,), {hook: fail})()
    played, session = played_by(failing, 8)
    expected, _ = played_by(Learning(), 8)
    assert [hand for hand, _ in played] == [hand for hand, _ in expected]
    assert session.is_over and f"failed in {hook}: RuntimeError: always" in caplog.text


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("block", [1, 2, 5, 20])
def test_deals_come_again_with_everybody_in_every_seat_and_not_at_once(players: int, block: int) -> None:
    plan = Plan("limit_holdem-v0", {}, (Player("x", None),) * players, 0, block)
    seen: dict[int, list[int]] = {}
    last: dict[int, int] = {}
    for hand in range(3 * players * plan.block_size):
        deal = plan.deal(hand)
        assert hand - last.get(deal, -block) >= min(block, plan.block_size)
        last[deal] = hand
        seen.setdefault(deal, []).append(plan.seat_of(0, hand))
        assert plan.player_at(plan.seat_of(1, hand), hand) == 1
    assert all(Counter(seats) == Counter(range(players)) for seats in seen.values())


def test_results_without_luck_are_those_of_control_variates(tmp_path: Path) -> None:
    plan = plan_of("limit_holdem-v0", {}, ("random", "always_call"))
    store = Store(tmp_path / "results.sqlite")
    play_hands(session_of(plan), 120, store, store.add_session(plan, [None, None]))
    (row,) = compute_results(store, Catalogue(), people_only=False)
    assert row.adjusted_mean is not None and row.adjusted_ci95 is not None
    assert row.adjusted_ci95[0] < row.adjusted_mean < row.adjusted_ci95[1]
    assert row.ci95[0] is not None and row.ci95[1] is not None
    assert row.adjusted_ci95[1] - row.adjusted_ci95[0] < row.ci95[1] - row.ci95[0]


def test_exported_hands_replay_and_the_csv_has_a_line_for_every_player(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    for env, settings, agents in TABLES[:3]:
        plan = plan_of(env, settings, agents, block=2)
        play_hands(session_of(plan), 2 * plan.num_players * plan.block_size, store, store.add_session(plan, [None] * 4))
    hands = sum(len(store.hands(session.id)) for session in store.sessions())
    assert write_hands(store, Catalogue(), tmp_path / "saved") == hands
    report = replay_paths(tmp_path / "saved")
    assert (report.num_hands, report.num_matched) == (hands, hands)
    write_hands(store, Catalogue(), tmp_path / "hands.csv")
    lines = (tmp_path / "hands.csv").read_text().splitlines()
    assert len(lines) == 1 + sum(
        len(session.plan.players) * len(store.hands(session.id)) for session in store.sessions()
    )
    with pytest.raises(ValueError, match="exists already"):
        write_hands(store, Catalogue(), tmp_path / "hands.csv")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE decision SET action = 99 WHERE hand = 1",
        "UPDATE hand SET payoffs = '[1]'",
        "UPDATE hand SET payoffs = 7",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["hands.csv", "saved"])
def test_damaged_hands_are_not_exported(damage: str, name: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    plan = plan_of(*TABLES[0])
    play_hands(session_of(plan), 4, store, store.add_session(plan, [None] * 4))
    with contextlib.closing(sqlite3.connect(store.path)) as database, database:
        database.execute(damage)
    with pytest.raises(ValueError, match=r"results\.sqlite"):
        write_hands(store, Catalogue(), tmp_path / name)
    assert not (tmp_path / "hands.csv").exists()


def test_a_damaged_schema_is_refused_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    Store(path).close()
    content = path.read_bytes()
    assert b"KEY" in content
    path.write_bytes(content.replace(b"KEY", b"\xf7EY"))
    with pytest.raises(ValueError, match=r"results\.sqlite is not a file of results"):
        Store(path)


def test_a_damaged_hand_is_not_shown(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    plan = plan_of(*TABLES[0])
    play_hands(session_of(plan), 4, store, store.add_session(plan, [None] * 4))
    library = Library(Catalogue(), store)
    [listed] = library.list_recordings()
    with contextlib.closing(sqlite3.connect(store.path)) as database, database:
        database.execute("UPDATE decision SET action = 99 WHERE hand = 1")
    assert library.moment(listed["name"], 0, 0).hand == 0
    with pytest.raises(ValueError, match=r"results\.sqlite, session 1: a stored decision, 99, is not legal"):
        library.moment(listed["name"], 1, 0)


def test_short_names_of_players() -> None:
    def names(env: str, *agents: str | None) -> list[str]:
        return [each.name for each in name_players([Player(agent or "you", agent) for agent in agents], env)]

    ppo, tight = "ppo_no_limit_six_max", "tight_no_limit_six_max:greedy"
    assert names("no_limit_holdem-v0", None, ppo, ppo, tight) == ["you", "ppo", "ppo (2)", "tight:greedy"]
    assert names("big2-v0", None, "ppo_big2", "big2_planner") == ["you", "ppo", "planner"]
    assert names("limit_holdem-v0", "ppo_limit_hu", "ppo_limit_six_max") == ["ppo_limit_hu", "ppo_limit_six_max"]
    assert names("kuhn_poker-v0", None, None) == ["you", "you (2)"]
