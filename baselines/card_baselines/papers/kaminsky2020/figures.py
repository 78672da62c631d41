"""The figures of the paper with our results: ranks and styles of the agents, and the agreement of two evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from card_baselines.figures import hide_frame, make_figure, save_figure, use_integer_ticks
from card_baselines.papers.kaminsky2020.claims import measure_prediction
from card_baselines.papers.kaminsky2020.findings import Findings
from card_baselines.papers.kaminsky2020.paper import FILE, METRICS, TRAINING, TYPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = dict(zip(METRICS, ("TrueSkill", "Mean", "Median", "20-Percentile"), strict=True))
_COLOURS = ("tab:blue", "tab:red", "tab:green", "tab:orange")
TYPE_COLOURS = dict(zip(TYPES.values(), (*_COLOURS, "0.55", "black"), strict=True))
DIVISION_COLOURS = dict(zip((*TRAINING, ""), (*_COLOURS, "tab:purple", "tab:cyan", "0.55"), strict=True))
_BASELINES = "baselines"


def draw_figures(found: Findings, folder: Path) -> list[Path]:
    """Write all pictures into a folder; return their paths."""
    figures = {
        "styles": _draw_styles, "metrics": _draw_metrics, "trueskill": _draw_trueskill, "types": _draw_types,
        "divisions": _draw_divisions,
    }  # fmt: skip
    paths = []
    for name, draw in figures.items():
        figure = draw(found)
        for axes in figure.axes:
            hide_frame(axes)
            axes.tick_params(labelsize=8)
            axes.xaxis.label.set_fontsize(9)
            axes.yaxis.label.set_fontsize(9)
        paths.append(folder / f"kaminsky2020_{name}.png")
        save_figure(figure, paths[-1])
    return paths


def _draw_styles(found: Findings) -> Figure:
    """Draw figures 4.5 and 4.8."""
    figure = make_figure(9.6, 4.6, dpi=130)
    by_type, by_division = figure.subplots(1, 2)
    _set_up_plane(by_type, found, "Style by type (figure 4.5)")
    _draw_groups(by_type, found.plane, found.types, TYPE_COLOURS)
    _set_up_plane(by_division, found, "Style by division (figure 4.8)")
    _draw_groups(by_division, found.plane, found.divisions, DIVISION_COLOURS)
    _add_legend(figure, by_type, "outside lower left")
    _add_legend(figure, by_division, "outside lower right")
    return figure


def _draw_metrics(found: Findings) -> Figure:
    """Draw figure 4.1, styles coloured by rank, and figure 4.2."""
    figure = make_figure(12.6, 3.5, dpi=130)
    panels = figure.subplots(1, 5, width_ratios=(1, 1, 1, 1, 1.1))
    for axes, metric in zip(panels, METRICS, strict=False):
        ranks = found.ranks(found.scores[metric])
        shown = axes.scatter(*found.plane.T, c=ranks, cmap="coolwarm", s=30, edgecolors="0.3", linewidths=0.4)
        _set_up_plane(axes, found, LABELS[metric])
        if axes is not panels[0]:
            axes.set_ylabel("")
            axes.set_yticklabels([])
    figure.colorbar(shown, ax=panels[3], label="rank (figure 4.1)")
    bars = panels[4]
    for number, metric in enumerate(METRICS):
        claim = measure_prediction(found, FILE.claims[f"prediction, {metric}"], metric)
        mean, (low, high) = claim.mean, claim.ci95
        bars.errorbar(number, mean, yerr=[[mean - low], [high - mean]], fmt="o", capsize=4, color="tab:blue")
    bars.set_xticks(range(len(METRICS)), list(LABELS.values()), rotation=35, ha="right", fontsize=8)
    bars.axhline(50, color="0.6", linewidth=0.8, zorder=0)
    bars.set_xlim(-0.5, len(METRICS) - 0.5)
    _label(bars, "Winners named (figure 4.2)", "", "% of pairs")
    return figure


def _draw_trueskill(found: Findings) -> Figure:
    """Draw figures 4.3 and 4.4: two evaluations of the same agents."""
    figure = make_figure(12.6, 4.2, dpi=130)
    first, second, both = figure.subplots(1, 3)
    types = {member.id: kind for member, kind in zip(found.members, found.types, strict=True)}
    for number, (axes, history) in enumerate(zip((first, second), found.histories, strict=True)):
        lines: dict[int, list[tuple[int, float]]] = {}
        for round, member, mu, _ in history:
            lines.setdefault(member, [(0, 100.0)]).append((round + 1, mu))
        for member, points in lines.items():
            axes.plot(*zip(*points, strict=True), color=TYPE_COLOURS[types[member]], linewidth=0.9, alpha=0.75,
                      drawstyle="steps-post")  # fmt: skip
        _label(axes, f"Evaluation {number + 1} (figure 4.3)", "round", "TrueSkill")
    second.sharey(first)
    both.plot([1, len(found.members)], [1, len(found.members)], color="0.75", linewidth=0.8, zorder=0)
    ranks = np.stack([found.ranks(found.trueskill(run)) for run in range(2)], axis=1)
    _draw_groups(both, ranks, found.types, TYPE_COLOURS)
    use_integer_ticks(both.xaxis, both.yaxis)
    _label(both, "Twice the same (figure 4.4)", "rank in evaluation 1", "rank in evaluation 2")
    _add_legend(figure, both, "outside right upper")
    return figure


def _draw_types(found: Findings) -> Figure:
    """Draw figures 4.6 and 4.7: the ranks of each type by each metric, and of the clones of each student."""
    figure = make_figure(12.6, 6.6, dpi=130)
    upper, lower = figure.subplots(2, 4)
    last = max(1, int(found.generations.max()))
    masks = {kind: found.has_type(kind) for kind in TYPE_COLOURS}
    for axes, below, metric in zip(upper, lower, METRICS, strict=True):
        ranks = found.ranks(found.scores[metric])
        names = list(TYPE_COLOURS) if axes is upper[0] else [""] * len(TYPE_COLOURS)
        _draw_ranks(axes, ranks, masks, TYPE_COLOURS, names, 16)
        _label(axes, f"{LABELS[metric]} (figure 4.6)", "rank (1 is best)")
        for clones in found.clones:
            mine = clones[np.argsort(found.generations[clones])]
            colour = TYPE_COLOURS[found.types[mine[0]]]
            below.plot(found.generations[mine], ranks[mine], "o-", markersize=4, linewidth=1.3, color=colour)
        below.set_xticks(range(1, last + 1))
        below.invert_yaxis()
        use_integer_ticks(below.yaxis)
        _label(below, f"{LABELS[metric]} (figure 4.7)", "clone", "rank, best on top" if below is lower[0] else "")
    return figure


def _draw_divisions(found: Findings) -> Figure:
    """Draw figures 4.9 and 4.10: climbing and random matches; ranks inside the divisions and overall."""
    figure = make_figure(12.6, 6.6, dpi=130)
    upper, lower = figure.subplots(2, 4)
    masks = {name: found.is_in_division(name) for name in ("QlnA-Cl", "QlnA-Rn")}
    for axes, metric in zip(upper, METRICS, strict=True):
        names = ("climbing", "random") if axes is upper[0] else ("", "")
        _draw_ranks(axes, found.ranks(found.scores[metric]), masks, DIVISION_COLOURS, names, 26)
        _label(axes, f"{LABELS[metric]} (figure 4.9)", "rank (1 is best)")
    overall = found.ranks(found.trueskill(0))
    groups = (("Qln8-Cl",), ("QlnA-Cl", "QlnA-Rn"), ("SacL-Cl", "SacH-Cl"), ("AllAg-Cl",))
    for axes, divisions in zip(lower, groups, strict=True):
        for name, marker in zip(divisions, "os", strict=False):
            mine = np.flatnonzero(found.is_in_division(name))
            inside = _rank_inside_divisions(found, mine)
            colours = [TYPE_COLOURS[found.types[i]] for i in mine]
            axes.scatter(inside, overall[mine], c=colours, s=34, marker=marker, edgecolors="0.3", linewidths=0.4)
        axes.margins(0.12)
        use_integer_ticks(axes.xaxis, axes.yaxis)
        y_label = "rank among all, by TrueSkill" if axes is lower[0] else ""
        _label(axes, f"{', '.join(divisions)} (figure 4.10)", "rank in the division", y_label)
    return figure


# --- parts ---


def _label(axes: Axes, title: str, x: str, y: str = "") -> None:
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _draw_ranks(
    axes: Axes, ranks: Any, masks: Mapping[str, Any], colours: Mapping[str, str], names: Sequence[str], size: int
) -> None:
    """Draw the ranks of groups of agents, one group a row; `masks` tell which agents are in a group."""
    for height, (group, mask) in enumerate(masks.items()):
        mine = np.flatnonzero(mask)
        axes.plot(ranks[mine], np.full(len(mine), height), "|", markersize=size, markeredgewidth=2,
                  color=colours[group])  # fmt: skip
    axes.set_yticks(range(len(masks)), names)
    axes.set_ylim(len(masks) - 0.5, -0.5)
    axes.set_xlim(0, len(ranks) + 1)


def _rank_inside_divisions(found: Findings, indices: Any) -> Any:
    """Return the rank of each agent by TrueSkill in its own division; each copy of a division counts as its own."""
    homes = found.homes[indices]
    ratings = np.array([found.internal.get(found.members[i].id, 100.0) for i in indices])
    ranks = np.zeros(len(indices), np.int64)
    for home in set(homes.tolist()):
        ranks[homes == home] = found.ranks(ratings[homes == home])
    return ranks


def _set_up_plane(axes: Axes, found: Findings, title: str) -> None:
    _label(axes, title, "distorted aggression", "tightness t / (1 + t)")
    axes.set_xlim(-0.04, 1.04)
    axes.set_ylim(-0.04, max(0.5, float(found.plane[:, 1].max()) + 0.06))


def _draw_groups(axes: Axes, points: Any, groups: Sequence[str], colours: Mapping[str, str]) -> None:
    """Draw points in the colours of their groups."""
    for group, colour in colours.items():
        mine = np.array([each == group for each in groups])
        if mine.any():
            x, y = points[mine].T
            axes.scatter(x, y, c=colour, s=34, label=group or _BASELINES, alpha=0.85, edgecolors="white",
                         linewidths=0.5)  # fmt: skip


def _add_legend(figure: Figure, axes: Axes, place: Any) -> None:
    handles, labels = axes.get_legend_handles_labels()
    columns = 1 if "right upper" in place else len(labels)
    figure.legend(handles, labels, loc=place, frameon=False, fontsize=8, ncols=columns, columnspacing=0.9,
                  handletextpad=0.2)  # fmt: skip
