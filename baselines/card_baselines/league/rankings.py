"""Rankings of the members by several measures, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.ratings import Rate, Rating, update_plackett_luce, update_trueskill
from card_baselines.league.rounds import RoundOutcome
from card_baselines.league.store import LeagueError
from card_baselines.league.winnings import Winnings, compute_winnings, low_winnings, mean_winnings, median_winnings
from card_envs.extras import how_to_install
from card_envs.game import check_count
from card_envs.rng import make_generator

__all__ = ["BOOTSTRAP", "HANDS", "MEASURES", "POSTERIOR", "Ranking", "Standings", "rank", "ranks_of"]

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


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores of n members by one measure, with resamples."""

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
class Standings:
    """Results of the members of a league, or of one of its divisions, who do not learn."""

    rounds: Sequence[RoundOutcome]
    """Rounds that count."""
    winnings: Winnings
    """Winnings of the members from each other."""
    resamples: int
    """Number of draws behind each interval."""
    rankings: dict[str, Ranking]
    """Measure -> ranking."""
    missing: dict[str, str]
    """Measure -> reason why it cannot be computed."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Member -> name."""
    unit: str = ""
    """Unit in which winnings are printed."""
    factor: float = 1.0
    """Number of units that make one of the game's own unit per hand."""

    @property
    def members(self) -> tuple[int, ...]:
        """Ids of the members that played, ascending."""
        return self.winnings.members

    @property
    def hands(self) -> int:
        """Number of hands in the rounds."""
        return sum(played.hands for played in self.rounds)


Measure = Callable[[Sequence[RoundOutcome], Winnings, int, np.random.Generator], Ranking]
"""Function of rounds, winnings in them and a number of draws with their random generator, that ranks the members."""


def _rank_by_winnings(
    score: Callable[[Vector], Vector], rounds: Sequence[RoundOutcome], winnings: Winnings, resamples: int,
    rng: np.random.Generator,
) -> Ranking:  # fmt: skip
    if not (winnings.hands.sum(axis=1) > 0).all():
        raise LeagueError("a member has met no other alone: run a division of kind direct or round_robin")
    return Ranking(winnings.members, score(winnings.means), score(winnings.resample(resamples, rng)), HANDS)


def _rank_by_ratings(
    rate: Rate, rounds: Sequence[RoundOutcome], winnings: Winnings, resamples: int, rng: np.random.Generator
) -> Ranking:
    members, count = winnings.members, len(rounds)

    def rate_members(order: Iterable[int]) -> tuple[Vector, Vector]:
        """Return means (n,) and standard deviations (n,) of the ratings after rounds in an order."""
        ratings: dict[int, Rating] = {}
        for i in order:
            ratings |= rate(ratings, rounds[i].scores)
        means, sigmas = np.array([astuple(ratings.get(member, Rating())) for member in members]).T
        return means, sigmas

    scores, sigmas = rate_members(range(count))
    if count * resamples <= _MAX_UPDATES:
        orders = (np.sort(rng.integers(count, size=count)) for _ in range(resamples))
        return Ranking(members, scores, np.array([rate_members(order)[0] for order in orders]), BOOTSTRAP)
    draws = scores + sigmas * rng.standard_normal((resamples, len(members)))
    return Ranking(members, scores, draws, POSTERIOR)


def _rank_by_bradley_terry(
    rounds: Sequence[RoundOutcome], winnings: Winnings, resamples: int, rng: np.random.Generator
) -> Ranking:
    count, members = len(rounds), winnings.members
    wins = count_wins(rounds, members)

    def score(weights: NDArray[Any]) -> Vector:
        return bradley_terry((weights @ wins).reshape(len(members), len(members)))

    draws = [score(rng.multinomial(count, np.full(count, 1 / count))) for _ in range(resamples)]
    return Ranking(members, score(np.ones(count)), np.array(draws), BOOTSTRAP)


MEASURES: Mapping[str, Measure] = {
    "trueskill": partial(_rank_by_ratings, update_trueskill),
    "mean": partial(_rank_by_winnings, mean_winnings),
    "median": partial(_rank_by_winnings, median_winnings),
    "low": partial(_rank_by_winnings, low_winnings),
    "bradley_terry": _rank_by_bradley_terry,
    "plackett_luce": partial(_rank_by_ratings, update_plackett_luce),
}
"""Name -> function that computes the ranking: TrueSkill; mean, median and 20th percentile of the winnings from each
other member; Bradley-Terry and Plackett-Luce strengths from the order of members in each round."""


def rank(
    rounds: Sequence[RoundOutcome], chips_per_reward: int, measures: Sequence[str] = tuple(MEASURES),
    resamples: int = RESAMPLES, seed: int = 0,
) -> Standings:  # fmt: skip
    """Return the standings of the members of some rounds, without their names, by several measures.

    Args:
        rounds: Rounds between members that do not learn.
        chips_per_reward: Chips of one unit of the game.
        measures: Keys of `MEASURES`.
        resamples: Number of draws behind each interval.
        seed: Seed of the draws.

    Raises:
        LeagueError: A measure is unknown, or fewer than two members played.
    """
    from threadpoolctl import threadpool_limits

    unknown = [name for name in measures if name not in MEASURES]
    if unknown:
        raise LeagueError(f"measure {unknown[0]!r} is not known: choose from {', '.join(MEASURES)}")
    members = sorted({member for played in rounds for member in played.earnings})
    if len(members) < 2:
        raise LeagueError("no rounds between members that do not learn are stored: run an evaluating division first")
    check_count("resamples", resamples)
    standings = Standings(rounds, compute_winnings(rounds, members, chips_per_reward), resamples, {}, {})
    rng = make_generator(seed)
    with threadpool_limits(1):  # on small matrices several threads take a hundred times as long
        for name in measures:
            try:
                standings.rankings[name] = MEASURES[name](rounds, standings.winnings, resamples, rng)
            except LeagueError as error:
                standings.missing[name] = str(error)
            except ModuleNotFoundError as error:
                standings.missing[name] = how_to_install(error)
    return standings


# --- strengths by the order of members in each round ---


def count_wins(rounds: Sequence[RoundOutcome], members: Sequence[int]) -> Any:
    """Return a sparse matrix (rounds, n * n): 1 where the row of (n, n) won more per seat in the round than the column.

    A draw is half a win of each.
    """
    from scipy.sparse import csr_array

    column = {member: number for number, member in enumerate(members)}
    wins = [
        (0.5 if score == score_of_other else 1.0, number, column[one] * len(members) + column[other])
        for number, played in enumerate(rounds)
        for one, score in played.scores.items()
        for other, score_of_other in played.scores.items()
        if one != other and score >= score_of_other
    ]
    values, numbers, cells = np.array(wins, np.float64).reshape(-1, 3).T
    return csr_array((values, (numbers.astype(int), cells.astype(int))), shape=(len(rounds), len(members) ** 2))


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
