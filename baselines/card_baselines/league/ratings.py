"""Ratings of members from the order of their winnings in each round, one round after the other.

A round is one match in which only the order of the members counts: Kaminsky and Liebendoerfer (2020), section 3.2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
    system = _trueskill()
    return _update(system.create_rating, system.rate, ratings, scores)


def update_plackett_luce(ratings: Mapping[int, Rating], scores: Mapping[int, float]) -> dict[int, Rating]:
    """Return the new ratings of the members of a round, by the Plackett-Luce model of the package `openskill`.

    Weng and Lin: A Bayesian Approximation Method for Online Ranking (JMLR 2011), with the initial rating of TrueSkill.
    """
    model = _plackett_luce()
    return _update(model.rating, model.rate, ratings, scores)


def _update(
    make_rating: Callable[..., Any],
    rate: Callable[..., Any],
    ratings: Mapping[int, Rating],
    scores: Mapping[int, float],
) -> dict[int, Rating]:
    """Return new ratings by two functions of a package, in which every member is a team and the lowest rank is best."""
    if len(scores) < 2:
        return {}
    before = [ratings.get(member, Rating()) for member in scores]
    teams = [[make_rating(each.mu, each.sigma)] for each in before]
    after = rate(teams, ranks=[-score for score in scores.values()])
    return {member: Rating(float(new.mu), float(new.sigma)) for member, (new,) in zip(scores, after, strict=True)}


def final_ratings(history: Iterable[tuple[int, int, float, float]]) -> dict[int, Rating]:
    """Return the last rating of each member in the ratings of a division, see `Store.ratings`."""
    return {member: Rating(mu, sigma) for _, member, mu, sigma in history}


@cache
def _trueskill() -> Any:
    import trueskill

    return trueskill.TrueSkill(mu=MU, sigma=SIGMA, beta=BETA)  # other settings are the package's defaults


@cache
def _plackett_luce() -> Any:
    from openskill.models import PlackettLuce

    return PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0)
