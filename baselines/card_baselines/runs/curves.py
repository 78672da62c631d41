"""Pictures of the metrics of a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from card_baselines.run_folder import INTERVAL, RunFolder
from card_baselines.runs.learner import Curve
from card_envs.files import replace_file


def draw_curve(run: RunFolder, x: str, curve: Curve, last: Mapping[str, float] | None = None) -> None:
    """Draw columns of the metrics with their intervals over the column `x`, into a picture in the run folder.

    The legend has the order in which the lines end. No picture is written while the columns are empty.

    Args:
        run: The run folder.
        x: Column of the x axis.
        curve: The columns.
        last: A further row, in place of one with the same `x`.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, StrMethodFormatter

    rows: list[Mapping[str, float]] = list(run.metrics())
    if last is not None:
        rows = [row for row in rows if row[x] != last[x]] + [last]
    if not any(column in row for row in rows for column in curve.labels):
        return
    figure = Figure(figsize=(6.4, 4.0), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    ends = {}
    for column, label in curve.labels.items():
        points = [(row[x], row[column], row.get(column + INTERVAL, 0.0)) for row in rows if column in row]
        if points:
            at, *numbers = (np.array(values) for values in zip(*points, strict=True))
            means, half_widths = (curve.factor * values for values in numbers)
            (line,) = axes.plot(at, means, label=label, linewidth=1.6, marker="o", markersize=2.5)
            ends[line] = means[-1]
            low, high = means - half_widths, means + half_widths
            axes.fill_between(at, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    if curve.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(StrMethodFormatter("{x:g}"))
    else:
        axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
    axes.set_xlabel(x.replace("_", " "))
    axes.set_ylabel(curve.y_label)
    axes.spines[["top", "right"]].set_visible(False)
    if any(curve.labels[column] for column in curve.labels):
        lines = sorted(ends, key=lambda line: -ends[line])
        figure.legend(handles=lines, frameon=False, loc="outside right center")
    with replace_file(run.path / curve.picture) as temporary:
        figure.savefig(temporary)
