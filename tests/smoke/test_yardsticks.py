"""The table of yardsticks names command and commit of each row."""

from __future__ import annotations

import json
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_every_kept_row_is_what_its_command_says() -> None:
    for row in json.loads((DOCS / "results" / "yardsticks.json").read_text(encoding="utf-8")):
        assert f"--agent {row['agent']} --method {row['method']} " in f"{row['command']} "
        amount = "--flops" if row["method"] == "exact-flops" else "--hands"
        assert f"{amount} {row[amount.removeprefix('--')]}" in row["command"]
        assert row["ci95"][0] <= row["exploitability"] <= row["ci95"][1]
        assert "+changes" not in row["commit"] and len(row["commit"]) == 10
