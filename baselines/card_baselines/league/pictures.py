"""Pictures of a league, drawn by matplotlib, which is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from card_baselines.figures import hide_frame, make_figure, save_figure
from card_baselines.league.rankings import LABELS, Standings

_DPI = 130
_MAX_NAMES = 30
"""Maximum number of members whose names are written beside points and rows."""


def draw_ranks(standings: Standings, by: str, path: Path) -> None:
    """Draw the rank of each member by each measure, with 95 % intervals, into a file."""
    rankings, order = standings.rankings, standings.rankings[by].best_first()
    figure = make_figure(2.2 + 1.7 * len(rankings), 1.2 + 0.26 * len(order), _DPI)
    panels = np.atleast_1d(figure.subplots(1, len(rankings), sharey=True))
    heights, rows = np.arange(len(order)), [standings.members.index(member) for member in order]
    for axes, (measure, ranking) in zip(panels, rankings.items(), strict=True):
        ranks = ranking.ranks[rows].astype(float)
        if ranking.rank_intervals is not None:
            low, high = ranking.rank_intervals[rows].T
            axes.hlines(heights, low, high, color="tab:blue", alpha=0.45, linewidth=3)
        axes.plot(ranks, heights, "o", color="tab:blue", markersize=4)
        axes.set_title(LABELS[measure], loc="left", fontsize=9)
        axes.set_xlim(0.3, len(order) + 0.7)
        axes.grid(axis="x", color="0.9")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.set_xticks(sorted({1, (len(order) + 1) // 2, len(order)}))
    panels[0].set_yticks(heights, [standings.names[member] for member in order], fontsize=8)
    panels[0].invert_yaxis()
    figure.supxlabel("rank, with 95 % interval", fontsize=9)
    save_figure(figure, path)


def draw_winnings(standings: Standings, by: str, path: Path) -> None:
    """Draw what members win from each other as colours into a file, sorted by a measure."""
    from matplotlib.colors import SymLogNorm

    winnings, order = standings.winnings, standings.rankings[by].best_first()
    rows, labels = [winnings.members.index(member) for member in order], [standings.names[member] for member in order]
    values = winnings.means[np.ix_(rows, rows)] * standings.factor
    np.fill_diagonal(values, np.nan)
    side = 2.6 + 0.42 * min(len(labels), 30)
    figure = make_figure(side + 1.3, side, _DPI)
    axes = figure.add_subplot()
    sizes = np.abs(values[np.isfinite(values)])
    norm = SymLogNorm(max(float(np.median(sizes)), 1e-9), vmin=-sizes.max(), vmax=sizes.max())
    shown = axes.imshow(values, cmap="RdBu", norm=norm)
    if len(labels) <= _MAX_NAMES:
        axes.set_xticks(range(len(labels)), labels, rotation=60, ha="right", rotation_mode="anchor", fontsize=8)
        axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.set_ylabel("wins")
    axes.set_xlabel("from")
    figure.colorbar(shown, ax=axes, shrink=0.8, label=standings.unit)
    save_figure(figure, path)


def draw_ratings(history: Sequence[tuple[int, int, float, float]], names: Mapping[int, str], path: Path) -> None:
    """Draw TrueSkill ratings over the rounds of a division, with one sigma, into a file."""
    figure = make_figure(8.0, 4.4, _DPI)
    axes = figure.add_subplot()
    last = {member: mu for _, member, mu, _ in history}
    best = sorted(last, key=lambda member: -last[member])
    for number, member in enumerate(best):
        rounds, mus, sigmas = (np.array(values) for values in zip(
            *((number + 1, mu, sigma) for number, each, mu, sigma in history if each == member), strict=True
        ))  # fmt: skip
        is_named = number < 10
        (line,) = axes.plot(rounds, mus, linewidth=1.5 if is_named else 0.8, label=names[member] if is_named else None,
                            color=None if is_named else "0.75", zorder=2 if is_named else 1)  # fmt: skip
        if is_named:
            axes.fill_between(rounds, mus - sigmas, mus + sigmas, color=line.get_color(), alpha=0.12, linewidth=0)
    axes.set_xlabel("round")
    axes.set_ylabel("TrueSkill mu, with one sigma")
    hide_frame(axes)
    title = "best ten" if len(best) > 10 else None
    figure.legend(frameon=False, loc="outside right upper", fontsize=8, title=title)
    save_figure(figure, path)
