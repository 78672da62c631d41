"""How agents play: each statistic as its definition says, for players whose numbers are known."""

from __future__ import annotations

import pytest

from card_envs.agent import RandomAgent
from card_envs.games.big2.presets import big2
from card_envs.games.holdem.presets import leduc_holdem, limit_holdem, no_limit_holdem
from card_envs.match import play_match
from card_envs.statistics import Statistic, make_play_counter, statistics_json
from tests.helpers.scripted_agents import always_call, always_fold, always_raise


def statistics_of(game, agents, hands, num_tables=4096):
    callback = make_play_counter(game)
    play_match(game, agents, hands, 0, duplicate=True, num_tables=num_tables, callbacks=[callback])
    return [{each.name: each for each in statistics} for statistics in callback.compute_statistics()]


def values(statistics: dict[str, Statistic]) -> dict[str, float | None]:
    return {name: each.value for name, each in statistics.items()}


def test_a_caller_and_a_raiser() -> None:
    """Each street the raiser bets once and the caller calls; before the flop the caller on the button limps first."""
    caller, raiser = statistics_of(limit_holdem(), [always_call(), always_raise()], 200)
    half = caller.pop("W$SD").value, raiser.pop("W$SD").value
    assert 0.35 < half[0] < 0.65 and 0.35 < half[1] < 0.65  # type: ignore[operator]
    assert values(caller) == {
        "VPIP": 1.0, "PFR": 0.0, "3-bet": 0.0, "aggression factor": 0.0, "WTSD": 1.0, "aggression": 0.0,
        "distorted aggression": 0.0, "tightness": 0.0,
    }  # fmt: skip
    assert values(raiser) == {
        "VPIP": 1.0, "PFR": 1.0, "3-bet": None, "aggression factor": None, "WTSD": 1.0, "aggression": None,
        "distorted aggression": 1.0, "tightness": 0.0,
    }  # fmt: skip


def test_two_raisers_bet_three_times_before_the_flop() -> None:
    """Button raises, big blind raises again (3-bet), button raises to the cap, big blind calls."""
    for raiser in statistics_of(limit_holdem(), [always_raise(), always_raise()], 100):
        assert (raiser["3-bet"].value, raiser["3-bet"].occasions) == (1.0, 50)
        assert raiser["PFR"].value == 1.0
        assert raiser["aggression factor"].occasions == 150, "one call on each later street, by turns"


def test_a_folder() -> None:
    folder, raiser = statistics_of(limit_holdem(), [always_fold(), always_raise()], 100)
    assert values(folder) == {
        "VPIP": 0.0, "PFR": 0.0, "3-bet": 0.0, "aggression factor": None, "WTSD": None, "W$SD": None,
        "aggression": None, "distorted aggression": None, "tightness": None,
    }  # fmt: skip
    assert (raiser["WTSD"].value, raiser["WTSD"].occasions) == (None, 0)


def test_checks_count_neither_as_calls_nor_as_folds() -> None:
    first, second = statistics_of(limit_holdem(), [always_call(), always_call()], 100)
    assert first["VPIP"].value == second["VPIP"].value == 0.5, "the button pays half a bet, the big blind checks"
    assert first["tightness"].occasions == 50


def test_shares_have_wilson_intervals() -> None:
    """10 of 20: (0.5 +- 1.96 sqrt(0.25 / 20 + 1.96^2 / 1600) / 1.192) = (0.2993, 0.7007)."""
    (caller, _) = statistics_of(limit_holdem(), [always_call(), always_call()], 20)
    assert caller["VPIP"].ci95 == pytest.approx((0.2993, 0.7007), abs=5e-5)
    report = statistics_json(tuple(caller.values()))
    assert report["VPIP"]["n"] == 20
    assert "ci95" not in report["tightness"]


@pytest.mark.parametrize("game", [no_limit_holdem(6), leduc_holdem(), big2()], ids=lambda game: game.name)
def test_the_number_of_tables_changes_nothing(game) -> None:
    agents = [RandomAgent() for _ in range(game.num_seats)]
    assert statistics_of(game, agents, 60, num_tables=7) == statistics_of(game, agents, 60)


def test_big2() -> None:
    players = statistics_of(big2(), [RandomAgent() for _ in range(4)], 80)
    assert sum(player["win rate"].value for player in players) == pytest.approx(1.0)
    assert sum(player["control share"].value for player in players) == pytest.approx(1.0)
    for player in players:
        assert 1 <= player["cards left"].value <= 13
        assert player["cards left"].occasions == 80 - round(80 * player["win rate"].value)
