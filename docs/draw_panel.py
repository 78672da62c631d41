"""Draw the results of `card-envs panel` as heat maps: python docs/draw_panel.py writes docs/pictures/panel_*.png."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

DOCS = Path(__file__).parent
TITLES = {
    "heads_up": "Heads-up limit hold'em: big blinds per hand of the row",
    "six_max": "Six-max limit hold'em: big blinds per hand of one (row) against five (column)",
    "big2": "Big 2: points per deal of one (row) against three (column)",
}
BRIGHTEST = {"heads_up": 1.0, "six_max": 3.0, "big2": 10.0}
"""Means from which colours do not get any stronger."""


def main() -> None:
    """Write one picture for each section of the results."""
    report = json.loads((DOCS / "results" / "panel.json").read_text(encoding="utf-8"))
    for name, section in report.items():
        draw(section["results"], TITLES[name], BRIGHTEST[name]).savefig(DOCS / "pictures" / f"panel_{name}.png")


def draw(results: dict[str, dict[str, Any]], title: str, brightest: float) -> Figure:
    """Return a heat map of the means; without colour where the interval contains 0."""
    names = list(results)
    shades = np.full((len(names), len(names)), np.nan)
    size = 0.62 * len(names) + 2.2
    figure = Figure(figsize=(size, 0.75 * size), dpi=110, layout="constrained")
    axes = figure.add_subplot()
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            if column in results[row]:
                mean, (low, high) = results[row][column]["mean"], results[row][column]["ci95"]
                is_sure = low > 0 or high < 0
                shades[i, j] = mean if is_sure else 0.0
                ink = "0.45" if not is_sure else "white" if abs(mean) > 0.7 * brightest else "black"
                axes.text(j, i, f"{mean:+.2f}", ha="center", va="center", fontsize=8, color=ink)
    axes.imshow(shades, cmap="RdBu", vmin=-brightest, vmax=brightest, aspect="auto")
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=9)
    axes.set_yticks(range(len(names)), names, fontsize=9)
    axes.set_title(title, fontsize=11)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


if __name__ == "__main__":
    main()
