"""Means and intervals of matches, against numbers worked out by hand, from printed tables."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from card_envs.match.summary import (
    FEWEST_HANDS,
    num_hands_needed,
    skewness,
    student_t_quantile,
    summarise,
    summarise_deals,
)

PRINTED_T = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 10: 2.228, 29: 2.045, 30: 2.042, 60: 2.000, 120: 1.980}
"""The 97.5 % column of any table of Student's t."""


@pytest.mark.parametrize(("df", "value"), PRINTED_T.items())
def test_quantiles_are_the_printed_ones(df: int, value: float) -> None:
    assert student_t_quantile(0.975, df) == pytest.approx(value, abs=5e-4)


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'card-envs\[stats\]'"):
        summarise("a", np.array([1.0, 2.0]))


def test_four_samples_by_hand() -> None:
    summary = summarise("a", np.array([1.0, 2.0, 3.0, 6.0]))
    deviations = 4.0 + 1.0 + 0.0 + 9.0
    error = math.sqrt(deviations / 3 / 4)
    assert summary.mean == 3.0
    assert summary.standard_error == pytest.approx(error)
    assert summary.ci95 == pytest.approx((3.0 - 3.18245 * error, 3.0 + 3.18245 * error), rel=1e-5)
    assert summary.num_samples == 4


def test_one_sample_says_nothing_about_its_error() -> None:
    summary = summarise("a", np.array([2.5]))
    assert summary.mean == 2.5
    assert summary.ci95 == (-math.inf, math.inf)
    assert math.isnan(summary.standard_error)


def test_equal_samples_have_an_interval_of_no_width() -> None:
    assert summarise("a", np.full(50, -0.75)).ci95 == (-0.75, -0.75)


def test_scaling_changes_the_unit() -> None:
    summary = summarise("a", np.array([1.0, 2.0, 3.0, 6.0]))
    scaled = summary.scale(100.0)
    assert scaled.mean == 300.0
    assert scaled.ci95 == pytest.approx([100 * bound for bound in summary.ci95])
    assert scaled.standard_error == pytest.approx(100 * summary.standard_error)


def test_intervals_hold_the_mean_in_95_of_100_samples() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(2000):
        low, high = summarise("a", rng.normal(0.3, 2.0, size=6)).ci95
        held += low < 0.3 < high
    assert abs(held / 2000 - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 2000)


def test_the_interval_of_skewed_deals_by_hand() -> None:
    samples = np.array([0.0, 0.0, 0.0, 4.0])
    assert skewness(samples) == pytest.approx((3 * -1.0 + 27.0) / 4 / 3.0**1.5)
    summary, plain = summarise_deals("a", samples), summarise("a", samples)
    quantile = 3.18245
    longer = skewness(samples) * (1 + 2 * quantile**2) / (6 * 2)
    assert (summary.mean, summary.standard_error) == (plain.mean, plain.standard_error) == (1.0, 1.0)
    assert summary.ci95 == pytest.approx((1 - quantile, 1 + quantile + longer), rel=1e-5)
    assert summary.half_width == pytest.approx(quantile + longer / 2, rel=1e-5)
    assert summarise_deals("b", -samples).ci95 == pytest.approx((-1 - quantile - longer, -1 + quantile), rel=1e-5)


def test_intervals_of_few_skewed_deals_hold() -> None:
    """As deals of Kuhn do: most lose a little, some win much."""
    rng, values, chances = np.random.default_rng(1), np.array([-0.5, 0.0, 1.5]), [0.5, 0.4, 0.1]
    truth, held, held_by_student = float(values @ chances), 0, 0
    for _ in range(2000):
        samples = rng.choice(values, p=chances, size=50)
        (low, high), (least, most) = summarise_deals("a", samples).ci95, summarise("a", samples).ci95
        held += low < truth < high
        held_by_student += least < truth < most
    assert held / 2000 > 0.94 > held_by_student / 2000 + 0.005


def seldom(rng: np.random.Generator, hands: int) -> np.ndarray:
    """Return results (hands, 3) of two players, of whom the first seldom plays and then wins a stack, and of a rest."""
    won = np.where(rng.random(hands) < 0.02, 90.0, -1.0) * (rng.random(hands) < 0.7)
    lost = rng.normal(0.0, 2.0, hands)
    return np.column_stack([won, lost, -won - lost])


def test_few_hands_that_large_pots_decide_are_refused() -> None:
    rng = np.random.default_rng(2)
    for hands in (30, 50, 100, FEWEST_HANDS - 1):
        shown = [results for results in (seldom(rng, hands) for _ in range(50)) if (results[:, 0] > 0).any()]
        assert {num_hands_needed(results) for results in shown} == {FEWEST_HANDS}
        if hands >= 100:
            assert num_hands_needed(rng.normal(size=(hands, 3))) is None, "no few of them decide"
    assert num_hands_needed(seldom(rng, FEWEST_HANDS)) is None


def test_a_summary_without_interval_keeps_the_rest() -> None:
    summary = summarise_deals("a", np.array([0.0, 0.0, 0.0, 4.0]))
    assert summary.without_interval(None) is summary
    refused = summary.without_interval(300).scale(100.0)
    assert (refused.mean, refused.sd, refused.hands_needed) == (100.0, 100 * summary.sd, 300)
    assert refused.ci95 == (-math.inf, math.inf)


def test_equal_deals_have_an_interval_of_no_width() -> None:
    assert summarise_deals("a", np.full(50, -0.1)).ci95 == pytest.approx((-0.1, -0.1), abs=1e-15)
    assert skewness(np.full(50, -0.1)) == 0


@pytest.mark.parametrize("samples", [np.empty(0), np.zeros((2, 2))])
def test_samples_that_are_none_are_an_error(samples: np.ndarray) -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        summarise("a", samples)


@pytest.mark.parametrize(("probability", "df"), [(0.5, 3), (1.0, 3), (0.975, 0)])
def test_quantiles_that_do_not_exist_are_an_error(probability: float, df: int) -> None:
    with pytest.raises(ValueError, match="must be in"):
        student_t_quantile(probability, df)
