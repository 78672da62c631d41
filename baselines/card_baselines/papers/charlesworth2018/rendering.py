"""The table of a report on Charlesworth (2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from card_baselines.papers.cells import PrintedTable, format_gain


def render_table(report: Mapping[str, Any], number: int) -> PrintedTable:
    """Return the results of a report as a table."""
    header = ("one against", "seed", "paper", f"ours, {report['unit']} (± 95 %)", "verdict")
    rows = [
        [f"three {result['opponent']}", str(result["seed"]), "above 0", format_gain(result, 2), result["verdict"]]
        for result in report["results"]
    ]
    return PrintedTable(f"Figure {number}", header, rows)
