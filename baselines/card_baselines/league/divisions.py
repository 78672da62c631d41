"""Divisions: who meets whom. The first four are those of Kaminsky and Liebendoerfer (2020), section 3.1.3."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from card_baselines.league.ratings import Rating
from card_baselines.league.store import LeagueError


@dataclass(frozen=True)
class DivisionSettings:
    """Settings of a division."""

    hands: int = 10_000
    """Hands of a round."""
    clone_every: int = 200
    """Rounds after which every student of the division leaves a clone that teaches; 0 for never."""
    evaluation_share: float = 0.1
    """Climbing: rounds between teachers alone, which keep the ratings reliable (section 3.1.3.2 names no number)."""
    wave: int = 8
    """Similar: rounds that are drawn from the same ratings, and may be played at the same time."""
    duplicate: bool = False
    """Evaluation: play every deal once for each way to move the members around the table."""
    hands_at_once: int | None = None
    """Hands after which students learn; None for all hands of the round."""
    statistics: bool = True
    """Evaluation: whether to count how the members play, where the game has such statistics."""

    @classmethod
    def from_mapping(cls, settings: Mapping[str, Any]) -> DivisionSettings:
        """Return the settings, defaults included; LeagueError names those that are unknown or out of range."""
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise LeagueError(f"a division has no setting {unknown[0]!r}: choose from {', '.join(known)}")
        made = cls(**settings)
        if made.hands < 1 or made.wave < 1 or made.clone_every < 0 or not 0 <= made.evaluation_share < 1:
            raise LeagueError(
                f"hands {made.hands} and wave {made.wave} must be at least 1, clone_every {made.clone_every} at least "
                f"0, evaluation_share {made.evaluation_share} in [0, 1)"
            )
        return made


@dataclass(frozen=True)
class Matchup:
    """Members at the seats of a round."""

    seating: tuple[int, ...]
    """Members in their order around the table."""
    students: tuple[int, ...] = ()
    """Those that learn."""


@dataclass(frozen=True)
class Standing:
    """Members and their results, from which a division draws rounds."""

    num_seats: int
    students: Sequence[int]
    teachers: Sequence[int]
    """Clones and agents, which do not learn."""
    ratings: Mapping[int, Rating] = field(default_factory=dict)
    """TrueSkill ratings of the division's own leaderboard; members that are missing have not played."""
    meetings: Mapping[frozenset[int], int] = field(default_factory=Counter)
    """Pair -> rounds in which the two met, planned ones included."""
    points: Mapping[int, float] = field(default_factory=dict)
    """Swiss: rounds won, where a draw counts half."""

    def mu(self, member: int) -> float:
        """Return the mean of a member's rating."""
        return self.ratings.get(member, Rating()).mu


@dataclass(frozen=True)
class Kind:
    """A way to draw rounds."""

    draw: Callable[[Standing, DivisionSettings, np.random.Generator], list[Matchup]]
    """Returns the rounds of a wave, which may be played at the same time."""
    trains: bool
    """Whether it needs students (and teachers); the others play members that do not learn."""
    needs_results: bool
    """Whether a wave depends on what came of the one before."""


def _random(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """A student and teachers, any of them as often as it is drawn (section 3.1.3.1)."""
    student = int(rng.choice(standing.students))
    teachers = rng.choice(standing.teachers, standing.num_seats - 1)
    return [_seat_members([student, *teachers.tolist()], rng, (student,))]


def _draw_climbing_round(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """A student and teachers drawn by the squares of their ratings (eq. 3.1); now and then teachers alone."""
    if rng.random() < settings.evaluation_share:
        return [_similar_round(standing, rng)]
    student = int(rng.choice(standing.students))
    squares = np.array([standing.mu(teacher) ** 2 for teacher in standing.teachers])
    teachers = rng.choice(standing.teachers, standing.num_seats - 1, p=squares / squares.sum())
    return [_seat_members([student, *teachers.tolist()], rng, (student,))]


def _similar(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Teachers of similar rating, a wave of rounds at a time (section 3.1.3.3)."""
    return [_similar_round(standing, rng) for _ in range(settings.wave)]


def _similar_round(standing: Standing, rng: np.random.Generator) -> Matchup:
    """Return a random teacher among those whose ratings are nearest; all different if there are enough."""
    chosen = int(rng.choice(standing.teachers))
    others = [teacher for teacher in standing.teachers if teacher != chosen]
    ties = rng.permutation(len(others))
    distance = np.array([abs(standing.mu(other) - standing.mu(chosen)) for other in others])
    nearest = [others[i] for i in np.lexsort((ties, distance))[: standing.num_seats - 1]]
    missing = standing.num_seats - 1 - len(nearest)
    return _seat_members([chosen, *nearest, *rng.choice(standing.teachers, missing).tolist()], rng)


def _direct(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Two teachers with half of the seats each; pairs that met least come first (section 3.1.3.4)."""
    pairs = _least_met(standing)
    return [pair_members(pairs[rng.integers(len(pairs))], standing, rng)]


def _round_robin(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """As direct, but pair after pair in a fixed order."""
    return [pair_members(_least_met(standing)[0], standing, rng)]


def _swiss(standing: Standing, settings: DivisionSettings, rng: np.random.Generator) -> list[Matchup]:
    """Everybody against somebody with about as many points whom it has met least; one of an odd number pauses."""
    order = rng.permutation(np.array(standing.teachers)).tolist()
    waiting = sorted(order, key=lambda member: -standing.points.get(member, 0.0))
    if len(waiting) % 2:
        played = {member: _rounds_of(member, standing) for member in waiting}
        waiting.remove(max(reversed(waiting), key=lambda member: played[member]))
    matchups = []
    while waiting:
        first, *others = waiting
        second = min(others, key=lambda other: standing.meetings.get(frozenset((first, other)), 0))
        waiting = [member for member in others if member != second]
        matchups.append(pair_members((first, second), standing, rng))
    return matchups


KINDS = {
    "random": Kind(_random, trains=True, needs_results=True),
    "climbing": Kind(_draw_climbing_round, trains=True, needs_results=True),
    "similar": Kind(_similar, trains=False, needs_results=True),
    "direct": Kind(_direct, trains=False, needs_results=False),
    "round_robin": Kind(_round_robin, trains=False, needs_results=False),
    "swiss": Kind(_swiss, trains=False, needs_results=True),
}


def pair_members(pair: Sequence[int], standing: Standing, rng: np.random.Generator) -> Matchup:
    """Return a round in which two members have half of the seats each, at random.

    Of an odd number of seats, one has one more: the first at every other meeting.
    """
    first, second = pair
    if standing.meetings.get(frozenset(pair), 0) % 2:
        first, second = second, first
    few = standing.num_seats // 2
    return _seat_members([first] * (standing.num_seats - few) + [second] * few, rng)


def _least_met(standing: Standing) -> list[tuple[int, int]]:
    """Return the pairs of teachers that met least."""
    pairs = list(itertools.combinations(standing.teachers, 2))
    met = [standing.meetings.get(frozenset(pair), 0) for pair in pairs]
    return [pair for pair, count in zip(pairs, met, strict=True) if count == min(met)]


def _rounds_of(member: int, standing: Standing) -> int:
    return sum(count for pair, count in standing.meetings.items() if member in pair)


def _seat_members(members: Sequence[int], rng: np.random.Generator, students: tuple[int, ...] = ()) -> Matchup:
    return Matchup(tuple(rng.permutation(np.array(members)).tolist()), students)
