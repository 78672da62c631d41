"""Rankings: scores of the members by several measures, each with what is uncertain about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.ratings import Rating
from card_baselines.league.store import LeagueError
from card_baselines.league.strengths import (
    Rate,
    bradley_terry,
    comparisons,
    nash_equilibrium,
    rate_in_order,
    update_plackett_luce,
    update_trueskill,
)
from card_baselines.league.winnings import (
    Played,
    Winnings,
    low_winnings,
    mean_winnings,
    median_winnings,
    winnings,
)

RESAMPLES = 200
_MOST_UPDATES = 4_000
"""Ratings of a round, a few milliseconds each, that an interval may cost: beyond, the model's own belief has to do."""
_MOST_MEMBERS = 25
"""Members, at most, for which measures of populations are resample; with more, they are computed once."""
BOOTSTRAP, HANDS, POSTERIOR = "rounds drawn again", "hands drawn again", "belief of the model"
"""Source of the draws behind an interval: rounds with replacement; winnings with the normal noise of their hands;
the ratings' own."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The scores of n members by one measure, and what they could as well have been."""

    measure: str
    members: tuple[int, ...]
    scores: NDArray[np.float64]
    """(n,): higher is better."""
    draws: NDArray[np.float64]
    """(resamples, n): scores under the uncertainty that `source` names; may be empty."""
    source: str

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """(n,): 1 for the best; who shares a score shares the better rank."""
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
    def score_intervals(self) -> NDArray[np.float64] | None:
        """(n, 2): 95 % intervals of the scores; None without draws."""
        if not len(self.draws):
            return None
        return np.asarray(np.percentile(self.draws, [2.5, 97.5], axis=0).T, np.float64)

    def probability_above(self, one: int, other: int) -> float:
        """Return with what probability a member is above another by this measure; NaN without draws."""
        if not len(self.draws):
            return float("nan")
        first, second = (self.draws[:, self.members.index(member)] for member in (one, other))
        return float((first > second).mean() + (first == second).mean() / 2)

    def best_first(self) -> list[int]:
        """Return the members, the best one first."""
        return [self.members[i] for i in np.argsort(-self.scores, kind="stable")]


