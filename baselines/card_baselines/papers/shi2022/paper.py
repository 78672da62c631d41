"""Shi et al. (2022) as a `Paper`."""

from __future__ import annotations

from card_baselines.papers.protocol import Paper
from card_baselines.papers.shi2022.judge import judge
from card_baselines.papers.shi2022.rendering import render_cost, render_table
from card_baselines.papers.shi2022.scales import SCALES, Options
from card_baselines.papers.shi2022.tables import ROWS, UNIT

PAPER = Paper(
    name="shi2022",
    title="Shi et al. (2022), Optimal Policy of Multiplayer Poker via Actor-Critic Reinforcement Learning",
    unit=UNIT,
    tables={
        1: "against scripted players and a tree search",
        2: "against the controls",
        3: "the controls against scripted players and a tree search",
        4: "APU against its ablations",
        5: "Dual-APU against its ablations",
    },
    rows=ROWS,
    scales=SCALES,
    reproduction="card_baselines.papers.shi2022.reproduction:Shi2022Reproduction",
    options=Options,
    render_table=render_table,
    judge=lambda result, results: judge(results)[list(results).index(result)],
    claims="card_baselines.papers.shi2022.claims:measure_claims",
    render_cost=render_cost,
)
