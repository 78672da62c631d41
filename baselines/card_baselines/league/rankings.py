"""Rankings of the members by several measures, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.ratings import Rate, Rating, rate_in_order, update_plackett_luce, update_trueskill
from card_baselines.league.rounds import RoundOutcome
from card_baselines.league.store import LeagueError
from card_baselines.league.winnings import (
    Winnings,
    compute_winnings,
    low_winnings,
    mean_winnings,
    median_winnings,
)
from card_envs.extras import how_to_install
from card_envs.rng import make_generator

__all__ = ["BOOTSTRAP", "HANDS", "MEASURES", "POSTERIOR", "Evidence", "Ranking", "collect_evidence", "rank", "ranks_of"]

RESAMPLES = 200
_MAX_UPDATES = 4_000
"""Maximum number of rating updates, a few milliseconds each, behind an interval; beyond it, the posterior is used."""
BOOTSTRAP, HANDS, POSTERIOR = "rounds drawn again", "hands drawn again", "belief of the model"
"""Sources of the draws behind an interval: rounds with replacement; winnings with the normal noise of their hands; the
posterior distributions of the ratings."""

_MAX_STEPS, _TOLERANCE = 10_000, 1e-9
"""Limits of the iteration for Bradley-Terry strengths."""
_PRIOR = 0.5
"""Virtual wins and losses of each member against an average one: without them, an unbeaten member has no strength."""

LABELS = {
    "trueskill": "TrueSkill",
    "mean": "mean",
    "median": "median",
    "low": "20th percentile",
    "bradley_terry": "Bradley-Terry",
    "plackett_luce": "Plackett-Luce",
}
"""Measure -> label."""
IN_UNITS = ("mean", "median", "low")
"""Measures in units of the game per hand."""

Vector = NDArray[np.float64]
Scores = Mapping[int, float]
"""Member -> winnings per seat in a round."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores of n members by one measure, with resamples."""

    measure: str
    members: tuple[int, ...]
    """Ids of the members."""
    scores: Vector
    """(n,): higher is better."""
    draws: Vector
    """(resamples, n): scores resampled from `source`; may be empty."""
    source: str
    """BOOTSTRAP, HANDS or POSTERIOR."""

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """(n,): 1 for the best; equal scores share the better rank."""
        return ranks_of(self.scores)

    @cached_property
    def rank_intervals(self) -> NDArray[np.int64] | None:
        """(n, 2): 95 % intervals of the ranks; None without draws."""
        if not len(self.draws):
            return None
        ranks = np.array([ranks_of(draw) for draw in self.draws])
        low, high = np.percentile(ranks, [2.5, 97.5], axis=0)
        return np.stack([np.floor(low), np.ceil(high)], axis=1).astype(np.int64)

    @cached_property
    def score_intervals(self) -> Vector | None:
        """(n, 2): 95 % intervals of the scores; None without draws."""
        if not len(self.draws):
            return None
        with np.errstate(invalid="ignore"):  # draws of a result without an interval are infinite
            return np.asarray(np.percentile(self.draws, [2.5, 97.5], axis=0).T, np.float64)

    def probability_above(self, one: int, other: int) -> float:
        """Return the probability that member `one` is above `other` by this measure; NaN without draws."""
        if not len(self.draws):
            return float("nan")
        first, second = (self.draws[:, self.members.index(member)] for member in (one, other))
        return float((first > second).mean() + (first == second).mean() / 2)

    def best_first(self) -> list[int]:
        """Return the members, the best one first."""
        return [self.members[i] for i in np.argsort(-self.scores, kind="stable")]


