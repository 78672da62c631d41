"""Tables of a report on Kaminsky and Liebendörfer (2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from card_baselines.papers.cells import results_of_table
from card_baselines.papers.kaminsky2020.tables import (
    CLAIMS,
    CLAIMS_TABLE,
    LABELS,
    LEADERS_TABLE,
    PRINTED_LEADERS,
    PRINTED_RANKS,
    ROWS,
    TOP,
    TRAINING,
    TYPES_TABLE,
)
from card_baselines.text_table import TextTable

SHORT_TYPES = {
    "Qlearn-8": "Qln8", "Qlearn-All": "QlnA", "SAC-Low": "SacL", "SAC-High": "SacH", "Random": "random", "Call": "call",
}  # fmt: skip


def render_table(report: Mapping[str, Any], number: int) -> TextTable:
    """Return one table of a report."""
    results = results_of_table(report, number)
    if number == LEADERS_TABLE:
        return _leaders_table(results)
    if number == CLAIMS_TABLE:
        return _claims_table(results)
    return _groups_table(results, number)


def _groups_table(results: Sequence[Mapping[str, Any]], number: int) -> TextTable:
    what = "type" if number == TYPES_TABLE else "division"
    header = ("by", what, "paper, of the top 20", "ours, of the top", "95 %", "untrained", "verdict")
    rows = [
        [
            LABELS[r["row"]], r["group"], _share(PRINTED_RANKS[number][r["row"]].count(r["group"]), TOP),
            _share(r["count"], r["top"]), f"{r['ci95'][0]} .. {r['ci95'][1]}",
            _share(r["untrained"]["count"], r["untrained"]["top"]) if "untrained" in r else "", r["verdict"],
        ]
        for r in results
    ]  # fmt: skip
    return TextTable(f"Table 4.{number}: {what}s among the best agents", header, rows)


def _claims_table(results: Sequence[Mapping[str, Any]]) -> TextTable:
    header = ("claim", "in the paper", "measured", "paper", "ours (95 %)", "untrained (95 %)", "verdict")
    rows = [
        [
            r["row"], CLAIMS[r["row"]].where, CLAIMS[r["row"]].what, CLAIMS[r["row"]].paper, _interval(r),
            _interval(r["untrained"]) if "untrained" in r else "", r["verdict"],
        ]
        for r in results
    ]  # fmt: skip
    return TextTable("Table 5 (ours): what the paper concludes", header, rows)


def _leaders_table(results: Sequence[Mapping[str, Any]]) -> TextTable:
    header = ("by", "rank", "agent", "type", "TrueSkill", "mean", "median", "20-pctl", "paper: the same four")
    rows = [
        [LABELS[r["row"]], str(r["rank"]), r["agent"], SHORT_TYPES[r["type"]], f"{r['trueskill']:.1f}",
         *(f"{r[name]:+.2f} ± {r[name + '_reach']:.2f}" for name in ROWS[1:]),
         ", ".join(f"{score:g}" for score in PRINTED_LEADERS[r["row"]][r["rank"] - 1])]
        for r in results
    ]  # fmt: skip
    return TextTable("Table 4.2: the best agents by each metric", header, rows)


def _share(count: int, of: int) -> str:
    return f"{count} of {of}"


def _interval(result: Mapping[str, Any]) -> str:
    mean, (low, high) = result["mean"], result["ci95"]
    if mean is None:
        return "too few students"
    return f"{mean:.2f}" if low is None or high is None else f"{mean:.2f} ({low:.2f} .. {high:.2f})"


def render_cost(report: Mapping[str, Any]) -> TextTable:
    """Return the cost of a report's league; the copies of a division are added up."""
    sums: dict[tuple[str, str], list[float]] = {}
    for one in report["cost"]:
        name = next((name for name in TRAINING if one["division"].startswith(name)), one["division"])
        added = sums.setdefault((name, one["kind"]), [0, 0, 0, 0])
        for place, number in enumerate((1, one["rounds"], one["hands"], one["seconds"])):
            added[place] += number
    rows = [
        [*division, f"{copies:.0f}", f"{rounds:,.0f}", f"{hands:,.0f}", f"{seconds / 60:.1f}"]
        for division, (copies, rounds, hands, seconds) in sums.items()
    ]
    return TextTable("Cost", ("division", "kind", "copies", "rounds", "hands", "minutes"), rows)
