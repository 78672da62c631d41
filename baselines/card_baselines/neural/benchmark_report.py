"""Tables and pictures of the learners' benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.figures import hide_frame, make_figure, save_figure
from card_baselines.neural.benchmark import ENTRANTS, GAMES, summarise_cells
from card_envs.match.summary import summarise

MIN_BAND = 3
"""Seeds from which on curves have bands: the interval of two is wider than the picture."""
_REFERENCES = {"untrained": "untrained: all legal actions alike", "cfr_plus": "CFR+, tabular (agent `cfr`)"}


def table_header(game: str) -> tuple[str, ...]:
    """Return the header of a game's table."""
    unit, milli_unit = GAMES[game].unit, GAMES[game].milli_unit
    return "learner", f"{unit} a hand", f"thousandths of {milli_unit}", "decisions", "processor minutes", "seeds"


def table_rows(report: Mapping[str, Any], game: str) -> list[list[str]]:
    """Return the rows of a game below `table_header`: references, then learners with intervals, the best first."""
    references = [
        [_REFERENCES[name], f"{value:.4f}", f"{1000 * value:,.1f}", "", "", ""]
        for name, value in report["references"][game].items()
    ]
    found = [(summary, name) for name in ENTRANTS if (summary := summarise_cells(report, game, name)) is not None]
    learners = []
    for summary, name in sorted(found, key=lambda pair: pair[0].mean):
        cells = [cell for cell in report["cells"] if (cell["game"], cell["learner"]) == (game, name)]
        width = f" ± {summary.half_width:.4f}" if len(cells) > 1 else ""
        thousandths = f" ± {1000 * summary.half_width:,.1f}" if len(cells) > 1 else ""
        learners.append(
            [
                f"`{name}`: {ENTRANTS[name].about}",
                f"{summary.mean:.4f}{width}",
                f"{1000 * summary.mean:,.1f}{thousandths}",
                f"{np.mean([cell['decisions'] for cell in cells]) / 1e6:.2f} M",
                f"{np.mean([cell['seconds'] for cell in cells]) / 60:.1f}",
                str(len(cells)),
            ]
        )
    return [*references, *learners]


def draw_curves(report: Mapping[str, Any], game: str, path: Path) -> None:
    """Draw exploitability against decisions and processor time: geometric means over seeds with 95 % t intervals.

    Intervals are drawn from `MIN_BAND` seeds on.
    """
    from matplotlib.ticker import EngFormatter, MaxNLocator, StrMethodFormatter

    figure = make_figure(10.5, 4.4)
    left, right = figure.subplots(1, 2, sharey=True)
    least = np.inf
    for number, name in enumerate(ENTRANTS):
        curves = [
            cell["curve"]
            for cell in report["cells"]
            if (cell["game"], cell["learner"]) == (game, name) and len(cell["curve"]) > 1
        ]
        for axes, column in ((left, "decisions"), (right, "seconds")):
            if curves:
                at, low, mean, high = band(curves, column)
                scale, color = 60.0 if column == "seconds" else 1.0, f"C{number}"  # the same one in all games
                axes.plot(at / scale, mean, label=f"{name} ({len(curves)})", color=color, linewidth=1.6)
                if len(curves) >= MIN_BAND:
                    axes.fill_between(at / scale, low, high, color=color, alpha=0.15, linewidth=0)
                least = min(least, mean.min())
    for axes in (left, right):
        axes.axhline(report["references"][game]["untrained"], color="0.6", linestyle=":", linewidth=1.0)
        axes.set_yscale("log")
        axes.set_ylim(least / 1.5, 1.5 * report["references"][game]["untrained"])
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    hide_frame(left, right)
    left.set_xscale("log")
    left.xaxis.set_major_formatter(EngFormatter(sep=" "))
    left.set_xlabel("decisions visited")
    right.set_xlabel("processor minutes")
    right.set_xlim(left=0.0)
    right.xaxis.set_major_locator(MaxNLocator(5))
    left.set_ylabel(f"exploitability, {GAMES[game].unit} a hand")
    left.text(0.99, 0.985, "dotted: untrained", transform=left.transAxes, ha="right", va="top", fontsize=8, color="0.4")
    figure.suptitle(f"{GAMES[game].env}: geometric mean and its 95 % interval over seeds", fontsize=11)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside right center", title="learner (seeds)")
    save_figure(figure, path)


def band(
    curves: list[list[dict[str, float]]], column: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return places, lower bounds, geometric means and upper bounds of curves, interpolated where all of them are.

    The axis is logarithmic, so means and intervals are those of logarithms.
    """
    first = max(curve[0][column] for curve in curves)
    last = min(curve[-1][column] for curve in curves)
    at = np.linspace(first, max(first, last), 40)
    logarithms = np.log(
        [np.interp(at, [p[column] for p in curve], [p["exploitability"] for p in curve]) for curve in curves]
    )
    mean = logarithms.mean(axis=0)
    half_width = np.array([summarise("", values).half_width if len(curves) > 1 else 0.0 for values in logarithms.T])
    return at, np.exp(mean - half_width), np.exp(mean), np.exp(mean + half_width)
