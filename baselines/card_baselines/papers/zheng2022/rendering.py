"""Tables of a report on Zheng et al. (2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from card_baselines.papers.cells import format_gain, results_of_table
from card_baselines.papers.verdicts import describe_rank
from card_baselines.papers.zheng2022.tables import ACTIONS_TABLE, PAPER_TABLES, REWARDS_TABLE, SHARES_TABLE
from card_baselines.text_table import TextTable


def render_table(report: Mapping[str, Any], number: int) -> TextTable:
    """Return one table of a report."""
    results = results_of_table(report, number)
    if number == SHARES_TABLE:
        return _shares_table(results)
    if number in PAPER_TABLES:
        return _matches_table(results, number)
    if number == ACTIONS_TABLE:
        return _actions_table(results)
    return _rewards_table(results, number) if number == REWARDS_TABLE else _options_table(results, number)


def _shares_table(results: Sequence[Mapping[str, Any]]) -> TextTable:
    rows = [[r["row"], r["rival"], f"{r['paper']:+.3f}", format_gain(r), r["verdict"]] for r in results]
    return TextTable("Table 1, % of hands", ("type", "of", "paper", "ours", "verdict"), rows)


def _matches_table(results: Sequence[Mapping[str, Any]], number: int) -> TextTable:
    header = (
        "player", "against", "paper", "ours (± 95 %)", "seeds", "printed number among them", "untrained", "verdict",
    )  # fmt: skip
    rows = [
        [
            r["row"], r["rival"], f"{r['paper']:+.3f}", format_gain(r), _format_seeds(r),
            describe_rank(r["paper"], r["by_seed"]), format_gain(r["untrained"]) if r.get("untrained") else "",
            r["verdict"],
        ]
        for r in results
    ]  # fmt: skip
    return TextTable(f"Table {number}", header, rows)


def _rewards_table(results: Sequence[Mapping[str, Any]], number: int) -> TextTable:
    header = ("player", "against", "ours (± 95 %)", "seeds", "more than without (95 %)", "p, Holm", "verdict")
    rows = [[r["row"], r["rival"], format_gain(r), _format_seeds(r), *_format_comparison(r)] for r in results]
    return TextTable(f"Table {number}", header, rows)


def _format_comparison(result: Mapping[str, Any]) -> list[str]:
    if "more" not in result:
        return ["", "", ""]
    low, high = result["more_ci95"]
    return [f"{result['more']:+.3f} ({low:+.3f} .. {high:+.3f})", f"{result['p_adjusted']:.3f}", result["verdict"]]


def _options_table(results: Sequence[Mapping[str, Any]], number: int) -> TextTable:
    rows = [[r["row"], r["rival"], format_gain(r), _format_seeds(r), r["about"]] for r in results]
    return TextTable(f"Table {number}", ("player", "against", "ours (± 95 %)", "seeds", "what it is"), rows)


def _actions_table(results: Sequence[Mapping[str, Any]]) -> TextTable:
    rows = [
        [r["row"], r["rival"], r["about"], f"{100 * r['mean']:.1f}", _format_percent(r["ci95"]), str(r["seeds"])]
        for r in results
    ]
    header = ("player, or card types", "against", "what", "ours, %", "95 %", "seeds")
    return TextTable("Table 7, shares", header, rows)


def _format_percent(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f"{100 * interval[0]:.1f} .. {100 * interval[1]:.1f}"


def _format_seeds(result: Mapping[str, Any]) -> str:
    """Return the number of seeds, with the worst and the best."""
    by_seed = result.get("by_seed", [])
    return f"{len(by_seed)}: {min(by_seed):+.2f} .. {max(by_seed):+.2f}" if len(by_seed) > 1 else "1"
