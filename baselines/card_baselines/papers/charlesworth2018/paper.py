"""Charlesworth (2018) as a `Paper`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from card_baselines.papers.charlesworth2018.judge import judge
from card_baselines.papers.charlesworth2018.rendering import render_table
from card_baselines.papers.charlesworth2018.scales import SCALES
from card_baselines.papers.charlesworth2018.tables import EARLIER, FIGURE, RANDOM
from card_baselines.papers.protocol import Paper, Reproduction, ReproductionOptions, Say


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Compute figure 2 of Charlesworth (2018) again: train, then play random players and earlier selves."""

    scale: Literal["tiny", "minutes", "paper"] = "tiny"
    """Amount of training: tiny shows that it works, minutes takes nine of one core, paper 8.5 core hours a seed."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.charlesworth2018.reproduction import Charlesworth2018Reproduction  # needs PyTorch

    return Charlesworth2018Reproduction(SCALES[options.scale], root, options.seeds, say)


PAPER = Paper(
    name="charlesworth2018",
    title="Charlesworth (2018), Application of Self-Play Reinforcement Learning to a Four-Player Game",
    tables={FIGURE: "figure 2: against three random players, and against earlier selves"},
    rows=(RANDOM, EARLIER),
    scales=SCALES,
    options=Options,
    begin=_begin,
    render_table=render_table,
    judge=judge,
)
