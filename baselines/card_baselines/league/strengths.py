"""Strengths of members from their order in each round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.winnings import PlayedRound

Vector = NDArray[np.float64]
_MAX_STEPS, _TOLERANCE = 10_000, 1e-9
"""Limits of the iteration for Bradley-Terry strengths."""
_PRIOR = 0.5
"""Virtual wins and losses of each member against an average one: without them, an unbeaten member has no strength."""


def compare_pairs(rounds: Sequence[PlayedRound], members: Sequence[int]) -> Vector:
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
