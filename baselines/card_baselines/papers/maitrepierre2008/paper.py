"""Maitrepierre et al. (2008) as a `Paper`: matches of table 1 and three tables of ours about adaptation."""

from __future__ import annotations

from card_baselines.papers.maitrepierre2008.judge import judge
from card_baselines.papers.maitrepierre2008.rendering import render_table
from card_baselines.papers.maitrepierre2008.scales import SCALES, Options
from card_baselines.papers.maitrepierre2008.tables import MATCHES, ROWS, STRATEGIES, SWITCHES, UNIT
from card_baselines.papers.protocol import Paper

PAPER = Paper(
    name="maitrepierre2008",
    title="Maitrepierre, Mary and Munos (2008), Adaptive play in Texas hold'em poker",
    unit=UNIT,
    tables={
        MATCHES: "ten pairs of players",
        **{number: f"(ours) an opponent that plays {' then '.join(styles)}" for number, styles in SWITCHES.items()},
        STRATEGIES: "(ours) each strategy and several against vexbot_like, and long matches, as in figures 3 and 5",
    },
    rows=ROWS,
    scales=SCALES,
    reproduction="card_baselines.papers.maitrepierre2008.reproduction:Maitrepierre2008Reproduction",
    options=Options,
    render_table=render_table,
    judge=lambda result, results: judge(results)[list(results).index(result)],
    claims="card_baselines.papers.maitrepierre2008.claims:measure_claims",
)
