"""Pictures of results, drawn by matplotlib, which is imported when it is needed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from card_envs.match import MatchResult, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 300
"""Of a curve: more would not be seen."""
_SKIPPED_SHARE = 0.05
"""Of the hands, where a curve does not begin yet: the first ones would stretch the picture."""


def draw_win_curve(result: MatchResult, path: Path) -> None:
    """Draw each agent's mean, with its 95 % interval, over the hands played so far, into a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), dpi=150, layout="constrained")
    _draw_win_curve(figure.add_subplot(), result)
    save(figure, path)


def draw_report(result: MatchResult, opponents: Sequence[str], scores: Sequence[Summary], path: Path) -> None:
    """Draw what an agent wins from each opponent, and the curve of one match, into a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.2), dpi=150, layout="constrained")
    left, right = figure.subplots(1, 2)
    factor, unit = _unit(result)
    places = np.arange(len(scores))[::-1]
    means = [score.mean * factor for score in scores]
    reaches = [(score.ci95[1] - score.ci95[0]) / 2 * factor for score in scores]
    left.errorbar(means, places, xerr=reaches, fmt="o", capsize=3)
    left.axvline(0.0, color="0.6", linewidth=0.8, zorder=0)
    left.set_yticks(places, opponents)
    left.set_xlabel(f"{unit} (95 % intervals)")
    left.set_title(f"{result.names[0]} against", loc="left")
    left.spines[["top", "right"]].set_visible(False)
    _draw_win_curve(right, result)
    save(figure, path)


def save(figure: Figure, path: Path) -> None:
    """Write a figure, in the format of the path's ending; no half-written file is left."""
    temporary = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        figure.savefig(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _unit(result: MatchResult) -> tuple[float, str]:
    unit, factor = next(iter(result.units.items()))
    return factor, unit


def _draw_win_curve(axes: Axes, result: MatchResult) -> None:
    factor, unit = _unit(result)
    samples = len(result.deal_means)
    counts = np.unique(np.linspace(max(1, _SKIPPED_SHARE * samples), samples, _POINTS).astype(np.int64))
    for place, name in enumerate(result.names):
        values = result.deal_means[:, place] * factor
        means = np.cumsum(values)[counts - 1] / counts
        spreads = np.sqrt(np.maximum(np.cumsum(values**2)[counts - 1] / counts - means**2, 0) / counts)
        (line,) = axes.plot(counts * result.hands_per_sample, means, label=name, linewidth=1.6)
        reach = 1.96 * spreads
        axes.fill_between(
            counts * result.hands_per_sample, means - reach, means + reach, color=line.get_color(), alpha=0.15,
            linewidth=0,
        )  # fmt: skip
    axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set_xlabel("hands")
    axes.set_ylabel(f"{unit} so far")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
