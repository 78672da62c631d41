"""Maitrepierre et al. (2008) as a `Paper`: matches of table 1 and two tables of ours about adaptation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from card_baselines.papers.maitrepierre2008.judge import judge
from card_baselines.papers.maitrepierre2008.rendering import render_table
from card_baselines.papers.maitrepierre2008.scales import SCALES
from card_baselines.papers.maitrepierre2008.tables import MATCHES, ROWS, SWITCHES
from card_baselines.papers.protocol import Paper, Reproduction, ReproductionOptions, Say


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Options of `card-envs reproduce maitrepierre2008`. Scales: tiny, paper, ours."""

    figures: bool = True
    """Draw figures 3 to 5 of the paper in kind."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.maitrepierre2008.reproduction import Maitrepierre2008Reproduction  # compiles kernels

    return Maitrepierre2008Reproduction(SCALES[options.scale], root, say, options.figures)


PAPER = Paper(
    name="maitrepierre2008",
    title="Maitrepierre, Mary and Munos (2008), Adaptive play in Texas hold'em poker",
    tables={
        MATCHES: "ten pairs of players",
        **{number: f"an opponent that plays {' then '.join(styles)} (ours)" for number, styles in SWITCHES.items()},
    },
    rows=ROWS,
    scales=SCALES,
    options=Options,
    begin=_begin,
    render_table=render_table,
    judge=judge,
)
