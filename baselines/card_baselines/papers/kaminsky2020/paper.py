"""Kaminsky and Liebendörfer (2020) as a `Paper`."""

from __future__ import annotations

from card_baselines.papers.kaminsky2020 import tables
from card_baselines.papers.kaminsky2020.judge import judge
from card_baselines.papers.kaminsky2020.rendering import render_cost, render_table
from card_baselines.papers.kaminsky2020.scales import SCALES, Options
from card_baselines.papers.protocol import Paper

PAPER = Paper(
    name="kaminsky2020",
    title="Kaminsky, Liebendörfer (2020), Population-based Poker AI",
    unit=tables.UNIT,
    tables={
        tables.LEADERS_TABLE: "the best agents by each metric",
        tables.TYPES_TABLE: "types of the best agents",
        tables.DIVISIONS_TABLE: "divisions of the best agents",
        tables.CLAIMS_TABLE: "(ours) what the paper concludes, with intervals",
    },
    rows=tables.ROWS,
    scales=SCALES,
    reproduction="card_baselines.papers.kaminsky2020.reproduction:Kaminsky2020Reproduction",
    options=Options,
    render_table=render_table,
    judge=lambda result, results: judge(results)[list(results).index(result)],
    render_cost=render_cost,
)
