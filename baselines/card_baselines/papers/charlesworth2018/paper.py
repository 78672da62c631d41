"""Charlesworth (2018) as a `Paper`."""

from __future__ import annotations

from card_baselines.papers.charlesworth2018.judge import judge
from card_baselines.papers.charlesworth2018.rendering import render_table
from card_baselines.papers.charlesworth2018.scales import SCALES
from card_baselines.papers.charlesworth2018.tables import EARLIER, FIGURE, RANDOM, UNIT
from card_baselines.papers.protocol import Paper

PAPER = Paper(
    name="charlesworth2018",
    title="Charlesworth (2018), Application of Self-Play Reinforcement Learning to a Four-Player Game",
    unit=UNIT,
    tables={FIGURE: "figure 2: against three random players, and against earlier selves"},
    rows=(RANDOM, EARLIER),
    scales=SCALES,
    reproduction="card_baselines.papers.charlesworth2018.reproduction:Charlesworth2018Reproduction",
    render_table=render_table,
    judge=judge,
)
