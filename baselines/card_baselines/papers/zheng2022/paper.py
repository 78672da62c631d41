"""Zheng et al. (2022) as a `Paper`."""

from __future__ import annotations

from card_baselines.papers.protocol import Paper
from card_baselines.papers.zheng2022 import tables
from card_baselines.papers.zheng2022.judge import judge
from card_baselines.papers.zheng2022.rendering import render_table
from card_baselines.papers.zheng2022.scales import SCALES

PAPER = Paper(
    name="zheng2022",
    title="Zheng, Feng, Jiang (2022), Cheat'em: A Value & Rival-Aware Algorithm on Limited Texas Hold'em",
    unit=tables.UNIT,
    tables={
        tables.SHARES_TABLE: "how often each card type comes",
        2: "all players against each other",
        3: "Cheat'em without parts of it",
        tables.OPTIONS_TABLE: "(ours) where the paper and its code differ: every option",
        tables.REWARDS_TABLE: "(ours) reward allocation and opportunity cost",
        tables.STRONG_TABLE: "(ours) best responses, players of today, and whether a sheet helps one",
        tables.ACTIONS_TABLE: "(ours) what sheets say of card types, and which actions PPO and DQN take",
    },
    rows=tables.ROWS,
    scales=SCALES,
    reproduction="card_baselines.papers.zheng2022.reproduction:Zheng2022Reproduction",
    render_table=render_table,
    judge=lambda result, results: judge(results)[list(results).index(result)],
    claims="card_baselines.papers.zheng2022.claims:measure_claims",
)
