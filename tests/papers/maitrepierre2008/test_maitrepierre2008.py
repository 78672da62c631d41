"""Maitrepierre et al. (2008): models, beliefs, trees, bandit, the players, and the reproduction at its smallest."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.cli import main
from card_baselines.papers.maitrepierre2008 import beliefs, forest
from card_baselines.papers.maitrepierre2008.bandit import Ucb
from card_baselines.papers.maitrepierre2008.beliefs import BELIEFS, STRENGTHS, TableRecords
from card_baselines.papers.maitrepierre2008.brennus import Brennus, BrennusLoose, BrennusTight
from card_baselines.papers.maitrepierre2008.forest import FOREST
from card_baselines.papers.maitrepierre2008.models import strategy_tables
from card_baselines.papers.maitrepierre2008.paper import PAPER
from card_baselines.papers.maitrepierre2008.vexbot_like import VexbotLike
from card_envs.agent import Decisions, find_agent
from card_envs.analysis.exploitability.range_equity import equities_against
from card_envs.cards import card_id
from card_envs.games.holdem.presets import limit_holdem
from card_envs.match import play_match
from card_envs.poker.hands import HANDS, hand_number

FOLD, CALL, RAISE = range(3)
GAME = limit_holdem()


def table_at(cards: str, actions: str, button: int = 0) -> Any:
    """One table after some actions (f, c, r), its first cards as given."""
    tables = GAME.seeded_tables(1, 0)
    deck = [card_id(cards[k : k + 2]) for k in range(0, len(cards), 2)]
    GAME.deal_with(tables, 0, {"button": button, "deck": deck})
    for action in actions:
        assert GAME.step(tables, 0, "fcr".index(action)) != -2
    return tables


# --- models ---


def test_models_are_probabilities_and_strategies_lie_between_them() -> None:
    tables = strategy_tables()
    assert tables.shape == (5, 3, 5, 24, 3)
    assert np.allclose(tables.sum(axis=-1), 1) and (tables >= 0).all()
    assert np.allclose(tables[2], (tables[0] + tables[4]) / 2)
    assert (tables[0][..., RAISE] >= tables[4][..., RAISE]).all(), "aggressive raises more than passive"


# --- beliefs ---


def test_hands_are_judged_as_the_chance_against_random_hands_says() -> None:
    tables = table_at("AsAh7c2dKsQhTd4c3s", "cccccc")
    strengths = np.zeros(1, STRENGTHS)
    beliefs.write_hand_strengths(strengths[0], tables[0], np.int64(5), np.uint64(1))
    aces = hand_number(np.int64(card_id("As")), np.int64(card_id("Ah")))
    against = equities_against(tables, np.array([0]), np.array([0.5]), 1)[0]
    seen = {int(card) for card in tables[0].deck[:9] if card != tables[0].deck[2] and card != tables[0].deck[3]}
    possible = [not ({int(a), int(b)} & seen) for a, b in HANDS]
    assert strengths[0]["share"][aces] == pytest.approx(against[possible].mean(), abs=0.01)


def test_beliefs_follow_bayes_rule_on_the_river() -> None:
    """Both check to the river, where the opponent bets: odds of hands change by the ratio of the model's raises."""
    tables = table_at("7c2dAsAh" + "KsQhTd4c3s", "ccccccr")
    assert (tables[0].street, tables[0].actor) == (3, 0)
    model = strategy_tables()[0]
    b, s = np.zeros(1, BELIEFS), np.zeros(1, STRENGTHS)
    view = tables.copy()
    before = np.zeros(1, BELIEFS)
    for record, decisions in ((before, 6), (b, 7)):
        beliefs.begin(record[0], view[0])
        shorter = view.copy()
        shorter["num_decisions"] = decisions
        beliefs.update_beliefs(record[0], shorter[0], np.int64(0), model, s[0], np.uint64(1))
    beliefs.write_hand_strengths(s[0], view[0], np.int64(5), np.uint64(1))
    bins = np.minimum((s[0]["share"] * 5).astype(int), 4)
    expected = before[0]["probability"] * model[2, bins, 4 // 4, RAISE]  # pot of four chips, two big blinds
    assert b[0]["probability"] == pytest.approx(expected / expected.sum())
    assert b[0]["probability"].sum() == pytest.approx(1)
    own = {card_id("7c"), card_id("2d")}
    assert all(b[0]["probability"][k] == 0 for k, hand in enumerate(HANDS) if own & {int(hand[0]), int(hand[1])})


def test_an_impossible_history_begins_anew_and_is_counted() -> None:
    tables = table_at("7c2dAsAhKsQhTd4c3s", "ccccccr")
    never = strategy_tables()[0].copy()
    never[..., RAISE] = 0.0
    b, s = np.zeros(1, BELIEFS), np.zeros(1, STRENGTHS)
    beliefs.begin(b[0], tables[0])
    beliefs.update_beliefs(b[0], tables[0], np.int64(0), never, s[0], np.uint64(1))
    assert b[0]["resets"] == 1
    possible = b[0]["probability"] > 0
    assert np.isfinite(b[0]["probability"]).all()
    assert possible.sum() == math.comb(52 - 7, 2)


# --- trees ---


def river_values(us: int, them: int, actions: str = "cccccc") -> list[float]:
    """Values of fold, check or call, and raise on the river, where each side loses (0), splits (1) or wins (2)."""
    tables = table_at("7c2dAsAhKsQhTd4c3s", actions)
    f = np.zeros(1, FOREST)
    forest._look_at(f[0], tables[0], np.int64(tables[0].actor))
    forest._show_down(f[0], f[0]["start_pot"], np.int64(3 * us + them))
    forest._add_root(f[0], tables[0])
    return [float(value) for value in f[0]["value"]]


def test_a_tree_on_the_river_by_hand() -> None:
    """The pot holds 4 chips, a bet is 4; who opens sees what a check and what a bet come to."""
    assert river_values(us=2, them=0) == [0, 4, 4]  # the other would fold to a bet, and checks behind
    assert river_values(us=2, them=2) == [0, 20, 20]  # both raise to the cap: 4 + 4 * 4 of the other
    assert river_values(us=0, them=0) == [0, 0, -4]  # who would fold is raised, whatever the other holds
    assert river_values(us=0, them=2) == [0, 0, -4]


def test_a_bet_is_called_raised_or_folded_to_for_its_price() -> None:
    assert river_values(us=0, them=2, actions="ccccccr") == [0, -4, -8]
    fold, call, raises = river_values(us=2, them=0, actions="ccccccr")
    assert (fold, call) == (0, 4 + 4)  # the pot of 4 and the bet of 4 come in, the call is paid back
    assert raises == 4 + 4  # the other folds


def test_equal_values_are_decided_for_the_most_aggressive_action() -> None:
    tables = table_at("7c2dAsAhKsQhTd4c3s", "cccccc")
    f = np.zeros(1, FOREST)
    f["value"] = 0.0, 4.0, 4.0
    assert forest.best_action(f[0], tables[0], 0.0) == RAISE
    f["value"] = 0.0, 4.0, 3.9
    assert forest.best_action(f[0], tables[0], 0.0) == CALL
    assert forest.best_action(f[0], tables[0], 0.2) == RAISE


def test_trees_on_the_flop_value_the_best_hand_above_the_worst() -> None:
    values = []
    for cards in ("AsAh7c2dAdKh9s", "7c2dAsAhAdKh9s"):
        tables = table_at(cards, "cc")
        seat = np.int64(tables[0].actor)
        tables = table_at(cards if seat == 0 else cards[4:8] + cards[:4] + cards[8:], "cc")
        f, b = np.zeros(1, FOREST), np.full(len(HANDS), 1.0)
        seen = forest.visible_cards(tables[0], seat)
        b[[bool((int(seen) >> int(x) | int(seen) >> int(y)) & 1) for x, y in HANDS]] = 0
        f["rng"] = 1, 2, 3, 4
        forest.value_actions(f[0], tables[0], seat, b, np.int64(200))
        values.append(float(max(f[0]["value"][1:])) / 200)
    assert values[0] > 4 > values[1] >= 0


# --- the bandit ---


def test_the_bandit_plays_the_best_arm_most() -> None:
    session, rng = Ucb(3), np.random.default_rng(0)
    for _ in range(900):
        arm = session.choose()
        session.learn(arm, float(rng.normal((0.0, 1.0, -1.0)[arm], 1.0)))
    assert np.bincount(session.played, minlength=3).argmax() == 1
    assert session.change_points == []


def test_the_bound_is_that_of_the_paper() -> None:
    session = Ucb(2)
    for arm, reward in ((0, 1.0), (0, 3.0), (1, 2.0), (1, 2.0), (0, 2.0)):
        session.learn(arm, reward)
    assert session.means == pytest.approx([2.0, 2.0])
    assert session.bounds == pytest.approx([np.std([1.0, 3.0, 2.0]) * math.sqrt(2 * math.log(5) / 3), 0.0])


def test_a_change_point_forgets_all_but_the_last_hands() -> None:
    session = Ucb(1, window=50)
    for hand in range(400):
        session.learn(0, 2.0 + (hand % 2) if hand < 300 else -5.0)
    assert session.change_points
    assert 300 < session.change_points[0] < 350
    assert session.means[0] < 0


# --- the players ---


def test_a_session_is_the_same_however_many_are_played_side_by_side() -> None:
    results = [
        play_match(GAME, [Brennus(num_trees=20), find_agent("always_call", GAME)], 60, 5, hands_per_table=20,
                   num_tables=count).payoffs
        for count in (1, 3)
    ]  # fmt: skip
    assert np.array_equal(*results)


@pytest.mark.slow
def test_raises_tell_the_tight_model_less_than_the_loose_one() -> None:
    """So against somebody who always raises the tight reading wins and the loose one folds its way to a loss."""
    opponent = find_agent("always_raise", GAME)
    tight, loose = (
        play_match(GAME, [agent, opponent], 600, 1, hands_per_table=300).agents[0].mean
        for agent in (BrennusTight(num_trees=60), BrennusLoose(num_trees=60))
    )
    assert tight > 0 > loose


def test_the_adaptive_stand_in_learns_what_it_sees() -> None:
    agent = VexbotLike(GAME)
    play_match(GAME, [agent, find_agent("always_call", GAME)], 60, 1, hands_per_table=30)
    memory = agent._memory.records[:2]
    assert (memory["sequence"][:, :, FOLD] == 0).all()
    assert memory["sequence"][:, :, CALL].sum() > 120
    assert memory["sequence"][:, :, RAISE].sum() == 0
    assert memory["shown"].sum() > 30, "hands that reached a showdown were seen"


@pytest.mark.slow
def test_the_adaptive_stand_in_ends_up_raising_who_never_folds_less_with_bad_hands() -> None:
    class Noting(VexbotLike):
        raises = 0

        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            actions = super().act(decisions, rng)
            self.raises += int((actions == RAISE).sum())
            return actions

    agent = Noting(GAME)
    result = play_match(GAME, [agent, find_agent("always_call", GAME)], 3000, 2, hands_per_table=1000)
    assert result.agents[0].mean > 0.5
    assert agent.raises > 1000


@pytest.mark.slow
def test_the_smallest_reproduction_plays_every_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PAPER.scales, "tiny", replace(PAPER.scales["tiny"], hands=16, long_hands=20))  # type: ignore[index]
    code = main(["reproduce", "maitrepierre2008", "--scale", "tiny", "--folder", str(tmp_path / "run")])
    assert code == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Table 1, small bets per hand" in printed
    assert "small bets per hand, small bets per hand" not in printed
    content = json.loads((tmp_path / "run" / "report.json").read_text())
    matches = [result for result in content["results"] if result["table"] == 1]
    assert len(matches) == 10
    assert all(result["verdict"] and result["verdict_as_printed"] for result in matches)
    verdicts = {claim["claim"]: claim["verdict"] for claim in content["claims"]}
    assert verdicts["Brennus defeats Vexbot"] == "too little training to judge"
    assert (tmp_path / "run" / "figures.png").stat().st_size > 10_000


def test_records_of_tables_that_come_one_by_one_are_seldom_copied() -> None:
    tables, kept = TableRecords(np.dtype([("value", np.int64)])), []
    for table in range(1000):
        tables.find_rows(np.array([table * 7]))
        tables.record_at(table * 7)["value"] = table
        kept += [tables.records] if not kept or kept[-1] is not tables.records else []
    assert [int(tables.record_at(table * 7)["value"]) for table in range(1000)] == list(range(1000))
    assert len(kept) <= 11, "doubled, 1,000 records are allocated ten or eleven times"
