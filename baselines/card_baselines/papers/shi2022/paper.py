"""Shi et al. (2022) as a `Paper`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from card_baselines.papers.protocol import Paper, Reproduction, ReproductionOptions, Say
from card_baselines.papers.shi2022.judge import judge
from card_baselines.papers.shi2022.rendering import render_cost, render_table
from card_baselines.papers.shi2022.scales import SCALES
from card_baselines.papers.shi2022.tables import ROWS


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Compute the tables of Shi et al. (2022) again: train what is missing, play, and print its numbers beside ours."""

    scale: Literal["tiny", "paper", "ours"] = "tiny"
    """Amount of training and play: tiny shows that it works, paper has the paper's budget, ours more."""
    history: Literal["lstm", "fc", "none"] = "lstm"
    """Network by which the players of tables 1 to 3 read the betting."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.shi2022.reproduction import Shi2022Reproduction  # needs PyTorch

    return Shi2022Reproduction(SCALES[options.scale], options.history, root, options.seeds, say)


PAPER = Paper(
    name="shi2022",
    title="Shi et al. (2022), Optimal Policy of Multiplayer Poker via Actor-Critic Reinforcement Learning",
    tables={
        1: "against scripted players and a tree search",
        2: "against the controls",
        3: "the controls against scripted players and a tree search",
        4: "APU against its ablations",
        5: "Dual-APU against its ablations",
    },
    rows=ROWS,
    scales=SCALES,
    options=Options,
    begin=_begin,
    render_table=render_table,
    judge=judge,
    render_cost=render_cost,
)
