"""Markdown tables, and numbers for JSON."""

from __future__ import annotations

import math

from card_envs.formatting import format_interval, json_content, json_number, markdown_table


def test_a_table_escapes_bars_and_aligns_columns() -> None:
    table = markdown_table(("name", "number"), [("a|b", 1.5), ("c", None)], right_aligned=[1])
    assert table.splitlines() == ["| name | number |", "| --- | ---: |", "| a\\|b | 1.5 |", "| c | None |"]


def test_an_interval_shows_both_sides_if_they_differ() -> None:
    assert format_interval(1.2, (0.9, 1.5)) == "+1.20 ± 0.30"
    assert format_interval(-1234.5, (-1244.5, -1224.0), 1) == "-1,234.5 ± 10.2"
    assert format_interval(1.2, (0.9, 1.8)) == "+1.20 (+0.90 to +1.80)"
    for none in (None, (None, None), (-math.inf, math.inf)):
        assert format_interval(1.2, none) == "+1.20 (no interval)"
    assert format_interval(1.2, (1.2, 1.2), 0) == "+1 ± 0"


def test_json_has_no_infinity() -> None:
    assert [json_number(number) for number in (1.5, math.inf, -math.inf, math.nan)] == [1.5, None, None, None]
    report = {"a": (1, [math.nan, "x", None, True]), "b": {"c": -math.inf}}
    assert json_content(report) == {"a": [1, [None, "x", None, True]], "b": {"c": None}}
