"""Rankings: known answers, and intervals that hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from card_baselines.league import LeagueError
from card_baselines.league.rankings import (
    BOOTSTRAP,
    POSTERIOR,
    Ranking,
    bradley_terry,
    count_wins,
    rank,
    ranks_of,
)
from card_baselines.league.rounds import Earnings, RoundOutcome
from card_baselines.league.winnings import (
    Winnings,
    compute_winnings,
    low_winnings,
    mean_winnings,
    median_winnings,
)


def pair_members(
    round: int, one: int, other: int, samples: np.ndarray, seats: tuple[int, int] = (1, 1)
) -> RoundOutcome:
    """A round in which `one` won `samples` chips, one number a deal, over all its seats."""
    squares = float((samples.astype(float) ** 2).sum())
    won = {
        one: Earnings(seats[0], int(samples.sum()), squares),
        other: Earnings(seats[1], -int(samples.sum()), squares),
    }
    return RoundOutcome(round, len(samples), len(samples), won)


def rounds_between(
    strengths: list[float], rng: np.random.Generator, hands: int = 100, times: int = 1
) -> list[RoundOutcome]:
    """Everybody meets everybody: member i wins strengths[i] - strengths[j] chips a hand from j, with noise of 10."""
    pairs = [(i, j) for i in range(len(strengths)) for j in range(i) for _ in range(times)]
    return [
        pair_members(number, i, j, np.rint(strengths[i] - strengths[j] + 10 * rng.standard_normal(hands)).astype(int))
        for number, (i, j) in enumerate(pairs)
    ]


def test_a_winnings_matrix_by_hand() -> None:
    rounds = [pair_members(1, 7, 8, np.array([3, 1, -1, 5]), (2, 4)), pair_members(2, 7, 8, np.array([0, 4]), (2, 4))]
    matrix = compute_winnings(rounds, (7, 8, 9), chips_per_reward=2)
    assert matrix.means[0, 1] == pytest.approx(12 / (2 * 6) / 2), "12 chips, 2 seats, 6 hands, 2 chips a unit"
    assert matrix.means[1, 0] == pytest.approx(-12 / (4 * 6) / 2)
    variance = np.var([3, 1, -1, 5], ddof=1) * 4 + np.var([0, 4], ddof=1) * 2
    assert matrix.errors[0, 1] == pytest.approx(np.sqrt(variance) / (2 * 6) / 2)
    assert np.isnan(matrix.means[:, 2]).all() and matrix.hands[0, 1] == 6


def test_mean_median_and_low_leave_the_member_itself_out() -> None:
    matrix = np.array([[99.0, 1.0, 2.0, 9.0], [-1.0, 99.0, np.nan, 3.0]])
    square = np.vstack([matrix, np.full((2, 4), 1.0)])
    assert mean_winnings(square)[:2].tolist() == [4.0, 1.0]
    assert median_winnings(square)[:2].tolist() == [2.0, 1.0]
    assert low_winnings(square)[0] == pytest.approx(1.4)


def test_resampled_winnings_have_the_errors_and_stay_opposite() -> None:
    errors = np.array([[0.0, 2.0], [2.0, 0.0]])
    matrix = Winnings((1, 2), np.array([[np.nan, 5.0], [-5.0, np.nan]]), errors, np.ones((2, 2), np.int64))
    draws = matrix.resample(4000, np.random.default_rng(0))
    assert np.allclose(draws[:, 0, 1], -draws[:, 1, 0])
    assert draws[:, 0, 1].mean() == pytest.approx(5, abs=0.15) and draws[:, 0, 1].std() == pytest.approx(2, abs=0.12)


@pytest.mark.parametrize("measure", ["mean", "bradley_terry", "trueskill", "plackett_luce"])
def test_every_measure_finds_a_clear_order(measure: str) -> None:
    rounds = rounds_between([0.0, 5.0, 10.0, 15.0], np.random.default_rng(0), times=3)
    standings = rank(rounds, 1, [measure], resamples=20)
    rankings = standings.rankings
    assert standings.missing == {} and rankings[measure].best_first() == [3, 2, 1, 0]
    assert rankings[measure].probability_above(3, 0) > 0.9
    intervals = rankings[measure].rank_intervals
    assert intervals is not None and (intervals[:, 0] <= rankings[measure].ranks).all()


def test_intervals_of_scores_hold_the_truth() -> None:
    """Of the mean winnings: 95 % of intervals should; of 300 independent ones 285 +- 11 (three sigma)."""
    rng, strengths = np.random.default_rng(1), [0.0, 1.0, 2.0]
    truth = np.array([np.mean([mine - other for other in strengths if other != mine]) for mine in strengths])
    held = 0
    for _ in range(300):
        rounds = rounds_between(strengths, rng, hands=50)
        standings = rank(rounds, 1, ["mean"], resamples=200, seed=int(rng.integers(1 << 30)))
        intervals = standings.rankings["mean"].score_intervals
        assert intervals is not None
        held += int(intervals[0, 0] <= truth[0] <= intervals[0, 1])
    assert 285 - 15 <= held <= 285 + 11, "a little fewer: percentiles of 200 draws"


def test_probability_above_is_that_of_the_normal_noise() -> None:
    samples = np.array([10, -10] * 50 + [4] * 25)
    ranking = rank([pair_members(1, 0, 1, samples)], 1, ["mean"], resamples=4000).rankings["mean"]
    mean, error = samples.mean(), samples.std(ddof=1) / np.sqrt(len(samples))
    from statistics import NormalDist

    assert ranking.probability_above(0, 1) == pytest.approx(NormalDist().cdf(mean / error), abs=0.03)
    assert ranking.probability_above(0, 1) + ranking.probability_above(1, 0) == pytest.approx(1)


def test_many_rounds_take_the_belief_of_the_model() -> None:
    rounds = rounds_between([0.0, 5.0], np.random.default_rng(0), times=50)
    few, many = (rank(rounds, 1, ["plackett_luce"], count).rankings["plackett_luce"] for count in (10, 200))
    assert few.source == BOOTSTRAP and many.source == POSTERIOR


def test_bradley_terry_is_the_maximum_of_the_likelihood() -> None:
    counts = np.array([[0.0, 8.0, 9.0], [2.0, 0.0, 7.0], [1.0, 3.0, 0.0]])
    logs = bradley_terry(counts)

    def expected(i: int, j: int, scale: float) -> float:
        return (counts[i, j] + counts[j, i]) / (1 + np.exp(logs[j] - logs[i]))

    gaps = [counts[i].sum() - sum(expected(i, j, 1.0) for j in range(3) if j != i) for i in range(3)]
    assert max(map(abs, gaps)) < 0.5, "but for half a virtual win and loss of each"
    assert bradley_terry(np.array([[0.0, 5.0], [0.0, 0.0]]))[0] < 5, "an unbeaten member has a strength too"


def test_wins_count_every_pair_of_a_round() -> None:
    played = RoundOutcome(1, 10, 10, {1: Earnings(1, 30, 0), 2: Earnings(2, 60, 0), 3: Earnings(3, -90, 0)})
    wins = count_wins([played, played], (1, 2, 3))
    assert (np.array([1.0, 0.0]) @ wins).reshape(3, 3).tolist() == [[0, 0.5, 1], [0.5, 0, 1], [0, 0, 0]]
    assert (np.array([2, 1]) @ wins).reshape(3, 3).tolist() == [[0, 1.5, 3], [1.5, 0, 3], [0, 0, 0]]


def test_what_cannot_be_ranked_is_told() -> None:
    with pytest.raises(LeagueError, match="no rounds between members"):
        rank([], 1)
    together = RoundOutcome(1, 10, 10, {1: Earnings(1, 30, 0), 2: Earnings(1, -10, 0), 3: Earnings(1, -20, 0)})
    standings = rank([together], 1, ["mean", "bradley_terry"], resamples=5)
    assert list(standings.rankings) == ["bradley_terry"]
    assert "met no other alone" in standings.missing["mean"]
    with pytest.raises(LeagueError, match="measure 'elo' is not known"):
        rank([together], 1, ["elo"])


def test_ranks_and_their_intervals() -> None:
    assert ranks_of(np.array([1.0, 3.0, 3.0, 0.0])).tolist() == [3, 1, 1, 4]
    draws = np.array([[1.0, 0.0]] * 30 + [[0.0, 1.0]] * 10)
    ranking = Ranking((4, 5), np.array([1.0, 0.0]), draws, BOOTSTRAP)
    assert ranking.rank_intervals.tolist() == [[1, 2], [1, 2]] and ranking.probability_above(4, 5) == 0.75
    none = Ranking((4, 5), np.array([1.0, 0.0]), draws[:0], BOOTSTRAP)
    assert none.rank_intervals is None and np.isnan(none.probability_above(4, 5))
