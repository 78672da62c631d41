"""The rule of `papers.claims`: less evidence never gives more agreement, and what each word needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from card_baselines.papers.claims import (
    AGREES,
    DIFFERS,
    UNDECIDED,
    Printed,
    compare_means,
    compare_run,
    compare_with_claim,
    compare_with_printed,
    describe_rank,
    find_clusters,
)

NUMBERS = st.floats(-10, 10)
WIDTHS = st.floats(0, 10)
MARGINS = st.floats(0.001, 5)
MAY_BECOME = {AGREES: {AGREES, DIFFERS, UNDECIDED}, DIFFERS: {DIFFERS, UNDECIDED}, UNDECIDED: {UNDECIDED}}
"""Verdict -> what it may become when the interval around the same number grows."""


@given(NUMBERS, MARGINS, WIDTHS, NUMBERS, WIDTHS, WIDTHS, WIDTHS, WIDTHS)
def test_a_wider_interval_never_agrees_more(
    value: float, margin: float, noise: float, mean: float, below: float, above: float, more: float, more_noise: float
) -> None:
    narrow = compare_with_printed(Printed(value, margin, noise), mean, (mean - below, mean + above))
    wide = compare_with_printed(
        Printed(value, margin, noise + more_noise), mean, (mean - below - more, mean + above + 2 * more)
    )
    assert wide in MAY_BECOME[narrow]


@given(st.tuples(NUMBERS, NUMBERS).map(sorted), st.tuples(NUMBERS, NUMBERS).map(sorted), WIDTHS, WIDTHS)
def test_a_wider_interval_never_supports_a_claim_more(
    interval: list[float], region: list[float], below: float, above: float
) -> None:
    narrow = compare_with_claim(interval, *region)
    wide = compare_with_claim((interval[0] - below, interval[1] + above), *region)
    assert wide in {AGREES: {AGREES, UNDECIDED}, DIFFERS: {DIFFERS, UNDECIDED}, UNDECIDED: {UNDECIDED}}[narrow]


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=8), NUMBERS, MARGINS, st.floats(1, 20))
def test_runs_that_differ_more_never_agree_more(runs: list[float], value: float, margin: float, factor: float) -> None:
    """The same mean, the spread of the runs `factor` times as large."""
    mean = float(np.mean(runs))
    spread = [mean + factor * (run - mean) for run in runs]
    printed = Printed(value, margin + 1e-6)
    if compare_run(printed, spread) == AGREES:
        assert compare_run(Printed(value, margin + 2e-6), runs) == AGREES


@given(NUMBERS, NUMBERS, MARGINS)
def test_one_run_decides_nothing(value: float, run: float, margin: float) -> None:
    assert compare_run(Printed(value, margin), [run]) == UNDECIDED


@pytest.mark.parametrize(
    ("value", "noise", "ours", "expected"),
    [
        (1.0, 0.0, (0.95, 1.05), AGREES),
        (1.0, 0.0, (1.02, 1.08), AGREES),  # excludes 1.0, but all of it is inside the margin, which wins
        (1.0, 0.0, (0.85, 1.05), UNDECIDED),
        (1.0, 0.0, (1.05, 1.15), DIFFERS),
        (1.0, 0.2, (0.99, 1.01), UNDECIDED),  # the paper's own hands leave more than the margin
        (4.0, 0.2, (0.8, 1.1), DIFFERS),
        (1.0, 0.0, (-math.inf, math.inf), UNDECIDED),
        (1.0, 0.0, (math.nan, math.nan), UNDECIDED),
        (1.0, 0.0, (None, None), UNDECIDED),  # a stored interval of too few hands
    ],
)
def test_printed_numbers(value: float, noise: float, ours: Any, expected: str) -> None:
    mean = sum(ours) / 2 if ours[0] is not None and math.isfinite(ours[0]) else 1.0
    assert compare_with_printed(Printed(value, 0.1, noise), mean, ours) == expected


def test_a_printed_gain_has_a_margin_of_a_tenth() -> None:
    assert Printed.gain(-2.5).margin == 0.25
    assert Printed.gain(0.03).margin == 0.1


def test_claims() -> None:
    assert compare_with_claim((0.1, 0.2), low=0) == AGREES
    assert compare_with_claim((0.0, 0.2), low=0) == UNDECIDED
    assert compare_with_claim((-0.2, 0.0), low=0) == DIFFERS
    assert compare_with_claim((1.0, 24.0), 0, 25) == AGREES
    assert compare_with_claim((26.0, 30.0), 0, 25) == DIFFERS
    assert compare_with_claim((None, None), low=0) == UNDECIDED


TWO_CLUSTERS = [0.72, 0.74, 0.75, 0.75, 0.76, 0.77, 0.78, 2.30, 2.48, 2.62]


def test_a_number_between_two_clusters_of_runs_is_no_result_of_ours() -> None:
    """Ten runs with a mean of 1.27, none of them near it: the table player against PPO in Zheng et al. (2022)."""
    assert [len(cluster) for cluster in find_clusters(TWO_CLUSTERS)] == [7, 3]
    assert compare_run(Printed.gain(1.418, 0.08), TWO_CLUSTERS) == DIFFERS
    assert compare_run(Printed.gain(0.75, 0.01), TWO_CLUSTERS) == UNDECIDED  # one of two outcomes is no agreement
    assert describe_rank(1.418, TWO_CLUSTERS) == "between 7 and 3"


def test_places_among_runs() -> None:
    runs = [1.0, 2.0, 3.0]
    assert [describe_rank(value, runs) for value in (0.5, 2.5, 3.5)] == ["below all 3", "above 2 of 3", "above all 3"]
    assert describe_rank(1.0, [1.0]) == ""


def test_few_runs_are_one_cluster() -> None:
    assert len(find_clusters([0.0, 0.1, 5.0, 5.1])) == 1
    assert len(find_clusters([*np.linspace(0, 1, 9).tolist(), 9.0])) == 1  # a single run is no cluster


def test_means_of_runs_are_compared_by_welch() -> None:
    gap, (low, high), p_value = compare_means([1.0, 1.1, 1.2, 0.9], [0.0, 0.2, 0.1, -0.1])
    assert low < gap < high and gap == pytest.approx(1.0) and low > 0 and p_value < 0.01
    assert compare_means([1.0], [0.0, 1.0])[2] == 1.0
