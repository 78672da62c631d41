"""Tables and sentences of a report on Shi et al. (2022)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from card_baselines.papers.cells import format_gain, results_of_table
from card_baselines.papers.shi2022.judge import count_readings, divide_by_board
from card_baselines.text_table import TextTable

PAPER_EPISODES = 20_000
_HEADER = (
    "one", "against five", "paper", "per hand if a board is six hands", "ours", "as the paper played", "untrained",
    "ceiling", "verdict", "verdict per board",
)  # fmt: skip
_COST_HEADER = ("algorithm", "history", "seeds", "episodes", "minutes of one core, each")


def render_table(report: Mapping[str, Any], number: int) -> TextTable:
    """Return one of the paper's tables with half of the 95 % intervals."""
    return TextTable(f"Table {number}", _HEADER, [_row(result) for result in results_of_table(report, number)])


def _row(result: Mapping[str, Any]) -> list[str]:
    return [
        f"{result['row']} ({result['history']})",
        result["variant"],
        f"{result['paper']:+.3f}",
        f"{divide_by_board(result):+.3f}",
        format_gain(result, 2),
        ", ".join(f"{match['mean']:+.2f}" for match in result["paper_protocol"]),
        format_gain(result["untrained"], 2) if result.get("untrained") else "",
        format_gain(result["ceiling"], 2) if result["ceiling"] else "",
        result["verdict"],
        result["verdict_per_board"],
    ]


def describe_report(report: Mapping[str, Any]) -> str:
    """Return a sentence about the unit, the protocol and the scale."""
    return f"Gains in {report['unit']}, one player against five copies of another. {describe_scale(report)}"


def describe_readings(report: Mapping[str, Any]) -> str:
    """Return a sentence that compares both readings of the paper's numbers."""
    n = count_readings(report["results"])
    return (
        f"Per hand, {n['above']} of {n['numbers']} numbers lie above their ceiling and {n['differs']} differ from "
        f"ours; read per board of six hands, {n['above'] - n['still_above']} of those {n['above']} fall under it, and "
        f"{n['differs_per_board']} differ."
    )


def describe_scale(report: Mapping[str, Any]) -> str:
    """Return a sentence about the amount of training and play."""
    scale, runs = report["scale"], report["runs"]
    episodes = max(run["episodes"] for run in runs)
    text = f"{episodes:,} episodes, {scale['hands']:,} hands; as the paper played: {scale['paper_hands']:,} hands."
    return text if episodes >= PAPER_EPISODES else f"{text} Fewer episodes than in the paper."


def describe_times(report: Mapping[str, Any]) -> str:
    """Return a sentence about the time of a decision."""
    times = report["decision_ms"]
    return f"A decision takes {times['single']:.2f} ms alone, {times['batch']:.4f} ms in a batch (paper: 7.3 ms)."


def render_cost(report: Mapping[str, Any]) -> TextTable:
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
    return TextTable("Cost", _COST_HEADER, rows)
