"""Maps of members: vectors that describe their play, projected to two dimensions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.store import Store, format_numbers
from card_baselines.text_table import TextTable

__all__ = ["Map", "Play", "load_play", "principal_map"]


@dataclass(frozen=True, eq=False)
class Map:
    """Points of the members in the plane of their two principal components."""

    points: NDArray[np.float64]
    """(n, 2) coordinates."""
    explained: tuple[float, float]
    """Shares of the variance along the two axes, 0 .. 1."""
    axes: NDArray[np.float64]
    """(2, d) the principal components."""


def principal_map(vectors: NDArray[np.float64], standardise: bool = False) -> Map:
    """Return the map of vectors along their two principal components (Pearson 1901).

    The sign of an axis makes its largest part positive, so the same vectors give the same map.

    Args:
        vectors: (n, d), n >= 2.
        standardise: Whether to divide each coordinate by its standard deviation, so that units do not matter.

    Raises:
        ValueError: There are fewer than two vectors.
    """
    if vectors.ndim != 2 or len(vectors) < 2:
        raise ValueError(f"vectors of shape {vectors.shape}: at least two rows are needed")
    centred = np.asarray(vectors - vectors.mean(axis=0), np.float64)
    if standardise:
        spread = centred.std(axis=0)
        centred = centred[:, spread > 0] / spread[spread > 0]
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    points, axes, shares = np.zeros((len(vectors), 2)), np.zeros((2, vectors.shape[1])), np.zeros(2)
    kept = spread > 0 if standardise else np.ones(vectors.shape[1], bool)
    for i in range(min(2, len(sizes))):
        sign = np.sign(right[i, np.argmax(np.abs(right[i]))]) if sizes[i] > 0 else 1.0
        points[:, i], axes[i, kept] = sign * left[:, i] * sizes[i], sign * right[i]
        shares[i] = sizes[i] ** 2 / max(float((sizes**2).sum()), 1e-300)
    return Map(points, (float(shares[0]), float(shares[1])), axes)


@dataclass(frozen=True, eq=False, kw_only=True)
class Play:
    """Numbers that say how n members play, and a vector of each for a map."""

    members: tuple[int, ...]
    """Ids of the members."""
    names: tuple[str, ...]
    """Names of the numbers."""
    values: NDArray[np.float64]
    """(n, numbers): NaN where a number is not known."""
    vectors: NDArray[np.float64]
    """(n, d): the vectors."""
    title: str
    """Title of the table of the numbers."""
    caption: str
    """Caption of the map."""
    standardise: bool = False
    """Whether the coordinates of the vectors have different units."""
    missing: Mapping[int, str] = field(default_factory=dict)
    """Member -> reason why it is left out."""

    def compute_map(self) -> Map:
        """Return the map of the vectors."""
        return principal_map(self.vectors, self.standardise)

    def table(self, names: Mapping[int, str], order: Sequence[int]) -> TextTable:
        """Return the numbers of the members by their names, in an order of their ids."""
        rows = {member: values for member, values in zip(self.members, self.values, strict=True)}
        cells = [
            (names[member], *("-" if np.isnan(value) else f"{value:.3g}" for value in rows[member]))
            for member in order
            if member in rows
        ]
        return TextTable(self.title, ("member", *self.names), cells)


def load_play(store: Store, divisions: Collection[int]) -> Play | None:
    """Return the statistics of play of members: means over their rounds, weighted by occasions.

    Args:
        store: Store of the league.
        divisions: Ids of the divisions whose rounds count.

    Returns:
        The statistics, NaN where there was no occasion; in the vectors, the mean of the other members takes its place.
        None if none were counted.
    """
    query = (
        "SELECT p.member, p.name, SUM(p.value * p.occasions) / SUM(p.occasions) FROM play p "
        f"JOIN rounds r ON r.id = p.round WHERE r.division IN ({format_numbers(divisions)}) AND p.occasions > 0 "
        "GROUP BY p.member, p.name ORDER BY MIN(p.rowid)"
    )
    rows = store.rows(query)
    if not rows:
        return None
    members = tuple(sorted({member for member, _, _ in rows}))
    names = tuple(dict.fromkeys(name for _, name, _ in rows))
    values = np.full((len(members), len(names)), np.nan)
    for member, name, value in rows:
        values[members.index(member), names.index(name)] = value
    known = ~np.isnan(values)
    means = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return Play(
        members=members, names=names, values=values, vectors=np.where(known, values, means), standardise=True,
        title="how they play", caption="Members by their statistics of play: near means alike",
    )  # fmt: skip
