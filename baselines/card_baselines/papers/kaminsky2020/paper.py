"""Kaminsky and Liebendörfer (2020) as a `Paper`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from card_baselines.papers.kaminsky2020.judge import judge
from card_baselines.papers.kaminsky2020.rendering import render_cost, render_table
from card_baselines.papers.kaminsky2020.scales import SCALES
from card_baselines.papers.kaminsky2020.tables import (
    CLAIMS_TABLE,
    DIVISIONS_TABLE,
    LEADERS_TABLE,
    ROWS,
    TYPES_TABLE,
)
from card_baselines.papers.protocol import Paper, Reproduction, ReproductionOptions, Say


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Compute the league of Kaminsky and Liebendörfer (2020) again: six divisions, three evaluations, its claims."""

    scale: Literal["tiny", "short", "medium", "hour", "paper"] = "tiny"
    """Amount of training and play: tiny shows that it works, paper has the paper's hands (`SCALES`)."""
    workers: int = 1
    """Processes that play rounds side by side."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.kaminsky2020.reproduction import Kaminsky2020Reproduction  # needs PyTorch

    if options.seeds > 1:
        raise ValueError(f"seeds {options.seeds}: a league has several students of each kind, and one seed")
    return Kaminsky2020Reproduction(options.scale, SCALES[options.scale], root, options.workers, say)


PAPER = Paper(
    name="kaminsky2020",
    title="Kaminsky, Liebendörfer (2020), Population-based Poker AI",
    tables={
        LEADERS_TABLE: "the best agents by each metric",
        TYPES_TABLE: "types of the best agents",
        DIVISIONS_TABLE: "divisions of the best agents",
        CLAIMS_TABLE: "(ours) what the paper concludes, with intervals",
    },
    rows=ROWS,
    scales=SCALES,
    options=Options,
    begin=_begin,
    render_table=render_table,
    judge=judge,
    render_cost=render_cost,
)
