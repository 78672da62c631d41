"""Matches that stop when their adjusted result is decided: right at all looks together, and soon."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from card_baselines.agents.scripted.equity import Equity
from card_baselines.agents.scripted.made_hand_rules import TightAggressive
from card_envs.agent import RandomAgent
from card_envs.analysis.variance.control_terms import ControlUnits
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.analysis.variance.sequential import SequentialSamples
from card_envs.games.holdem.presets import limit_holdem
from card_envs.match import MatchResult, StoppingRule, play_match
from card_envs.match.summary import Summary
from tests.helpers.scripted_agents import always_call

RULE = StoppingRule()
UNITS = ControlUnits(np.zeros(6, bool), 1.0)


def adjusted_match(
    agents: list[Equity | TightAggressive | RandomAgent], hands: int, seed: int, num_tables: int = 4096, **options: int
) -> tuple[MatchResult, tuple[Summary, ...]]:
    controls = ControlVariates(limit_holdem(), agents, seed, until=RULE, **options)
    result = play_match(
        limit_holdem(),
        agents,
        hands,
        seed,
        num_tables=num_tables,
        until=controls.until,
        callbacks=[controls],
        **options,
    )
    return result, tuple(each.summary for each in controls.adjust(result))


def made_up(count: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return controls and results with mean zero, skewed and heavy-tailed, of which controls explain nine tenths."""
    controls = rng.choice([-1.05, -0.55, 0.45, 5.95], p=[0.6, 0.1, 0.2, 0.1], size=(count, 6))
    rest = rng.choice([-1.05, -0.55, 0.45, 5.95], p=[0.6, 0.1, 0.2, 0.1], size=count)
    return controls, controls @ np.array([1.0, -1.0, 0.5, 0.5, 0.5, 0.5]) + 0.6 * rest


def test_between_equals_it_errs_in_5_of_100_matches_at_most_although_it_looks_all_the_time() -> None:
    rng = np.random.default_rng(4)
    errors, widths = 0, []
    for _ in range(200):
        controls, results = made_up(4000, rng)
        samples = SequentialSamples(UNITS)
        samples.add(controls[:, None], results[:, None])
        errors += RULE.first_decision(*samples.first(4000)) is not None
        adjusted, plain = RULE.summarise("", *samples.first(4000)), RULE.summarise("", results)
        widths.append((adjusted.ci95[1] - adjusted.ci95[0]) / (plain.ci95[1] - plain.ci95[0]))
    assert errors <= 10
    assert np.mean(widths) < 0.5


@pytest.mark.slow
def test_between_equal_agents_it_errs_in_5_of_100_matches_at_most() -> None:
    results = [adjusted_match([Equity(), Equity()], 2500, seed)[0] for seed in range(150)]
    errors = sum(result.is_decided for result in results)
    print(f"{errors} of {len(results)} matches between equals were decided")
    assert errors <= 0.05 * len(results)


def test_adjusted_results_know_nothing_of_later_deals() -> None:
    controls, results = made_up(900, np.random.default_rng(0))
    other, others = made_up(900, np.random.default_rng(1))
    whole, changed = SequentialSamples(UNITS), SequentialSamples(UNITS)
    whole.add(controls[:, None], results[:, None])
    changed.add(np.concatenate([controls[:500], other])[:, None], np.concatenate([results[:500], others])[:, None])
    for one, two in zip(whole.first(500), changed.first(500), strict=True):
        assert np.array_equal(one, two)
    assert np.array_equal(whole.first(50)[0], results[:50]), "nothing is known yet"
    assert whole.first(900)[1][-1] > 5, "later deals count for more"


@pytest.mark.slow
def test_a_match_is_decided_sooner_whatever_the_number_of_tables() -> None:
    agents: list[Equity | TightAggressive | RandomAgent] = [Equity(), TightAggressive()]
    result, adjusted = adjusted_match(agents, 3000, 1)
    assert result.is_decided and result.hands < 2600
    assert adjusted[0].ci95[1] < 0 < adjusted[1].ci95[0], "the second wins"
    assert result.agents[0].ci95[1] > 0, "20,000 plain hands and more are needed"
    in_parts, same = adjusted_match(agents, 3000, 1, num_tables=333)
    assert in_parts.hands == result.hands
    assert same[0].mean == pytest.approx(adjusted[0].mean, abs=1e-9)


def test_plain_intervals_and_those_by_position_stay_those_that_hold_whenever_the_match_stops() -> None:
    result, _ = adjusted_match([RandomAgent(), TightAggressive()], 700, 0)
    assert result.agents[0] == RULE.summarise("random", result.deal_means[:, 0])
    for position, summary in enumerate(result.by_position[0]):
        payoffs = result.payoffs[result.positions[:, 0] == position, 0] / result.chips_per_reward
        assert summary == RULE.summarise(result.position_names[position], payoffs)


def test_samples_are_tables_for_agents_with_memory() -> None:
    result, adjusted = adjusted_match([RandomAgent(), TightAggressive()], 1200, 0, hands_per_table=2)
    assert result.is_decided and result.hands == 1000
    assert adjusted[0].num_samples == 500


def test_more_hands_were_watched_than_decided_it_whatever_the_number_of_tables() -> None:
    agents: list[Equity | TightAggressive | RandomAgent] = [RandomAgent(), TightAggressive()]
    result, adjusted = adjusted_match(agents, 1200, 0)
    assert result.is_decided and result.hands == adjusted[0].num_samples < 1000
    in_parts, same = adjusted_match(agents, 1200, 0, num_tables=133)
    assert in_parts.hands == result.hands
    assert same[0].mean == pytest.approx(adjusted[0].mean, abs=1e-9)


def test_equal_agents_in_duplicate_deals_are_left_alone() -> None:
    """Every deal's plain result is zero, and what one of its hands teaches must not make it anything else."""
    agents = [always_call(), always_call()]
    controls = ControlVariates(limit_holdem(), agents, 0)
    result = play_match(limit_holdem(), agents, 1500, 0, duplicate=True, callbacks=[controls])
    assert all(abs(each.summary.mean) < 1e-9 and each.summary.sd < 1e-6 for each in controls.adjust(result))
