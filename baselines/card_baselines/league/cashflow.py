"""Payments between members of the same table, per pair of seats."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.store import Store, format_numbers, parse_matrix
from card_envs.damaged_files import explain_damage
from card_envs.match.summary import student_t_quantile

_MIN_MEMBERS = 3
"""Minimum number of members of a round: with two, the payments are the winnings."""
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cashflow:
    """Net payments of each member to each other, per hand and pair of seats, in the unit of the game."""

    members: tuple[int, ...]
    means: Matrix
    """(n, n): what a seat of the row pays a seat of the column; NaN where the two never sat at one table."""
    half_widths: Matrix
    """(n, n): half the width of the 95 % interval over rounds; infinite for a single round."""
    rounds: NDArray[np.int64]
    """(n, n): number of rounds in which both played."""
    meaning: ClassVar[str] = "pays each seat of the column, in rounds of three members or more"
    """What the means say of a seat of the row."""


def compute_cashflow(store: Store, divisions: Collection[int], members: Collection[int]) -> Cashflow | None:
    """Return the payments between members in the rounds without students of some divisions.

    Args:
        store: Store of the league.
        divisions: Ids of the divisions.
        members: Ids of the members.

    Returns:
        The payments in rounds of three members or more; None if there are no such rounds.
    """
    order = tuple(members)
    column = {member: number for number, member in enumerate(order)}
    query = (
        "SELECT r.seating, o.hands, o.cashflow FROM outcomes o JOIN rounds r ON r.id = o.round WHERE o.lost IS NULL "
        f"AND r.students = '[]' AND r.division IN ({format_numbers(divisions)}) ORDER BY o.round"
    )
    sums = _Sums(np.zeros((5, len(order), len(order))), np.zeros((len(order), len(order)), np.int64))
    for text, hands, content in store.rows(query):
        with explain_damage(store.path):
            seating = json.loads(text)
            if len(set(seating)) >= _MIN_MEMBERS and column.keys() >= set(seating):
                flow, pairs = _sum_by_member(parse_matrix(content), [column[member] for member in seating], len(order))
                sums.add(flow * hands, pairs * hands)
    return sums.cashflow(order) if sums.rounds.any() else None


def _sum_by_member(flow: Matrix, columns: Sequence[int], count: int) -> tuple[Matrix, Matrix]:
    """Return payments between members per hand over all their seats, and the pairs of seats, (count, count) each."""
    seats = np.zeros((len(columns), count))
    seats[np.arange(len(columns)), columns] = 1
    pairs = np.outer(seats.sum(axis=0), seats.sum(axis=0))
    np.fill_diagonal(pairs, 0)
    return seats.T @ flow @ seats, pairs


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over rounds for the ratio estimator payments / weights, and its errors."""

    sums: Matrix
    """(5, n, n): sums of flow, weight, flow * flow, flow * weight and weight * weight."""
    rounds: NDArray[np.int64]
    """(n, n): number of rounds."""

    def add(self, flow: Matrix, weight: Matrix) -> None:
        """Add the payments (n, n) of a round, and their weights: hands times pairs of seats."""
        for total, term in zip(self.sums, (flow, weight, flow * flow, flow * weight, weight * weight), strict=True):
            total += term
        self.rounds[...] += weight > 0

    def cashflow(self, members: tuple[int, ...]) -> Cashflow:
        """Return the ratios flow / weight, with half widths of intervals from the deviations of the rounds."""
        flow, weight, flow_flow, flow_weight, weight_weight = self.sums
        quantile = np.full(self.rounds.max() + 1, np.inf)  # the error of a single round is unknown
        for count in np.unique(self.rounds[self.rounds > 1]):
            quantile[count] = student_t_quantile(0.975, int(count) - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = flow / weight
            squares = np.maximum(flow_flow - 2 * means * flow_weight + means**2 * weight_weight, 0)
            errors = np.sqrt(squares * self.rounds / np.maximum(self.rounds - 1, 1)) / weight
            half_widths = np.where(self.rounds == 1, np.inf, errors * quantile[self.rounds])
        return Cashflow(members, means, np.where(self.rounds > 0, half_widths, np.nan), self.rounds)
