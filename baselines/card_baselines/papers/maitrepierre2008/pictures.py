"""Figures 3 to 5 of Maitrepierre et al. (2008) in kind, by matplotlib, which is imported when it is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.papers.maitrepierre2008.tables import UNIT
from card_baselines.run_folder import RunFolder

_WINDOW = 200


def draw_figures(root: Path, curves: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
    """Draw, into figures.png: results of one, four, five strategies; a session with its change points; who played when.

    `curves` holds, by the number of strategies, sessions with `rewards`, `played` and `change_points`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 3.8), dpi=150, layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for count, sessions in curves.items():
        rewards = np.array([session["rewards"] for session in sessions])
        hands = np.arange(1, rewards.shape[1] + 1)
        means = rewards.cumsum(axis=1) / hands
        left.plot(hands, means.mean(axis=0), label="one strategy" if count == 1 else f"{count} strategies")
        if len(rewards) > 1:
            reach = 1.96 * means.std(axis=0, ddof=1) / np.sqrt(len(rewards))
            left.fill_between(hands, means.mean(axis=0) - reach, means.mean(axis=0) + reach, alpha=0.15, linewidth=0)
    left.set_title("Mean so far against vexbot_like", loc="left", fontsize=10)
    left.set_ylabel(UNIT)
    left.set_ylim(*_limits(curves))
    left.legend(frameon=False)
    session = max(curves[max(curves)], key=lambda each: len(each["change_points"]))
    window = min(_WINDOW, len(session["rewards"]) // 2 or 1)
    moving = np.convolve(session["rewards"], np.full(window, 1 / window), "valid")
    middle.plot(np.arange(window, len(session["rewards"]) + 1), moving)
    for place, hand in enumerate(session["change_points"]):
        middle.axvline(hand, color="tab:red", linewidth=1.0, label="change point" if place == 0 else None)
    middle.set_title(f"One session, mean of the last {window} hands", loc="left", fontsize=10)
    if session["change_points"]:
        middle.legend(frameon=False)
    played = np.array(session["played"])
    for strategy in range(max(curves)):
        right.plot(np.cumsum(played == strategy), label=f"strategy {strategy + 1}")
    right.plot([0, len(played)], [0, len(played) / max(curves)], color="0.6", linestyle="--", label="evenly")
    right.set_title("How often each strategy has played", loc="left", fontsize=10)
    right.legend(frameon=False, fontsize=8)
    for axes in (left, middle):
        axes.axhline(0, color="0.6", linewidth=0.8, zorder=0)
    for axes in (left, middle, right):
        axes.set_xlabel("hands")
        axes.spines[["top", "right"]].set_visible(False)
    with RunFolder(root).replacing("figures.png") as temporary:
        figure.savefig(temporary)


def _limits(curves: Mapping[int, Sequence[Mapping[str, Any]]]) -> tuple[float, float]:
    """Return bounds for the means that leave the first, wild hands out of the picture."""
    ends = []
    for sessions in curves.values():
        rewards = np.array([session["rewards"] for session in sessions])
        means = (rewards.cumsum(axis=1) / np.arange(1, rewards.shape[1] + 1)).mean(axis=0)
        ends += means[len(means) // 10 :].tolist()
    return min(ends) - 0.3, max(ends) + 0.3