def ranks_of(scores: Vector) -> NDArray[np.int64]:
    """Return the ranks (n,) of scores (n,): the number of higher scores, plus 1."""
    return np.asarray((scores[None, :] > scores[:, None]).sum(axis=1) + 1, np.int64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Results of rounds, from which rankings are computed."""

    rounds: Sequence[RoundOutcome]
    members: tuple[int, ...]
    """Ids of the members that played, ascending."""
    winnings: Winnings
    resamples: int
    """Number of draws behind each interval."""
    rng: np.random.Generator
    """Random generator of the draws."""


@dataclass(frozen=True, eq=False)
class Standings:
    """Results of the members of a league, or of one of its divisions."""

    evidence: Evidence
    rankings: dict[str, Ranking]
    """Measure -> ranking."""
    missing: dict[str, str]
    """Measure -> reason why it cannot be computed."""
    names: dict[int, str]
    """Member -> name."""
    unit: str
    """Unit in which winnings are printed."""
    factor: float
    """Number of units that make one of the game's own unit per hand."""

    @property
    def hands(self) -> int:
        """Number of hands in the rounds of the rankings."""
        return sum(played.hands for played in self.evidence.rounds)


def collect_evidence(
    rounds: Sequence[RoundOutcome], chips_per_reward: int, resamples: int = RESAMPLES, seed: int = 0
) -> Evidence:
    """Return the evidence of rounds about their members.

    Args:
        rounds: Rounds between members that do not learn.
        chips_per_reward: Chips of one unit of the game.
        resamples: Number of draws behind each interval.
        seed: Seed of the draws.

    Raises:
        LeagueError: Fewer than two members played.
    """
    members = tuple(sorted({member for played in rounds for member in played.earnings}))
    if len(members) < 2:
        raise LeagueError("no rounds between members that do not learn are stored: run an evaluating division first")
    winnings = compute_winnings(rounds, members, chips_per_reward)
    return Evidence(rounds, members, winnings, resamples, make_generator(seed))


def _rank_by_winnings(measure: str, score: Callable[[Vector], Vector]) -> Callable[[Evidence], Ranking]:
    def rank_members(evidence: Evidence) -> Ranking:
        winnings, members = evidence.winnings, evidence.members
        if not (winnings.hands.sum(axis=1) > 0).all():
            raise LeagueError("a member has met no other alone: run a division of kind direct or round_robin")
        draws = score(winnings.resample(evidence.resamples, evidence.rng))
        return Ranking(measure, members, score(winnings.means), draws, HANDS)

    return rank_members


def _rank_by_ratings(measure: str, rate: Rate) -> Callable[[Evidence], Ranking]:
    def rank_members(evidence: Evidence) -> Ranking:
        members, rng = evidence.members, evidence.rng
        rounds = [played.scores for played in evidence.rounds]
        final = rate_in_order(rounds, rate)
        scores = _means_of(final, members)
        if len(rounds) * evidence.resamples <= _MAX_UPDATES:
            drawn = (_resample_rounds(rounds, rng) for _ in range(evidence.resamples))
            draws = np.array([_means_of(rate_in_order(each, rate), members) for each in drawn])
            return Ranking(measure, members, scores, draws, BOOTSTRAP)
        sigmas = np.array([final.get(member, Rating()).sigma for member in members])
        draws = scores + sigmas * rng.standard_normal((evidence.resamples, len(scores)))
        return Ranking(measure, members, scores, draws, POSTERIOR)

    return rank_members


def _rank_by_bradley_terry(evidence: Evidence) -> Ranking:
    count, members = len(evidence.rounds), evidence.members
    comparisons = compare_pairs(evidence.rounds, members)

    def score(weights: Vector) -> Vector:
        return bradley_terry(count_wins(comparisons, len(members), weights))

    weights = [evidence.rng.multinomial(count, np.full(count, 1 / count)) for _ in range(evidence.resamples)]
    scores, draws = score(np.ones(count)), np.array([score(each.astype(np.float64)) for each in weights])
    return Ranking("bradley_terry", members, scores, draws, BOOTSTRAP)


MEASURES: Mapping[str, Callable[[Evidence], Ranking]] = {
    "trueskill": _rank_by_ratings("trueskill", update_trueskill),
    "mean": _rank_by_winnings("mean", mean_winnings),
    "median": _rank_by_winnings("median", median_winnings),
    "low": _rank_by_winnings("low", low_winnings),
    "bradley_terry": _rank_by_bradley_terry,
    "plackett_luce": _rank_by_ratings("plackett_luce", update_plackett_luce),
}
"""Name -> function that computes the ranking: TrueSkill; mean, median and 20th percentile of the winnings from each
other member; Bradley-Terry and Plackett-Luce strengths from the order of members in each round."""


def rank(evidence: Evidence, measures: Sequence[str] = tuple(MEASURES)) -> tuple[dict[str, Ranking], dict[str, str]]:
    """Return rankings by several measures.

    Args:
        evidence: Results of rounds. Its random generator is advanced.
        measures: Keys of `MEASURES`.

    Returns:
        Measure -> ranking, and measure -> reason why it cannot be computed.

    Raises:
        LeagueError: A measure is unknown.
    """
    from threadpoolctl import threadpool_limits

    unknown = [name for name in measures if name not in MEASURES]
    if unknown:
        raise LeagueError(f"measure {unknown[0]!r} is not known: choose from {', '.join(MEASURES)}")
    rankings: dict[str, Ranking] = {}
    missing: dict[str, str] = {}
    with threadpool_limits(1):  # on small matrices several threads take a hundred times as long
        for name in measures:
            try:
                rankings[name] = MEASURES[name](evidence)
            except LeagueError as error:
                missing[name] = str(error)
            except ModuleNotFoundError as error:
                missing[name] = how_to_install(error)
    return rankings, missing


def _resample_rounds(rounds: Sequence[Scores], rng: np.random.Generator) -> list[Scores]:
    """Return as many rounds, drawn with replacement, in their order."""
    return [rounds[i] for i in np.sort(rng.integers(len(rounds), size=len(rounds)))]


def _means_of(ratings: Mapping[int, Rating], members: Sequence[int]) -> Vector:
    """Return the means (n,) of the members' ratings."""
    return np.array([ratings.get(member, Rating()).mu for member in members])


# --- strengths by the order of members in each round ---


def compare_pairs(rounds: Sequence[RoundOutcome], members: Sequence[int]) -> Vector:
    """Return the comparisons of members by their winnings per seat in each round, (3, comparisons).

    The rows are the index of the round, that of (better member, other member) in a flat matrix (n * n), and 1, or a
    half for a draw, which is listed in both orders.
    """
    column = {member: number for number, member in enumerate(members)}
    comparisons = [
        (number, column[one] * len(members) + column[other], 0.5 if score == score_of_other else 1.0)
        for number, played in enumerate(rounds)
        for one, score in played.scores.items()
        for other, score_of_other in played.scores.items()
        if one != other and score >= score_of_other
    ]
    return np.array(comparisons, np.float64).reshape(-1, 3).T


def count_wins(comparisons: Vector, num_members: int, weights: Vector) -> Vector:
    """Return (n, n): rounds in which the row won more than the column, each counted `weights` (rounds,) times."""
    rounds, cells, values = comparisons
    wins = np.bincount(cells.astype(np.int64), values * weights[rounds.astype(np.int64)], minlength=num_members**2)
    return np.asarray(wins.reshape(num_members, num_members), np.float64)


def bradley_terry(counts: Vector) -> Vector:
    """Return the log strengths (n,), with mean 0, that maximise the likelihood of wins (n, n) (Bradley and Terry 1952).

    The difference of two log strengths is the log odds that one member wins more in a round than the other. Computed by
    the iteration of Hunter (2004), with half a win and half a loss of each against an average member.
    """
    games = counts + counts.T
    won = counts.sum(axis=1) + _PRIOR
    strengths = np.ones(len(counts))
    for _ in range(_MAX_STEPS):
        before = strengths
        expected = (games / (before[:, None] + before)).sum(axis=1) + 2 * _PRIOR / (before + 1)
        strengths = won / expected
        if np.abs(strengths / before - 1).max() < _TOLERANCE:
            break
    logs = np.log(strengths)
    return np.asarray(logs - logs.mean(), np.float64)
