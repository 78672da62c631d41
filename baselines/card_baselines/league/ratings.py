"""TrueSkill ratings of a division, round by round.

Herbrich, Minka, Graepel: TrueSkill: A Bayesian Skill Rating System (NIPS 2006), computed by the package `trueskill`.
A round is one match in which only the order of the members counts: Kaminsky and Liebendoerfer (2020), section 3.2.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from card_baselines.league.rounds import Earnings

MU, SIGMA = 100.0, 30.0
"""Rating of a member that has not played yet (Kaminsky and Liebendoerfer 2020, section 3.2.1)."""
BETA = 25 / 6
"""Difference of two skills at which the better member wins with a probability of 76 % (ibid.)."""


@dataclass(frozen=True)
class Rating:
    """Normal distribution of a member's skill."""

    mu: float = MU
    sigma: float = SIGMA


def update_ratings(ratings: Mapping[int, Rating], earnings: Mapping[int, Earnings]) -> dict[int, Rating]:
    """Return the new ratings of the members of a round, ranked by their winnings per seat.

    A member with several seats counts once. A round of a single member changes no rating.
    """
    if len(earnings) < 2:
        return {}
    system = _system()
    members = list(earnings)
    scores = {member: won.total / won.seats for member, won in earnings.items()}
    best_first = sorted(set(scores.values()), reverse=True)
    before = [ratings.get(member, Rating()) for member in members]
    groups = [(system.create_rating(each.mu, each.sigma),) for each in before]
    after = system.rate(groups, ranks=[best_first.index(scores[member]) for member in members])
    return {member: Rating(float(new.mu), float(new.sigma)) for member, (new,) in zip(members, after, strict=True)}


def final_ratings(history: Iterable[tuple[int, int, float, float]]) -> dict[int, Rating]:
    """Return the last rating of each member in the ratings of a division, see `Store.ratings`."""
    return {member: Rating(mu, sigma) for _, member, mu, sigma in history}


@cache
def _system() -> Any:
    import trueskill

    return trueskill.TrueSkill(mu=MU, sigma=SIGMA, beta=BETA)  # other settings are the package's defaults
