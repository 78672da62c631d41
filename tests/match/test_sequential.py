"""Stopping a match when it is decided, and how many hands that takes: errors at the stated rate, not more."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from card_envs.agent import RandomAgent
from card_envs.games.holdem.presets import limit_holdem
from card_envs.match import StoppingRule, hands_for_interval, hands_needed, play_match
from tests.helpers.scripted_agents import always_call, always_fold, always_raise

RULE = StoppingRule()


def test_looks_do_not_depend_on_how_far_one_goes() -> None:
    looks = RULE.looks(100_000)
    assert looks[0] == 500
    assert RULE.looks(7000) == [look for look in looks if look <= 7000]
    assert all(later >= earlier + 1 for earlier, later in itertools.pairwise(looks))


def test_between_equals_it_errs_in_5_of_100_matches_at_most_although_it_looks_all_the_time() -> None:
    """Skewed, heavy-tailed samples like those of poker; naive peeking at the same looks errs several times as often."""
    rng = np.random.default_rng(1)
    errors = naive = 0
    matches = 400
    for _ in range(matches):
        samples = rng.choice([-1.05, -0.55, 0.45, 5.95], p=[0.6, 0.1, 0.2, 0.1], size=20_000)  # mean 0
        errors += RULE.first_decision(samples) is not None
        looks = np.array(RULE.looks(len(samples)))
        means = np.cumsum(samples)[looks - 1] / looks
        deviations = np.sqrt(np.cumsum(samples**2)[looks - 1] / looks - means**2)
        naive += bool((np.abs(means) > 1.96 * deviations / np.sqrt(looks)).any())
    assert errors / matches <= 0.05
    assert naive / matches > 0.15


def test_intervals_are_little_wider_than_usual_ones() -> None:
    for count in (1000, 5000, 50_000):
        assert 1.2 < float(RULE.half_width(count)) / (1.96 / math.sqrt(count)) < 2.3


def test_the_reach_is_that_of_robbins_mixture() -> None:
    """Written out for rho^2 = 0.01, t = 100: sqrt(2 * (t rho^2 + 1) / (t^2 rho^2) * log(sqrt(t rho^2 + 1) / alpha))."""
    spread = -2 * math.log(0.05) + math.log(-2 * math.log(0.05) + 1)
    rule = StoppingRule(tightest_at=round(spread / 0.01))
    expected = math.sqrt(2 * 2 / (100**2 * 0.01) * math.log(math.sqrt(2) / 0.05))
    assert float(rule.half_width(100)) == pytest.approx(expected, rel=1e-3)


def test_a_match_ends_when_it_is_decided_whatever_the_number_of_tables() -> None:
    agents = [always_raise(), always_fold()]
    for num_tables in (64, 999, 4096):
        result = play_match(limit_holdem(), agents, 100_000, 0, num_tables=num_tables, until=RULE)
        assert (result.hands, result.is_decided) == (500, True)
        assert result.agents[0].ci95[0] > 0
    close = [play_match(limit_holdem(), [RandomAgent(), always_call()], 6000, 3, num_tables=n, until=RULE)
             for n in (500, 4096)]  # fmt: skip
    assert close[0].payoffs.tobytes() == close[1].payoffs.tobytes()


def test_a_margin_decides_between_equals() -> None:
    equals = [RandomAgent(), RandomAgent()]
    assert not play_match(limit_holdem(), equals, 1000, 0, duplicate=True, until=RULE).is_decided
    result = play_match(limit_holdem(), equals, 5000, 0, duplicate=True, until=StoppingRule(margin=0.1))
    assert result.is_decided
    assert result.deals == 500
    assert result.as_json("limit_holdem-v0", {})["until_decided"] == {"decided": True, "margin": 0.1}


@pytest.mark.parametrize("wrong", [{"confidence": 1.0}, {"margin": 0.0}, {"first_look": 1}, {"growth": 1.0}])
def test_rules_that_make_no_sense_are_errors(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        StoppingRule(**wrong)  # type: ignore[arg-type]


def test_hands_needed() -> None:
    """(1.959964 + 0.841621)^2 = 7.848880 standard deviations squared: the textbook's 7.85."""
    assert hands_needed(sd=1.0, difference=1.0) == 8
    assert hands_needed(sd=4.0, difference=0.05) == math.ceil(7.848880 * 6400)
    assert hands_for_interval(sd=4.0, half_width=0.05) == math.ceil(3.841459 * 6400)
    assert hands_needed(sd=0.0, difference=1.0) == 2


def test_hands_needed_find_the_difference_as_often_as_promised() -> None:
    rng = np.random.default_rng(3)
    count = hands_needed(sd=2.0, difference=0.25)
    samples = rng.normal(0.25, 2.0, size=(2000, count))
    found = np.abs(samples.mean(axis=1)) > 1.96 * samples.std(axis=1, ddof=1) / math.sqrt(count)
    assert abs(found.mean() - 0.8) < 0.03


@pytest.mark.parametrize(
    ("sd", "difference", "power"),
    [(-1.0, 0.1, 0.8), (math.nan, 0.1, 0.8), (1.0, 0.0, 0.8), (1.0, 0.1, 1.0), (1e300, 0.1, 0.8), (1.0, 1e-300, 0.8)],
)
def test_numbers_of_hands_that_do_not_exist_are_errors(sd: float, difference: float, power: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        hands_needed(sd, difference, power)


def test_intervals_by_position_hold_whenever_the_match_stops_too() -> None:
    result = play_match(limit_holdem(), [RandomAgent(), always_call()], 2000, 3, until=RULE)
    for place, positions in enumerate(result.by_position):
        for position, summary in enumerate(positions):
            payoffs = result.payoffs[result.positions[:, place] == position, place] / result.chips_per_reward
            assert summary == RULE.summarise(result.position_names[position], payoffs)
