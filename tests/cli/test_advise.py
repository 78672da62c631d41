from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines import advice
from card_baselines.advice import estimate_value
from card_baselines.situations import read_line
from card_envs import make_game
from card_envs.agent import Agent, Decisions, RandomAgent
from tests.helpers.shell import Shell

LINE = ["advise", "no_limit_holdem-v0", "--hole", "AhKd", "--agent"]


def test_probabilities_and_equity_of_a_line(shell: Shell) -> None:
    report = shell.reports(*LINE, "random", "--board", "7c8c2s", "--history", "r4 c / k r8")
    names = [action["name"] for action in report["actions"]]
    assert names[:2] == ["fold", "call 8"] and report["seat"] == 1
    assert sum(action["probability"] for action in report["actions"]) == pytest.approx(1.0)
    assert 0.3 < report["equity"] < 0.8
    printed = shell.prints(*LINE, "always_call")
    assert "Ah Kd" in printed and "100.0%" in printed


def test_the_value_has_its_interval_and_the_deals_it_rests_on(shell: Shell) -> None:
    line = [*LINE, "always_call", "--board", "7c8c2s", "--history", "r4 c / k r8"]
    report = shell.reports(*line)
    low, high = report["value_ci95"]
    assert low < report["value"] < high and report["value_error"] > 0 and report["value_note"] is None
    assert 20 <= report["value_deals"] <= 200
    pattern = r"wins [+-]\d+\.\d\d [±+-].* bb in this deal, .* \(\d+ deals of the hidden cards\)"
    assert re.search(pattern, shell.prints(*line))


@pytest.mark.parametrize("actions", [[0], [1.5], [1, 1], None])
def test_an_agent_that_plays_out_no_legal_action_is_refused(actions: Any) -> None:
    class Wrong(RandomAgent):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            return actions if actions is None or len(actions) > 1 else np.full(len(decisions), actions[0])

    game = make_game("kuhn_poker-v0")
    tables = game.seeded_tables(1, 0)
    game.deal(tables, 0)
    with pytest.raises(ValueError, match=r"chose an illegal action: fold|integers are needed"):
        estimate_value(game, Wrong(), tables, int(tables["actor"][0]))


@pytest.mark.parametrize("history", ["/", "///", "c / k", "r4 / c"])
def test_a_street_ends_where_the_history_has_a_slash(history: str, shell: Shell) -> None:
    error = shell.refuses(*LINE, "always_call", "--history", history)
    assert "a / is on the wrong street: the preflop is not over" in error


