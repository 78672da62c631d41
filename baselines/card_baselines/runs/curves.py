"""Pictures of the metrics of a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from card_baselines.figures import draw_band, draw_zero_line, hide_frame, make_figure, save_figure
from card_baselines.run_folder import INTERVAL, RunFolder
from card_baselines.runs.learner import Curve


def draw_curve(run: RunFolder, x: str, curve: Curve, last: Mapping[str, float] | None = None) -> None:
    """Draw columns of the metrics with their intervals over the column `x`, into a picture in the run folder.

    The legend has the order in which the lines end. No picture is written while the columns are empty.

    Args:
        run: The run folder.
        x: Column of the x axis.
        curve: The columns.
        last: A further row, in place of one with the same `x`.
    """
    from matplotlib.ticker import EngFormatter, StrMethodFormatter

    rows: list[Mapping[str, float]] = list(run.metrics())
    if last is not None:
        rows = [row for row in rows if row[x] != last[x]] + [last]
    if not any(column in row for row in rows for column in curve.labels):
        return
    figure = make_figure(6.4, 4.0)
    axes = figure.add_subplot()
    ends = {}
    for column, label in curve.labels.items():
        points = [(row[x], row[column], row.get(column + INTERVAL, 0.0)) for row in rows if column in row]
        if points:
            at, *numbers = (np.array(values) for values in zip(*points, strict=True))
            means, half_widths = (curve.factor * values for values in numbers)
            line = draw_band(axes, at, means, half_widths, label=label, marker="o", markersize=2.5)
            ends[line] = means[-1]
    if curve.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(StrMethodFormatter("{x:g}"))
    else:
        draw_zero_line(axes)
    axes.xaxis.set_major_formatter(EngFormatter(sep=" "))
    axes.set_xlabel(x.replace("_", " "))
    axes.set_ylabel(curve.y_label)
    hide_frame(axes)
    if any(curve.labels[column] for column in curve.labels):
        lines = sorted(ends, key=lambda line: -ends[line])
        figure.legend(handles=lines, frameon=False, loc="outside right center")
    save_figure(figure, run.path / curve.picture)
