"""Figures 3 to 5 of Maitrepierre et al. (2008) with our results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from card_baselines.figures import draw_zero_line, hide_frame, make_figure, save_figure
from card_baselines.papers.maitrepierre2008.paper import FILE
from card_envs.match.summary import student_t_quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Session = Mapping[str, Any]

_WINDOW = 200
_INTERVALS = 5
"""Number of hands at which a curve has error bars; bands would hide each other."""


def draw_figures(root: Path, curves: Mapping[int, Sequence[Session]], long: Sequence[Session]) -> None:
    """Write figures.png: means for one, four and five strategies; a session with its change points; uses of strategies.

    Args:
        root: Folder of the file.
        curves: Number of strategies -> sessions with the keys `rewards`, `played` and `change_points`.
        long: Long matches with all strategies, as in figure 5.
    """
    figure = make_figure(12.0, 3.8)
    left, middle, right = figure.subplots(1, 3)
    _draw_means(left, curves)
    session, match = (max(each, key=lambda one: len(one["change_points"])) for each in (curves[max(curves)], long))
    _draw_session(middle, session)
    _draw_uses(right, match, max(curves))
    for axes in (left, middle):
        draw_zero_line(axes)
        axes.set_ylabel(FILE.unit)
    for axes in (left, middle, right):
        axes.set_xlabel("hand of the match" if axes is right else "hand of the session")
        axes.set_xlim(0, len((match if axes is right else session)["rewards"]) * 1.02)
    hide_frame(left, middle, right)
    save_figure(figure, root / "figures.png")


def _draw_means(axes: Axes, curves: Mapping[int, Sequence[Session]]) -> None:
    """Draw running means after the first tenth of a session, with 95 % intervals at a few hands."""
    for number, (count, sessions) in enumerate(curves.items()):
        rewards = np.array([session["rewards"] for session in sessions])
        hands = np.arange(1, rewards.shape[1] + 1)
        means = rewards.cumsum(axis=1) / hands
        shown = slice(len(hands) // 10, None)
        label = f"{count} strateg{'y' if count == 1 else 'ies'}"
        (line,) = axes.plot(hands[shown], means.mean(axis=0)[shown], label=label, linewidth=1.4)
        if len(rewards) > 1:
            step, apart = len(hands) // _INTERVALS, len(hands) // 50
            at = np.arange(1, _INTERVALS + 1) * step - 1 - apart * (len(curves) - 1 - number)
            reach = student_t_quantile(0.975, len(rewards) - 1) * means.std(axis=0, ddof=1) / np.sqrt(len(rewards))
            axes.errorbar(
                hands[at], means.mean(axis=0)[at], reach[at], fmt="o", markersize=3, capsize=2, linewidth=1.0,
                color=line.get_color(),
            )  # fmt: skip
    axes.set_title("Mean so far against vexbot_like, 95 % intervals", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="lower right", ncols=len(curves), handlelength=1.2, columnspacing=1.2)
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.12 * (high - low), high)  # room for the legend


def _draw_session(axes: Axes, session: Session) -> None:
    """Draw the moving mean of the rewards of a session, and its change points."""
    window = min(_WINDOW, len(session["rewards"]) // 2 or 1)
    moving = np.convolve(session["rewards"], np.full(window, 1 / window), "valid")
    axes.plot(np.arange(window, len(session["rewards"]) + 1), moving, linewidth=1.2)
    for number, hand in enumerate(session["change_points"]):
        axes.axvline(hand, color="tab:red", linewidth=1.0, label="change point" if number == 0 else None)
    axes.set_title(f"A session, mean of the last {window} hands", loc="left", fontsize=10)
    if session["change_points"]:
        axes.legend(frameon=False, fontsize=8)


def _draw_uses(axes: Axes, session: Session, strategies: int) -> None:
    """Draw the number of hands that each strategy has played so far."""
    played = np.array(session["played"])
    for strategy in range(strategies):
        axes.plot(np.cumsum(played == strategy), label=f"strategy {strategy + 1}", linewidth=1.4)
    axes.plot([0, len(played)], [0, len(played) / strategies], color="0.6", linestyle="--", label="evenly")
    axes.set_title("A long match: hands of each strategy", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
