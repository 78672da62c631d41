"""Ratings of members from the order of their winnings in each round, one round after the other.

A round is one match in which only the order of the members counts: Kaminsky and Liebendoerfer (2020), section 3.2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

MU, SIGMA = 100.0, 30.0
"""Rating of a member that has not played yet (Kaminsky and Liebendoerfer 2020, section 3.2.1)."""
BETA = 25 / 6
"""Difference of two skills at which the better member wins with a probability of 76 % (ibid.)."""


@dataclass(frozen=True)
class Rating:
    """Normal distribution of a member's skill."""

    mu: float = MU
    sigma: float = SIGMA


Rate = Callable[[Mapping[int, Rating], Mapping[int, float]], dict[int, Rating]]
"""Function of the ratings of members and their winnings per seat in a round, that returns their new ratings."""


def update_trueskill(ratings: Mapping[int, Rating], scores: Mapping[int, float]) -> dict[int, Rating]:
    """Return the new ratings of the members of a round, by the package `trueskill`.

    Herbrich, Minka, Graepel: TrueSkill: A Bayesian Skill Rating System (NIPS 2006). A member with several seats counts
    once. A round of a single member changes no rating.
    """
    system, best_first = _trueskill(), sorted(set(scores.values()), reverse=True)
    teams = [(system.create_rating(each.mu, each.sigma),) for each in _find_ratings(ratings, scores)]
    ranks = [best_first.index(score) for score in scores.values()]
    return _name_ratings(scores, system.rate(teams, ranks=ranks) if len(teams) > 1 else [])


def update_plackett_luce(ratings: Mapping[int, Rating], scores: Mapping[int, float]) -> dict[int, Rating]:
    """Return the new ratings of the members of a round, by the Plackett-Luce model of the package `openskill`.

    Weng and Lin: A Bayesian Approximation Method for Online Ranking (JMLR 2011), with the initial rating of TrueSkill.
    """
    model = _plackett_luce()
    teams = [[model.rating(mu=each.mu, sigma=each.sigma)] for each in _find_ratings(ratings, scores)]
    return _name_ratings(scores, model.rate(teams, scores=list(scores.values())) if len(teams) > 1 else [])


def rate_in_order(rounds: Iterable[Mapping[int, float]], rate: Rate) -> dict[int, Rating]:
    """Return the ratings after all rounds, given as winnings per seat, rated one after the other."""
    ratings: dict[int, Rating] = {}
    for scores in rounds:
        ratings |= rate(ratings, scores)
    return ratings


def final_ratings(history: Iterable[tuple[int, int, float, float]]) -> dict[int, Rating]:
    """Return the last rating of each member in the ratings of a division, see `Store.ratings`."""
    return {member: Rating(mu, sigma) for _, member, mu, sigma in history}


def _find_ratings(ratings: Mapping[int, Rating], members: Iterable[int]) -> list[Rating]:
    return [ratings.get(member, Rating()) for member in members]


def _name_ratings(members: Iterable[int], teams: Sequence[Any]) -> dict[int, Rating]:
    """Return ratings of a package, teams of one each, by member; empty without teams."""
    return {member: Rating(float(new.mu), float(new.sigma)) for member, (new,) in zip(members, teams, strict=False)}


@cache
def _trueskill() -> Any:
    import trueskill

    return trueskill.TrueSkill(mu=MU, sigma=SIGMA, beta=BETA)  # other settings are the package's defaults


@cache
def _plackett_luce() -> Any:
    from openskill.models import PlackettLuce

    return PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0)
