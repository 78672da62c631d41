"""Divisions: ways to draw the members of rounds. Four kinds are those of Kaminsky and Liebendoerfer (2020), 3.1.3."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from card_baselines.league.ratings import Rating
from card_baselines.league.store import LeagueError

__all__ = ["KINDS", "DivisionSettings", "Kind", "Matchup", "Standing", "pair_members"]


@dataclass(frozen=True)
class DivisionSettings:
    """Settings of a division."""

    hands: int = 10_000
    """Hands of a round."""
    clone_every: int = 200
    """Rounds after which every student of the division is cloned, and the clone becomes a teacher; 0 for never."""
    evaluation_share: float = 0.1
    """Climbing: share of rounds between teachers alone, which keep the ratings reliable (3.1.3.2 names no number)."""
    wave: int = 8
    """Similar: number of rounds that are drawn from the same ratings, and may be played at the same time."""
    duplicate: bool = False
    """Evaluation: play every deal once for each way to move the members around the table."""
    hands_at_once: int | None = None
    """Hands after which students learn; None for all hands of the round."""

    @classmethod
    def from_mapping(cls, settings: Mapping[str, Any]) -> DivisionSettings:
        """Return the settings, defaults included.

        Raises:
            LeagueError: A setting is unknown or out of range.
        """
        known = [each.name for each in fields(cls)]
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise LeagueError(f"a division has no setting {unknown[0]!r}: choose from {', '.join(known)}")
        made = cls(**settings)
        counts = made.hands, made.wave, made.clone_every, made.hands_at_once or 1
        if not all(type(count) is int for count in counts) or not isinstance(made.evaluation_share, int | float):
            raise LeagueError(f"settings of a division are whole numbers, evaluation_share a number: {dict(settings)}")
        if min(made.hands, made.wave, counts[-1]) < 1 or made.clone_every < 0 or not 0 <= made.evaluation_share < 1:
            raise LeagueError(
                f"hands {made.hands} and wave {made.wave} must be at least 1, clone_every {made.clone_every} at least "
                f"0, evaluation_share {made.evaluation_share} in [0, 1)"
            )
        return made


@dataclass(frozen=True)
class Matchup:
    """The members of a round."""

    seating: tuple[int, ...]
    """Members in their order around the table."""
    students: tuple[int, ...] = ()
    """Members that learn."""


@dataclass(frozen=True)
class Standing:
    """Members and their results, from which a division draws rounds."""

    num_seats: int
    students: Sequence[int]
    teachers: Sequence[int]
    """Clones and agents, which do not learn."""
    ratings: Mapping[int, Rating] = field(default_factory=dict)
    """TrueSkill ratings in the division; members that have not played are missing."""
    meetings: Mapping[frozenset[int], int] = field(default_factory=Counter)
    """Pair -> number of rounds in which the two met, planned ones included."""

    def mu(self, member: int) -> float:
        """Return the mean of a member's rating."""
        return self.ratings.get(member, Rating()).mu


@dataclass(frozen=True)
class Kind:
    """A way to draw rounds."""

    draw: Callable[[Standing, DivisionSettings, np.random.Generator], list[Matchup]]
    """Function that returns the rounds of a wave, which may be played at the same time."""
    trains: bool
    """Whether students learn in it; the others play members that do not learn."""
    needs_results: bool
    """Whether a wave depends on the results of the one before."""


def _draw_random_round(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Draw a student, and teachers with replacement (section 3.1.3.1)."""
    student = int(rng.choice(standing.students))
    teachers = rng.choice(standing.teachers, standing.num_seats - 1)
    return [_seat_members([student, *teachers.tolist()], rng, (student,))]


def _draw_climbing_round(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Draw a student, and teachers by the squares of their ratings (eq. 3.1); in some rounds teachers alone."""
    if rng.random() < settings.evaluation_share:
        return [_draw_similar_round(standing, rng)]
    student = int(rng.choice(standing.students))
    squares = np.array([standing.mu(teacher) ** 2 for teacher in standing.teachers])
    teachers = rng.choice(standing.teachers, standing.num_seats - 1, p=squares / squares.sum())
    return [_seat_members([student, *teachers.tolist()], rng, (student,))]


def _draw_similar_rounds(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Draw a wave of rounds between teachers of similar rating (section 3.1.3.3)."""
    return [_draw_similar_round(standing, rng) for _ in range(settings.wave)]


def _draw_similar_round(standing: Standing, rng: np.random.Generator) -> Matchup:
    """Draw a teacher and those with the nearest ratings, all different if there are enough."""
    chosen = int(rng.choice(standing.teachers))
    others = [teacher for teacher in standing.teachers if teacher != chosen]
    ties = rng.permutation(len(others))
    distance = np.array([abs(standing.mu(other) - standing.mu(chosen)) for other in others])
    nearest = [others[i] for i in np.lexsort((ties, distance))[: standing.num_seats - 1]]
    missing = standing.num_seats - 1 - len(nearest)
    return _seat_members([chosen, *nearest, *rng.choice(standing.teachers, missing).tolist()], rng)


def _draw_direct_round(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Draw one of the pairs of teachers that met least; each has half of the seats (section 3.1.3.4)."""
    pairs = _find_least_met(standing)
    return [pair_members(pairs[rng.integers(len(pairs))], standing, rng)]


def _take_next_pair(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Return a round of the first pair that met least."""
    return [pair_members(_find_least_met(standing)[0], standing, rng)]


KINDS = {
    "random": Kind(_draw_random_round, trains=True, needs_results=True),
    "climbing": Kind(_draw_climbing_round, trains=True, needs_results=True),
    "similar": Kind(_draw_similar_rounds, trains=False, needs_results=True),
    "direct": Kind(_draw_direct_round, trains=False, needs_results=False),
    "round_robin": Kind(_take_next_pair, trains=False, needs_results=False),
}
"""Name of a kind of division -> how it draws rounds."""


def pair_members(pair: Sequence[int], standing: Standing, rng: np.random.Generator) -> Matchup:
    """Return a round in which two members have half of the seats each, in random order.

    With an odd number of seats, the two have one more in turns.
    """
    first, second = pair
    if standing.meetings.get(frozenset(pair), 0) % 2:
        first, second = second, first
    few = standing.num_seats // 2
    return _seat_members([first] * (standing.num_seats - few) + [second] * few, rng)


def _find_least_met(standing: Standing) -> list[tuple[int, int]]:
    """Return the pairs of teachers with the fewest meetings."""
    pairs = list(itertools.combinations(standing.teachers, 2))
    met = [standing.meetings.get(frozenset(pair), 0) for pair in pairs]
    fewest = min(met)
    return [pair for pair, count in zip(pairs, met, strict=True) if count == fewest]


def _seat_members(members: Sequence[int], rng: np.random.Generator, students: tuple[int, ...] = ()) -> Matchup:
    return Matchup(tuple(rng.permutation(np.array(members)).tolist()), students)
