"""The table of a report on Charlesworth (2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from card_baselines.papers.cells import PrintedTable, format_gain
from card_baselines.papers.charlesworth2018.tables import CLAIMED_GAINS, UNTRAINED


def render_table(report: Mapping[str, Any], number: int) -> PrintedTable:
    """Return the results of a report as a table."""
    header = ("one", "against three", "seed", "paper", f"ours, {report['unit']} (± 95 %)", "verdict")
    rows = [
        [
            "untrained" if result["row"] == UNTRAINED else "trained", result["opponent"], str(result["seed"]),
            f"above {CLAIMED_GAINS[result['row']]:g}" if result["row"] in CLAIMED_GAINS else "",
            format_gain(result, 2), result["verdict"],
        ]
        for result in report["results"]
    ]  # fmt: skip
    return PrintedTable(f"Figure {number}", header, rows)
