"""Pictures of results, drawn by matplotlib, which is imported when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from card_baselines.adaptation import Adaptation
from card_baselines.figures import draw_band, draw_zero_line, hide_frame, make_figure, save_figure
from card_envs.files import require_parent
from card_envs.match import MatchResult, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 300
"""Maximum number of points of a curve."""
_SKIPPED_SHARE = 0.05
"""Fraction of the hands before the start of a curve: means of few hands would stretch the picture."""


def require_drawable(path: Path | None) -> None:
    """Raise ValueError, before anything is played, if no picture can be written to a file; None is no picture."""
    if path is None:
        return
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = sorted(FigureCanvasBase.get_supported_filetypes())
    if path.suffix.removeprefix(".").lower() not in kinds:
        raise ValueError(f"{path} names no kind of picture: end it in .png, .svg, .pdf or another of {kinds}")
    require_parent(path)


def draw_win_curve(result: MatchResult, path: Path) -> None:
    """Draw each agent's mean, with its 95 % interval, over the hands played so far, into a file."""
    figure = make_figure(7.2, 4.2)
    _draw_win_curves(figure.add_subplot(), [(result, agent, name) for agent, name in enumerate(result.names)])
    save_figure(figure, path)


def draw_report(
    results: Sequence[MatchResult], opponents: Sequence[str], scores: Sequence[Summary], path: Path
) -> None:
    """Draw what an agent wins from each opponent, and how its mean in each match came about, into a file.

    Args:
        results: The match against each opponent; the agent is the first player.
        opponents: Names of the opponents.
        scores: Winnings of the agent in each match.
        path: The file.
    """
    figure = make_figure(11.0, 4.2)
    left, right = figure.subplots(1, 2)
    unit, factor = next(iter(results[0].units.items()))
    heights = np.arange(len(scores))[::-1]
    means = [score.mean * factor for score in scores]
    sides = np.array([(score.mean - score.ci95[0], score.ci95[1] - score.mean) for score in scores]) * factor
    left.errorbar(means, heights, xerr=sides.T, fmt="o", capsize=3)
    left.axvline(0.0, color="0.6", linewidth=0.8, zorder=0)
    left.set_yticks(heights, opponents)
    left.set_xlabel(f"{unit} (95 % intervals)")
    left.set_title(f"{results[0].names[0]} against", loc="left")
    hide_frame(left)
    named = zip(results, opponents, strict=True)
    _draw_win_curves(right, [(result, 0, f"v {opponent}") for result, opponent in named])
    right.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save_figure(figure, path)


def draw_adaptation(adaptation: Adaptation, window: int, path: Path) -> None:
    """Draw the moving mean of what an agent wins in the course of a session, with 95 % intervals, into a file."""
    figure = make_figure(7.2, 4.2)
    axes = figure.add_subplot()
    kernel = np.full(window, 1 / window)
    moving = np.array([np.convolve(session, kernel, "valid") for session in adaptation.rewards])
    hands = np.arange(window, adaptation.rewards.shape[1] + 1)
    is_single = adaptation.num_sessions == 1
    half_width = 0.0 if is_single else 1.96 * moving.std(axis=0, ddof=1) / np.sqrt(adaptation.num_sessions)
    draw_band(axes, hands, moving.mean(axis=0), half_width, label=adaptation.agent)
    for phase, begin in enumerate(range(0, adaptation.rewards.shape[1], adaptation.hands_per_style)):
        style = phase % len(adaptation.styles)
        axes.axvline(begin, color="0.6", linewidth=0.8, linestyle=":")
        axes.annotate(adaptation.styles[style], (begin, 1.0), (4, -12), xycoords=("data", "axes fraction"),
                      textcoords="offset points", fontsize=9, color="0.3")  # fmt: skip
        if adaptation.best_fixed:
            best, end = adaptation.best_fixed[style], begin + adaptation.hands_per_style
            label = "best fixed response" if phase == 0 else None
            axes.plot([begin, end], [best.mean] * 2, color="tab:orange", linestyle="--", linewidth=1.2, label=label)
    axes.set_xlabel("hand of the session")
    axes.set_ylabel(f"{adaptation.unit} per hand, mean of {window} hands")
    _finish(axes)
    save_figure(figure, path)


def _finish(axes: Axes) -> None:
    draw_zero_line(axes)
    hide_frame(axes)
    axes.legend(frameon=False)


def _draw_win_curves(axes: Axes, curves: Sequence[tuple[MatchResult, int, str]]) -> None:
    """Draw means, with their 95 % intervals, over the hands played so far, each of an agent of a match with a label."""
    unit, factor = next(iter(curves[0][0].units.items()))
    for result, agent, label in curves:
        samples = len(result.deal_means)
        counts = np.unique(np.linspace(max(1, _SKIPPED_SHARE * samples), samples, _POINTS).astype(np.int64))
        values = result.deal_means[:, agent] * factor
        means = np.cumsum(values)[counts - 1] / counts
        variances = np.maximum(np.cumsum(values**2)[counts - 1] / counts - means**2, 0)
        half_width = 1.96 * np.sqrt(variances / counts)
        draw_band(axes, counts * result.hands_per_sample, means, half_width, label=label)
    axes.set_xlabel("hands")
    axes.set_ylabel(f"{unit} so far")
    _finish(axes)
