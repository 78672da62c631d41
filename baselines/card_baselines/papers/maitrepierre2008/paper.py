"""Maitrepierre et al. (2008) as a `Paper`: matches of table 1 and two tables of ours about adaptation."""

from __future__ import annotations

from card_baselines.papers.maitrepierre2008.judge import judge
from card_baselines.papers.maitrepierre2008.rendering import render_table
from card_baselines.papers.maitrepierre2008.scales import SCALES, Options
from card_baselines.papers.maitrepierre2008.tables import MATCHES, ROWS, SWITCHES, UNIT
from card_baselines.papers.protocol import Paper

PAPER = Paper(
    name="maitrepierre2008",
    title="Maitrepierre, Mary and Munos (2008), Adaptive play in Texas hold'em poker",
    unit=UNIT,
    tables={
        MATCHES: "ten pairs of players",
        **{number: f"an opponent that plays {' then '.join(styles)} (ours)" for number, styles in SWITCHES.items()},
    },
    rows=ROWS,
    scales=SCALES,
    reproduction="card_baselines.papers.maitrepierre2008.reproduction:Maitrepierre2008Reproduction",
    options=Options,
    render_table=render_table,
    judge=judge,
)
