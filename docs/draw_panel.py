"""Draw the results of `card-envs match --panel`: python docs/draw_panel.py writes docs/pictures/panel_*.png."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

DOCS = Path(__file__).parent
TITLES = {
    "heads_up": ("Heads-up limit hold'em", "one player", "against one other", "big blinds per hand"),
    "six_max": ("Six-max limit hold'em", "one player", "against five others", "big blinds per hand"),
    "big2": ("Big 2", "one player", "against three others", "points per deal"),
}
"""Game, what the rows and the columns are, unit of the means."""
BRIGHTEST = {"heads_up": 1.0, "six_max": 3.0, "big2": 10.0}
"""Means from which colours do not get any stronger."""


def main() -> None:
    """Write one picture for each section of the results."""
    report = json.loads((DOCS / "results" / "panel.json").read_text(encoding="utf-8"))
    for name, section in report.items():
        draw(section["results"], TITLES[name], BRIGHTEST[name]).savefig(DOCS / "pictures" / f"panel_{name}.png")


def draw(results: dict[str, dict[str, Any]], titles: tuple[str, str, str, str], brightest: float) -> Figure:
    """Return a heat map of the means; without colour where the interval contains 0."""
    title, row_label, column_label, unit = titles
    names = list(results)
    shades = np.full((len(names), len(names)), np.nan)
    size = 0.62 * len(names) + 2.2
    figure = Figure(figsize=(size + 0.9, 0.75 * size), dpi=160, layout="constrained")
    axes = figure.add_subplot()
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            if column in results[row]:
                mean, (low, high) = results[row][column]["mean"], results[row][column]["ci95"]
                is_sure = low > 0 or high < 0
                shades[i, j] = mean if is_sure else 0.0
                ink = "0.45" if not is_sure else "white" if abs(mean) > 0.7 * brightest else "black"
                axes.text(j, i, f"{mean:+.2f}", ha="center", va="center", fontsize=8, color=ink)
    image = axes.imshow(shades, cmap="RdBu", vmin=-brightest, vmax=brightest, aspect="auto")
    bar = figure.colorbar(image, ax=axes, extend="both", shrink=0.7, aspect=28, pad=0.02)
    bar.set_label(f"{unit}; grey: the 95 % interval contains 0", fontsize=9)
    bar.outline.set_visible(False)
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=9)
    axes.set_yticks(range(len(names)), names, fontsize=9)
    axes.set_title(title, fontsize=12, loc="left")
    axes.set_ylabel(row_label, fontsize=10)
    axes.set_xlabel(column_label, fontsize=10)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


if __name__ == "__main__":
    main()
