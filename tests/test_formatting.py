"""Markdown tables, and numbers for JSON."""

from __future__ import annotations

import math

from card_envs.formatting import json_number, markdown_table


def test_a_table_escapes_bars_and_aligns_columns() -> None:
    table = markdown_table(("name", "number"), [("a|b", 1.5), ("c", None)], right_aligned=[1])
    assert table.splitlines() == ["| name | number |", "| --- | ---: |", "| a\\|b | 1.5 |", "| c | None |"]


def test_json_has_no_infinity() -> None:
    assert [json_number(number) for number in (1.5, math.inf, -math.inf, math.nan)] == [1.5, None, None, None]
