"""Figures 3 to 5 of Maitrepierre et al. (2008) in kind, by matplotlib, which is imported when it is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from card_baselines.papers.maitrepierre2008.tables import UNIT
from card_envs.files import replace_file
from card_envs.match.summary import student_t_quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Session = Mapping[str, Any]

_WINDOW = 200
_INTERVALS = 5
"""Places in a session where means carry their intervals: as bands they would hide each other."""


def draw_figures(root: Path, curves: Mapping[int, Sequence[Session]]) -> None:
    """Draw, into figures.png: results of one, four, five strategies; a session with its change points; who played when.

    `curves` holds, by the number of strategies, sessions with `rewards`, `played` and `change_points`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 3.8), dpi=150, layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _draw_means(left, curves)
    session = max(curves[max(curves)], key=lambda each: len(each["change_points"]))
    _draw_session(middle, session)
    _draw_uses(right, session, max(curves))
    for axes in (left, middle):
        axes.axhline(0, color="0.6", linewidth=0.8, zorder=0)
        axes.set_ylabel(UNIT)
    for axes in (left, middle, right):
        axes.set_xlabel("hand of the session")
        axes.set_xlim(0, len(session["rewards"]) * 1.02)
        axes.spines[["top", "right"]].set_visible(False)
    with replace_file(root / "figures.png") as temporary:
        figure.savefig(temporary)


def _draw_means(axes: Axes, curves: Mapping[int, Sequence[Session]]) -> None:
    """Draw the mean so far from the first tenth of a session on, with 95 % intervals at a few hands, side by side."""
    for place, (count, sessions) in enumerate(curves.items()):
        rewards = np.array([session["rewards"] for session in sessions])
        hands = np.arange(1, rewards.shape[1] + 1)
        means = rewards.cumsum(axis=1) / hands
        shown = slice(len(hands) // 10, None)
        label = f"{count} strateg{'y' if count == 1 else 'ies'}"
        (line,) = axes.plot(hands[shown], means.mean(axis=0)[shown], label=label, linewidth=1.4)
        if len(rewards) > 1:
            step, apart = len(hands) // _INTERVALS, len(hands) // 50
            at = np.arange(1, _INTERVALS + 1) * step - 1 - apart * (len(curves) - 1 - place)
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
    """Draw what a session won lately, and where it noticed changes."""
    window = min(_WINDOW, len(session["rewards"]) // 2 or 1)
    moving = np.convolve(session["rewards"], np.full(window, 1 / window), "valid")
    axes.plot(np.arange(window, len(session["rewards"]) + 1), moving, linewidth=1.2)
    for place, hand in enumerate(session["change_points"]):
        axes.axvline(hand, color="tab:red", linewidth=1.0, label="change point" if place == 0 else None)
    axes.set_title(f"A session, mean of the last {window} hands", loc="left", fontsize=10)
    if session["change_points"]:
        axes.legend(frameon=False, fontsize=8)


def _draw_uses(axes: Axes, session: Session, strategies: int) -> None:
    """Draw how often each strategy has played."""
    played = np.array(session["played"])
    for strategy in range(strategies):
        axes.plot(np.cumsum(played == strategy), label=f"strategy {strategy + 1}", linewidth=1.4)
    axes.plot([0, len(played)], [0, len(played) / strategies], color="0.6", linestyle="--", label="evenly")
    axes.set_title("The same session: hands of each strategy", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