class Slow(Agent):
    """Calls, and takes 0.9 seconds for it by the clock of the test."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def act(self, decisions: Decisions, rng: np.random.Generator) -> np.ndarray:
        self._clock.now += 0.9
        return np.ones(len(decisions), np.int64)


class Clock:
    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.mark.parametrize(("board", "deals"), [("7c8c2s", 10), ("7c8c2sKhQd", 20)])
def test_a_slow_agent_has_a_value_of_few_deals_or_a_sentence(
    monkeypatch: pytest.MonkeyPatch, board: str, deals: int
) -> None:
    game, clock = make_game("limit_holdem-v0"), Clock()
    monkeypatch.setattr(advice, "time", clock)
    history = "c k / k" if deals < 20 else "c k / k k / k k / k"
    situation = read_line(game, "AhKd", board, history, 0, ())
    found = advice.advise_on(game, situation.tables, Slow(clock))
    assert found.value_deals == deals
    if deals == 20:
        assert found.value is not None and found.value_ci95 is not None and found.value_note is None
    else:
        assert found.value is None and found.value_ci95 is None
        assert found.value_note == "no value: slow played out 10 deals in 5 seconds, at least 20 are needed"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--board", "7c8c2s"], "leads to a board of 0 cards, but 3 are named"),
        (["--board", "7c8cAh"], "all different"),
        (["--history", "f"], "the hand is over"),
        (["--history", "c / k"], "is on the wrong street"),
        (["--history", "r5000"], "is not legal"),
        (["--history", "dance"], "not an action"),
    ],
)
def test_situations_that_do_not_fit_are_refused(shell: Shell, more: list[str], message: str) -> None:
    assert message in shell.refuses(*LINE, "random", *more)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hole", "AhKd", "--number", "3"], "--number is a hand of --file"),
        (["--stdin", "--number", "3"], "--number is a hand of --file"),
        (["--file", "a.phh", "--board", "7c8c2s"], "--board: for a situation with --hole"),
        (["--stdin", "--history", "c", "--button", "1"], "--history, --button: for a situation with --hole"),
        (["--file", "a.phh", "--stacks", "17", "40"], "--stacks: for a situation with --hole"),
    ],
)
def test_options_that_would_be_ignored_are_refused(shell: Shell, words: list[str], message: str) -> None:
    assert message in shell.refuses("advise", "no_limit_holdem-v0", "--agent", "random", *words)


def test_amounts_beside_the_bet_menu_are_played_as_they_are(shell: Shell) -> None:
    report = shell.reports(*LINE, "random", "--board", "7c8c2s", "--history", "r5 c / k r7")
    assert "call 7" in {action["name"] for action in report["actions"]}
    assert "raise to 4" in shell.refuses(*LINE, "random", "--history", "r3")


def test_stacks_of_the_seats_can_be_given(shell: Shell) -> None:
    assert "raise to 17 all-in" in shell.prints(*LINE, "random", "--stacks", "17", "40", "--json")


def test_situations_are_read_as_json_lines(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["advise", "limit_holdem-v0", "--agent", "always_call", "--stdin"]
    lines = ['{"hole": "AhKd"}', "", '{"hole": "7c7d", "board": "2c2d2h", "history": "c k / k", "button": 1}']
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    first, second = map(json.loads, shell.prints(*command).splitlines())
    assert (first["seat"], second["seat"]) == (0, 1) and first["equity"] < second["equity"]
    assert first["actions"][0] == {"action": 1, "name": "call 1", "probability": 1.0}
    for wrong in (
        "{",
        "[]",
        '{"board": ""}',
        '{"hole": 3}',
        '{"hole": "AhKd", "stacks": [1.5]}',
        '{"hole": "AhAh"}',
        '{"hole": "AhKd", "hole": "7c7d"}',
        '{"hole": "AhKd", "button": true}',
        '{"hole": "AhKd", "button": 2}',
        '{"hole": "AhKd", "stacks": [1e30, 1]}',
        "[" * 100_000,
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(wrong))
        assert "line 1: " in shell.refuses(*command)


@pytest.mark.parametrize(
    ("env", "agents", "suffix"),
    [
        ("no_limit_holdem-v0", ["always_call", "random"], ".phhs"),
        ("no_limit_holdem-v0", ["always_call", "random"], ".pokerstars"),
        ("limit_holdem-v0", ["always_call", "random"], ".acpc"),
        ("big2-v0", ["big2_greedy", "random", "random", "random"], ".big2"),
    ],
)
def test_an_agent_agrees_with_what_it_did_in_recorded_hands(
    shell: Shell, tmp_path: Path, env: str, agents: list[str], suffix: str
) -> None:
    file, hands = tmp_path / f"hands{suffix}", "2" if env == "big2-v0" else "6"
    shell.prints("match", env, "--agents", *agents, "--hands", hands, "--save", str(file))
    decisions = shell.reports("advise", env, "--agent", agents[0], "--file", str(file))
    own = [each for each in decisions if each["player"] == agents[0]]
    assert 5 < len(own) < len(decisions)
    assert all(each["actions"][0]["name"] == each["taken"] for each in own)
    printed = shell.prints("advise", env, "--agent", agents[0], "--file", str(file), "--number", "2")
    assert "hand 2, decision 1" in printed and "hand 1, decision" not in printed


def test_decisions_of_seats_whose_cards_are_not_recorded_are_left_out(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "hand.phh"
    file.write_text(
        "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\nstarting_stacks = [100, 100]\n"
        "players = ['Ann', 'Bob']\nactions = ['d dh p1 ????', 'd dh p2 AsKs', 'p2 cbr 5', 'p1 cbr 21', 'p2 f']\n"
    )
    decisions = shell.reports("advise", "no_limit_holdem-v0", "--agent", "random", "--file", str(file))
    assert [(each["player"], each["taken"]) for each in decisions] == [("Bob", "raise to 5"), ("Bob", "fold")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["limit_holdem-v0", "--agent", "random"], "name one situation"),
        (["limit_holdem-v0", "--agent", "random", "--hole", "AsKs", "--stdin"], "name one situation"),
        (["big2-v0", "--agent", "random", "--hole", "AsKs"], "not Texas hold'em"),
        (["limit_holdem-v0", "--agent", "random", "--file", "missing.phh"], "missing.phh"),
    ],
)
def test_what_is_no_situation_is_refused(shell: Shell, words: list[str], message: str) -> None:
    assert message in shell.refuses("advise", *words)
