"""Pictures of results, drawn by matplotlib, which is imported when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from card_envs.analysis.adaptation import Adaptation
from card_envs.files import replace_file, require_parent
from card_envs.match import MatchResult, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 300
"""Largest number of points of a curve: more would not be seen."""
_SKIPPED_SHARE = 0.05
"""Fraction of the hands before the start of a curve: means of few hands would stretch the picture."""


def require_drawable(path: Path | None) -> None:
    """Raise ValueError, before anything is played, where no picture can be written; None is no picture."""
    if path is None:
        return
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = sorted(FigureCanvasBase.get_supported_filetypes())
    if path.suffix.removeprefix(".").lower() not in kinds:
        raise ValueError(f"{path} names no kind of picture: end it in .png, .svg, .pdf or another of {kinds}")
    require_parent(path)


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
    heights = np.arange(len(scores))[::-1]
    means = [score.mean * factor for score in scores]
    reaches = [(score.ci95[1] - score.ci95[0]) / 2 * factor for score in scores]
    left.errorbar(means, heights, xerr=reaches, fmt="o", capsize=3)
    left.axvline(0.0, color="0.6", linewidth=0.8, zorder=0)
    left.set_yticks(heights, opponents)
    left.set_xlabel(f"{unit} (95 % intervals)")
    left.set_title(f"{result.names[0]} against", loc="left")
    left.spines[["top", "right"]].set_visible(False)
    _draw_win_curve(right, result)
    save(figure, path)


def draw_adaptation(found: Adaptation, window: int, path: Path) -> None:
    """Draw the moving mean of what an agent wins in the course of a session, with 95 % intervals, into a file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    kernel = np.full(window, 1 / window)
    moving = np.array([np.convolve(session, kernel, "valid") for session in found.rewards])
    hands = np.arange(window, found.rewards.shape[1] + 1)
    mean = moving.mean(axis=0)
    axes.plot(hands, mean, label=found.agent, linewidth=1.6)
    if found.num_sessions > 1:
        reach = 1.96 * moving.std(axis=0, ddof=1) / np.sqrt(found.num_sessions)
        axes.fill_between(hands, mean - reach, mean + reach, alpha=0.15, linewidth=0)
    for phase, begin in enumerate(range(0, found.rewards.shape[1], found.hands_per_style)):
        style = phase % len(found.styles)
        axes.axvline(begin, color="0.6", linewidth=0.8, linestyle=":")
        axes.annotate(found.styles[style], (begin, 1.0), (4, -12), xycoords=("data", "axes fraction"),
                      textcoords="offset points", fontsize=9, color="0.3")  # fmt: skip
        if found.best_fixed:
            best, end = found.best_fixed[style], begin + found.hands_per_style
            label = "best fixed response" if phase == 0 else None
            axes.plot([begin, end], [best.mean] * 2, color="tab:orange", linestyle="--", linewidth=1.2, label=label)
    axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set_xlabel("hand of the session")
    axes.set_ylabel(f"{found.unit} per hand, mean of {window} hands")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    save(figure, path)


def save(figure: Figure, path: Path) -> None:
    """Write a figure, in the format of the path's ending; no half-written file is left."""
    with replace_file(path) as temporary:
        figure.savefig(temporary)


def _unit(result: MatchResult) -> tuple[float, str]:
    unit, factor = next(iter(result.units.items()))
    return factor, unit


def _draw_win_curve(axes: Axes, result: MatchResult) -> None:
    factor, unit = _unit(result)
    samples = len(result.deal_means)
    counts = np.unique(np.linspace(max(1, _SKIPPED_SHARE * samples), samples, _POINTS).astype(np.int64))
    for agent, name in enumerate(result.names):
        values = result.deal_means[:, agent] * factor
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
