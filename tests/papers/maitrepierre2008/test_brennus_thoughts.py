"""What Brennus tells of its beliefs and strategies, and tables where it did not see everything."""

from __future__ import annotations

import numpy as np
import pytest

from card_baselines import cli
from card_baselines.papers.maitrepierre2008.brennus import Brennus, class_name, likeliest, strength_distribution
from card_baselines.web.catalogue import Catalogue
from card_envs.agent import Decisions, find_agent
from card_envs.agent.decisions import decisions_at
from card_envs.cards import card_id
from card_envs.game import Tables
from card_envs.games.holdem.presets import limit_holdem
from card_envs.match import play_match
from card_envs.poker.hands import HANDS
from tests.helpers.terminal import type_answers

GAME = limit_holdem()
ROW = np.zeros(1, np.int64)


def table_at(actions: str, cards: str = "7c2dAsAhKsQhTd4c3s") -> Tables:
    """One table after some actions (f, c, r); the button is player 0."""
    tables = GAME.seeded_tables(1, 0)
    deck = [card_id(cards[k : k + 2]) for k in range(0, len(cards), 2)]
    GAME.deal_with(tables, 0, {"button": 0, "deck": deck})
    for action in actions:
        assert GAME.step(tables, 0, "fcr".index(action)) != -2
    return tables


def decision_at(actions: str) -> Decisions:
    return decisions_at(GAME, table_at(actions), ROW, ROW, np.array([0.5]))


def even_beliefs() -> np.ndarray:
    return np.full(len(HANDS), 1 / len(HANDS))


def test_likeliest_hands_are_named_whatever_their_suits() -> None:
    assert class_name(card_id("As"), card_id("Kd")) == class_name(card_id("Kd"), card_id("As")) == "AKo"
    assert class_name(card_id("9s"), card_id("Ts")) == "T9s"
    assert class_name(card_id("2c"), card_id("2h")) == "22"
    probability = np.where([class_name(*map(int, hand)) == "QQ" for hand in HANDS], 0.1, 0.4 / (len(HANDS) - 6))
    (first, chance), *others = likeliest(probability)
    assert (first, chance) == ("QQ", pytest.approx(0.6))
    assert len(others) == 5


def test_strengths_are_spread_as_the_board_says() -> None:
    view = table_at("cccccc")[0]
    even = strength_distribution(even_beliefs(), view)
    assert even.sum() == pytest.approx(1)
    assert (even > 0.1).all(), "fifths of all hands"
    aces = np.array([class_name(*map(int, hand)) == "AA" for hand in HANDS])
    assert strength_distribution(aces / aces.sum(), view)[3:].sum() > 0.5


def test_brennus_tells_strategy_beliefs_and_what_the_strategies_won() -> None:
    agent = Brennus(num_trees=5)
    play_match(GAME, [agent, find_agent("always_call", GAME)], 30, 1, hands_per_table=30)
    decisions = decision_at("ccccr")
    agent.deal_starts(ROW)
    agent.act(decisions, np.random.default_rng(0))
    first, second = agent.explain(decisions)[0].splitlines()
    assert first.startswith(f"strategy {agent.strategy_at(0) + 1} of 5 reads you as")
    assert first.count(" a hand") + first.count("hardly played") == 5
    shares = [float(part.rstrip("%;")) for part in second.split("strongest: ")[1].split(";")[0].split()]
    assert sum(shares) == pytest.approx(100, abs=3)
    assert "likeliest: " in second


def test_before_the_flop_nothing_is_believed() -> None:
    agent, decisions = Brennus(num_trees=5), decision_at("")
    agent.act(decisions, np.random.default_rng(0))
    assert "nothing believed before the flop" in agent.explain(decisions)[0]


def test_a_table_that_nobody_announced_is_joined() -> None:
    """After nine decisions the record no longer holds the first: the beliefs begin here, and follow what comes."""
    agent, late = Brennus(num_trees=5), decision_at("crrcrrcrc")
    agent.act(late, np.random.default_rng(0))
    believed = agent.beliefs_at(0)
    assert believed.sum() == pytest.approx(1)
    assert np.unique(believed[believed > 0].round(12)).size == 1, "nothing was seen that tells hands apart"
    tables = late._tables
    assert GAME.step(tables, 0, 1) != -2
    while int(tables["actor"][0]) != int(late.seats[0]):
        assert GAME.step(tables, 0, 2) != -2
    agent.act(decisions_at(GAME, tables, ROW, ROW, np.array([0.5])), np.random.default_rng(0))
    assert np.unique(agent.beliefs_at(0).round(12)).size > 2


def test_a_hand_that_was_not_announced_does_not_end_in_nonsense() -> None:
    agent, rng = Brennus(num_trees=5), np.random.default_rng(0)
    for actions in ("ccccccr", "", "cccccc", "rcr", "ccrrcrrc", "cc", "ccccr"):
        decisions = decision_at(actions)
        assert agent.act(decisions, rng)[0] in decisions.legal_actions(0)
        assert agent.beliefs_at(0).sum() == pytest.approx(1)


def test_a_session_that_ends_in_mid_hand_keeps_what_was_learned() -> None:
    agent = Brennus(num_trees=5)
    play_match(GAME, [agent, find_agent("always_call", GAME)], 20, 1, hands_per_table=20)
    rewards = list(agent.session(0).rewards)
    agent.deal_starts(ROW)
    agent.act(decision_at("cccc"), np.random.default_rng(0))
    agent.deal_starts(ROW)  # the hand before never ended
    assert agent.session(0).rewards == rewards
    assert len(rewards) == 20
    agent.act(decision_at(""), np.random.default_rng(0))
    agent.deal_ends(ROW, np.array([[3.0, -3.0]]))
    assert agent.session(0).rewards == [*rewards, 3.0]


def test_a_person_sees_beliefs_and_the_strategy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for flags, shown in (((), True), (("--no-thoughts",), False)):
        type_answers(monkeypatch, *["1"] * 20)
        assert cli.main(("play", "limit_holdem-v0", "--agents", "brennus", "--hands", "2", "--seed", "3", *flags)) == 0
        out = capsys.readouterr().out
        assert ("strategy 1 of 5 reads you as 0% loose-passive" in out) == shown
        assert ("your hand, weakest fifth to strongest: " in out) == shown


def test_at_the_terminal_brennus_remembers_the_hands_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_answers(monkeypatch, *["1"] * 120)
    assert cli.main(("play", "limit_holdem-v0", "--agents", "brennus", "--hands", "12", "--seed", "3")) == 0
    hands = capsys.readouterr().out.split("--- hand ")[1:]
    assert len(hands) == 12
    assert "1* hardly played" in hands[0]
    assert hands[-1].count("hardly played") == 0, "each strategy has played two hands"


def test_the_table_in_a_browser_tells_them_too() -> None:
    catalogue = Catalogue()
    for actions in ("ccccccr", "cc", "ccccr"):
        thought = catalogue.advise(GAME, table_at(actions), "brennus")
        assert "your hand, weakest fifth to strongest: " in thought["note"]
        assert sum(each["probability"] for each in thought["actions"]) == pytest.approx(1)
