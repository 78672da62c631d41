"""Pictures of the metrics of a run."""

from __future__ import annotations

import numpy as np

from card_baselines.run_folder import INTERVAL, RunFolder
from card_baselines.runs.learner import Curve
from card_envs.files import replace_file


def draw_curve(run: RunFolder, x: str, curve: Curve) -> None:
    """Draw columns of the metrics with their intervals over the column `x`, into a picture in the run folder.

    No picture is written while the columns are empty.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, StrMethodFormatter

    rows = run.metrics()
    if not any(column in row for row in rows for column in curve.labels):
        return
    figure = Figure(figsize=(6.4, 4.0), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    for column, label in curve.labels.items():
        points = [(row[x], row[column], row.get(column + INTERVAL, 0.0)) for row in rows if column in row]
        if points:
            at, means, half_widths = (np.array(values) for values in zip(*points, strict=True))
            (line,) = axes.plot(at, means, label=label, linewidth=1.6)
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
    if axes.get_legend_handles_labels()[0]:
        figure.legend(frameon=False, loc="outside right center")
    with replace_file(run.path / curve.picture) as temporary:
        figure.savefig(temporary)
