"""A cheating sheet as a picture: what each action is worth with each type of hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.papers.zheng2022.card_types import NUM_TYPES, type_names
from card_baselines.papers.zheng2022.sheet import Sheet
from card_baselines.papers.zheng2022.situation import COLUMNS
from card_envs.files import replace_file

_BRIGHTEST = 1.5
"""Big blinds from which colours do not get any stronger."""
_DARK = 0.9
_WITH_BOARD = 20


def draw_sheet(sheet: Sheet, path: Path) -> None:
    """Write a picture with a panel for hands before the flop and one for finished hands; by matplotlib."""
    from matplotlib.figure import Figure

    names = type_names(repaired=len(sheet.values) > NUM_TYPES)
    split = _WITH_BOARD + sheet.repaired
    figure = Figure(figsize=(10.5, 8.6), dpi=130, layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw(left, sheet.values[split:], names[split:], "Before the flop: my two cards")
    image = _draw(right, sheet.values[:split], names[:split], "With a board: what my seven cards make")
    bar = figure.colorbar(image, ax=[left, right], shrink=0.5, extend="both")
    bar.set_label("big blinds per hand")
    figure.suptitle("What each action is worth with each hand (framed: the best of the four)", fontsize=12)
    with replace_file(path) as temporary:
        figure.savefig(temporary)


def _draw(axes: Any, values: Any, names: list[str], title: str) -> Any:
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
    axes.set_yticks(range(len(names)), [_spoken(name) for name in names])
    axes.tick_params(length=0)
    axes.set_title(title, fontsize=11)
    return image


def _spoken(name: str) -> str:
    """Return a name of `type_names` as a player would say it: "A-" is "A high, no pair"."""
    return f"{name[0]} high" if name.endswith("-") else name
