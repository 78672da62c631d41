"""A figure of a cheating sheet: the value of each action with each type of hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.figures import make_figure, save_figure
from card_baselines.papers.zheng2022.card_types import type_names
from card_baselines.papers.zheng2022.sheet import Sheet
from card_baselines.papers.zheng2022.situation import COLUMNS

_BRIGHTEST = 1.5
"""Absolute value, in big blinds, of the strongest colour."""
_DARK = 0.9
_WITH_BOARD = 20


def draw_sheet(sheet: Sheet, path: Path) -> None:
    """Write a figure with one panel for hands before the flop and one for hands with a board."""
    names = type_names()
    figure = make_figure(10.5, 8.6, dpi=130)
    left, right = figure.subplots(1, 2)
    _draw_panel(left, sheet.values[_WITH_BOARD:], names[_WITH_BOARD:], "Before the flop: my two cards")
    title = "With a board: what my seven cards make"
    image = _draw_panel(right, sheet.values[:_WITH_BOARD], names[:_WITH_BOARD], title)
    bar = figure.colorbar(image, ax=[left, right], shrink=0.5, extend="both")
    bar.set_label("big blinds per hand")
    figure.suptitle("What each action is worth with each hand (framed: the best of the four)", fontsize=12)
    save_figure(figure, path)


def _draw_panel(axes: Any, values: Any, names: list[str], title: str) -> Any:
    from matplotlib.patches import Rectangle

    image = axes.imshow(values, cmap="RdYlGn", vmin=-_BRIGHTEST, vmax=_BRIGHTEST, aspect="auto")
    for row, cells in enumerate(values):
        best = int(np.argmax(cells))
        axes.add_patch(Rectangle((best - 0.47, row - 0.44), 0.94, 0.88, fill=False, edgecolor="black", linewidth=1.6))
        for column, value in enumerate(cells):
            colour = "white" if abs(value) > _DARK else "black"
            axes.text(column, row, f"{value:+.2f}", ha="center", va="center", fontsize=8, color=colour)
    axes.set_xticks(range(len(COLUMNS)), COLUMNS)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(names)), [_describe_type(name) for name in names])
    axes.tick_params(length=0)
    axes.set_title(title, fontsize=11)
    return image


def _describe_type(name: str) -> str:
    """Return the label of a name of `type_names`: "A high" for "A-"."""
    return f"{name[0]} high" if name.endswith("-") else name
