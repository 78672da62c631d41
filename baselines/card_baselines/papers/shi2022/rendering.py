"""The results of Shi et al. (2022) as people read them: on a terminal, in `report.md`, in the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from card_baselines.papers.protocol import PrintedTable

PAPER_EPISODES = 20_000

HEADER = ("player", "against", "paper", "ours", "95 % interval", "of", "as the paper played", "ceiling", "verdict")
DOCS_HEADER = ("one", "against five", "paper", "ours", "ours, as the paper played", "ceiling", "verdict")
COST_HEADER = ("algorithm", "history", "seeds", "episodes", "minutes of one core, each")


def printed_table(report: Mapping[str, Any], number: int) -> PrintedTable:
    """Return one of the paper's tables."""
    lines = [_line(result) for result in report["results"] if result["table"] == number]
    return PrintedTable(f"Table {number}", HEADER, lines)


def heading(report: Mapping[str, Any]) -> str:
    """Return what the numbers are, and how much was trained and played."""
    return f"Gains in {report['unit']}, one player against five copies of another. {scale_of(report)}"


def _line(result: Mapping[str, Any]) -> list[str]:
    begin = [f"{result['row']} ({result['history']})", result["variant"], f"{result['paper']:+.3f}"]
    low, high = result["ci95"]
    theirs = ", ".join(f"{match['mean']:+.2f}" for match in result["paper_protocol"])
    ceiling = f"{result['ceiling']['mean']:+.2f}" if result["ceiling"] else "-"
    ours = [f"{result['mean']:+.3f}", f"{low:+.3f} .. {high:+.3f}", result["of"], theirs]
    return [*begin, *ours, ceiling, result["verdict"]]


def scale_of(report: Mapping[str, Any]) -> str:
    """Return how much was trained and played, in words."""
    scale, runs = report["scale"], report["runs"]
    episodes = max(run["episodes"] for run in runs)
    text = f"{episodes:,} episodes, {scale['hands']:,} hands; as the paper played: {scale['paper_hands']:,} hands."
    return text if episodes >= PAPER_EPISODES else f"{text} Too few episodes to judge the paper by."


def times_of(report: Mapping[str, Any]) -> str:
    """Return what a decision costs, in words."""
    times = report["decision_ms"]
    return f"A decision takes {times['single']:.2f} ms alone, {times['batch']:.4f} ms in a batch (paper: 7.3 ms)."


def docs_table(report: Mapping[str, Any], number: int) -> PrintedTable:
    """Return one of the paper's tables with half of the 95 % intervals, losses in bold."""
    rows = [
        [
            f"{result['row']} ({result['history']})",
            f"`{result['variant']}`",
            f"{result['paper']:+.3f}",
            _gain(result),
            ", ".join(f"{match['mean']:+.2f}" for match in result["paper_protocol"]),
            _gain(result["ceiling"]) if result["ceiling"] else "",
            result["verdict"],
        ]
        for result in report["results"]
        if result["table"] == number
    ]
    return PrintedTable(f"Table {number}", DOCS_HEADER, rows)


def _gain(match: Mapping[str, Any]) -> str:
    low, high = match["ci95"]
    text = f"{match['mean']:+.2f} ± {(high - low) / 2:.2f}"
    return f"**{text}**" if high < 0 else text


def docs_cost(report: Mapping[str, Any]) -> PrintedTable:
    """Return the mean processor time of the runs of each kind."""
    kinds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run in report["runs"]:
        kinds.setdefault((run["algorithm"], run["history"]), []).append(run)
    rows = [
        [
            *kind,
            str(len(runs)),
            f"{runs[0]['episodes']:,}",
            f"{sum(run['seconds'] for run in runs) / len(runs) / 60:.1f}",
        ]
        for kind, runs in kinds.items()
    ]
    return PrintedTable("Cost", COST_HEADER, rows)
