"""Figures of training runs, like those of Shi et al. (2022)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.figures import make_figure, save_figure
from card_baselines.papers.shi2022.paper import FILE
from card_baselines.run_folder import RunFolder


def draw_losses(root: Path, folders: Sequence[Path]) -> None:
    """Write losses.png: losses of runs over their episodes (figures 4 and 5), mean and range over seeds."""
    _draw_curves(root / "losses.png", folders, {"actor_loss": "P loss", "critic_loss": "Q loss"}, "")


def draw_gains(root: Path, folders: Sequence[Path]) -> None:
    """Write gains.png: winnings of runs against the panel during training, mean and range over seeds."""
    panel = RunFolder(folders[0]).config()["panel"]
    if panel:
        _draw_curves(root / "gains.png", folders, {f"v {name}": f"against five {name}" for name in panel}, FILE.unit)


def _draw_curves(path: Path, folders: Sequence[Path], columns: dict[str, str], unit: str) -> None:
    from matplotlib import colormaps

    kinds: dict[str, list[dict[float, dict[str, float]]]] = {}
    for folder in folders:
        run = RunFolder(folder)
        rows = {row["episodes"]: row for row in run.metrics()}  # a run that was killed may have measured twice
        kinds.setdefault(_describe_kind(run.config()), []).append(rows)
    figure = make_figure(1.0 + 3.6 * len(columns), 3.6)
    for axes, (column, title) in zip(figure.subplots(1, len(columns), sharey=bool(unit)), columns.items(), strict=True):
        for number, (kind, runs) in enumerate(kinds.items()):
            colour, episodes = colormaps["tab10"](number), np.array(list(runs[0])) / 1000
            values = np.array([[row[column] for row in rows.values()] for rows in runs])
            axes.plot(episodes, values.mean(axis=0), color=colour, linewidth=1.5, marker=".", markersize=5, label=kind)
            axes.fill_between(episodes, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15, linewidth=0)
        axes.set_xlabel("thousand episodes")
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.3)
        if unit:
            axes.axhline(0, color="black", linewidth=0.8)
    if unit:
        figure.axes[0].set_ylabel(unit)
    lines = figure.axes[0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside lower center", ncols=min(4, len(kinds)), frameon=False, fontsize=9)
    save_figure(figure, path)


def _describe_kind(config: dict[str, Any]) -> str:
    return f"{config['algorithm']}, {config['history']}"