def ranks_of(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return (n,): how many have a higher score, plus 1."""
    return np.asarray((scores[None, :] > scores[:, None]).sum(axis=1) + 1, np.int64)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rounds, winnings and ratings from which rankings are computed."""

    rounds: Sequence[Played]
    members: tuple[int, ...]
    winnings: Winnings
    resamples: int
    rng: np.random.Generator


def evidence(
    rounds: Sequence[Played], chips_per_unit: int, resamples: int = RESAMPLES, seed: int = 0,
    members: Sequence[int] | None = None,
) -> Evidence:  # fmt: skip
    """Return the evidence that rounds give about their members.

    Args:
        rounds: Rounds between members that do not learn.
        chips_per_unit: Chips of one unit of the game.
        resamples: Number of draws behind each interval.
        seed: Seed of the draws.
        members: Members to keep; by default all that played.

    Raises:
        LeagueError: If fewer than two members played.
    """
    found = sorted({member for played in rounds for member in played.earnings})
    chosen = tuple(found if members is None else [member for member in found if member in set(members)])
    if len(chosen) < 2:
        raise LeagueError("no rounds between members that do not learn are stored: run an evaluating division first")
    matrix = winnings(rounds, chosen, chips_per_unit)
    return Evidence(rounds, chosen, matrix, resamples, np.random.default_rng(seed))


def _rank_by_winnings(
    measure: str, score: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> Callable[[Evidence], Ranking]:
    def ranking(of: Evidence) -> Ranking:
        if not (of.winnings.hands.sum(axis=1) > 0).all():
            raise LeagueError("somebody has met nobody alone: run a division of kind direct or round_robin")
        draws = score(of.winnings.resample(of.resamples, of.rng))
        return Ranking(measure, of.members, score(of.winnings.means), draws, HANDS)

    return ranking


def _rank_by_ratings(measure: str, rate: Rate) -> Callable[[Evidence], Ranking]:
    def ranking(of: Evidence) -> Ranking:
        final = rate_in_order(of.rounds, rate)
        scores = _mus(final, of.members)
        if len(of.rounds) * of.resamples <= _MOST_UPDATES:
            drawn = (_again(of.rounds, of.rng) for _ in range(of.resamples))
            draws = np.array([_mus(rate_in_order(rounds, rate), of.members) for rounds in drawn])
            return Ranking(measure, of.members, scores, draws, BOOTSTRAP)
        sigmas = np.array([final.get(member, Rating()).sigma for member in of.members])
        draws = scores + sigmas * of.rng.standard_normal((of.resamples, len(scores)))
        return Ranking(measure, of.members, scores, draws, POSTERIOR)

    return ranking


def _rank_by_bradley_terry(of: Evidence) -> Ranking:
    found = comparisons(of.rounds, of.members)
    scores = bradley_terry(found.wins())
    chances = np.full(len(of.rounds), 1 / len(of.rounds))
    weights = [of.rng.multinomial(len(of.rounds), chances) for _ in range(of.resamples)]
    draws = np.array([bradley_terry(found.wins(each.astype(np.float64))) for each in weights])
    return Ranking("bradley_terry", of.members, scores, draws, BOOTSTRAP)


def _rank_by_population(
    measure: str, score: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> Callable[[Evidence], Ranking]:
    def ranking(of: Evidence) -> Ranking:
        if not of.winnings.is_complete:
            missing = int(np.isnan(of.winnings.means).sum() - len(of.members)) // 2
            raise LeagueError(f"{missing} pairs have not met alone: run a division of kind direct or round_robin")
        again = of.winnings.resample(of.resamples // 4 if len(of.members) <= _MOST_MEMBERS else 0, of.rng)
        draws = np.array([score(_make_antisymmetric(each)) for each in again]).reshape(len(again), len(of.members))
        return Ranking(measure, of.members, score(_make_antisymmetric(of.winnings.means)), draws, HANDS)

    return ranking


def _alpha_rank(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    from card_wrappers.openspiel.meta_games import alpha_rank

    return alpha_rank(payoffs)


def _nash_average(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(payoffs @ nash_equilibrium(payoffs), np.float64)


MEASURES: Mapping[str, Callable[[Evidence], Ranking]] = {
    "trueskill": _rank_by_ratings("trueskill", update_trueskill),
    "mean": _rank_by_winnings("mean", mean_winnings),
    "median": _rank_by_winnings("median", median_winnings),
    "low": _rank_by_winnings("low", low_winnings),
    "bradley_terry": _rank_by_bradley_terry,
    "plackett_luce": _rank_by_ratings("plackett_luce", update_plackett_luce),
    "alpha_rank": _rank_by_population("alpha_rank", _alpha_rank),
    "nash": _rank_by_population("nash", _nash_average),
}
"""Name -> ranking: TrueSkill; mean, median and 20th percentile of the winnings; strengths by who won more in a round;
the time evolution spends with a member; what it wins from the equilibrium of the population."""


def rank(of: Evidence, measures: Sequence[str] = tuple(MEASURES)) -> tuple[dict[str, Ranking], dict[str, str]]:
    """Return rankings by several measures.

    Args:
        of: Evidence, whose random generator is advanced.
        measures: Keys of `MEASURES`.

    Returns:
        Measure -> ranking, and measure -> reason why it cannot be computed.

    Raises:
        LeagueError: For an unknown measure.
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
                rankings[name] = MEASURES[name](of)
            except LeagueError as error:
                missing[name] = str(error)
            except ImportError as error:
                missing[name] = f"{error.name or error} is not installed"
    return rankings, missing


def _again(rounds: Sequence[Played], rng: np.random.Generator) -> list[Played]:
    """Return as many rounds, drawn with replacement, in their order."""
    return [rounds[i] for i in np.sort(rng.integers(len(rounds), size=len(rounds)))]


def _mus(ratings: Mapping[int, Rating], members: Sequence[int]) -> NDArray[np.float64]:
    return np.array([ratings.get(member, Rating()).mu for member in members])


def _make_antisymmetric(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the winnings of pairs from each other as a game of two: diagonal 0, rows against columns."""
    filled = np.where(np.eye(len(means), dtype=bool), 0.0, means)
    return np.asarray((filled - filled.T) / 2, np.float64)
