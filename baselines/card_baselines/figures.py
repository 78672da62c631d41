"""Figures of matplotlib, which is imported when the first one is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_envs.files import replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


def make_figure(width: float, height: float, dpi: int = 150) -> Figure:
    """Return an empty figure; sizes are in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=dpi, layout="constrained")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a file, in the format of its ending."""
    with replace_file(path) as temporary:
        figure.savefig(temporary)


def hide_frame(*axes: Axes) -> None:
    """Hide the upper and right lines around axes."""
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)


def draw_zero_line(axes: Axes) -> None:
    """Draw a horizontal line at zero, behind everything else."""
    axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)


def draw_band(axes: Axes, x: Any, means: Any, half_widths: Any, **style: Any) -> Line2D:
    """Draw a line with a band of its intervals; return the line."""
    (line,) = axes.plot(x, means, linewidth=1.6, **style)
    axes.fill_between(x, means - half_widths, means + half_widths, color=line.get_color(), alpha=0.15, linewidth=0)
    return line


def use_integer_ticks(*axis: Any) -> None:
    """Put ticks at integers alone, for axes of ranks, rounds and counts."""
    from matplotlib.ticker import MaxNLocator

    for each in axis:
        each.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=2))
