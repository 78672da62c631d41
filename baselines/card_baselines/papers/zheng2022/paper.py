"""Zheng et al. (2022) as a `Paper`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from card_baselines.papers.protocol import Paper, Reproduction, ReproductionOptions, Say
from card_baselines.papers.zheng2022.judge import judge
from card_baselines.papers.zheng2022.rendering import render_table
from card_baselines.papers.zheng2022.scales import SCALES
from card_baselines.papers.zheng2022.tables import OPTIONS_TABLE, REWARDS_TABLE, ROWS, SHARES_TABLE, STRONG_TABLE


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Compute the tables of Zheng et al. (2022) again: sheets, training, matches, and its numbers beside ours."""

    scale: Literal["tiny", "paper", "ours"] = "tiny"
    """Amount of training and play: tiny shows that it works, paper has the paper's hands, ours longer matches."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.zheng2022.reproduction import Zheng2022Reproduction  # needs PyTorch

    return Zheng2022Reproduction(SCALES[options.scale], root, options.seeds, say)


PAPER = Paper(
    name="zheng2022",
    title="Zheng, Feng, Jiang (2022), Cheat'em: A Value & Rival-Aware Algorithm on Limited Texas Hold'em",
    tables={
        SHARES_TABLE: "how often each card type comes",
        2: "all players against each other",
        3: "Cheat'em without parts of it",
        OPTIONS_TABLE: "(ours) where the paper and its code differ: every option",
        REWARDS_TABLE: "(ours) reward allocation and opportunity cost",
        STRONG_TABLE: "(ours) best responses, players of today, and whether a sheet helps one",
    },
    rows=ROWS,
    scales=SCALES,
    options=Options,
    begin=_begin,
    render_table=render_table,
    judge=judge,
)
