"""Charlesworth (2018): figure 2, what one trained network wins from three random players and from three earlier selves.

The paper draws curves and prints no numbers. What can be judged is what its text says of them: much is won from
random players, and something from the network as it was earlier, throughout the training. Our earlier selves are those
after each quarter of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from card_baselines.papers.protocol import Paper, PrintedTable, Reproduction, ReproductionOptions, Say

FIGURE = 2
RANDOM, EARLIER = "random", "earlier-selves"


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    seeds: int
    hands: int
    """Games of a match."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings of the preset that are not the paper's."""


SCALES: Mapping[str, Scale] = {
    "tiny": Scale(seeds=1, hands=400, changes={"steps": 4000, "evaluation_seconds": 1e9}),
    "minutes": Scale(seeds=1, hands=20_000, changes={"minutes": 9.0}),
    "paper": Scale(seeds=3, hands=20_000),
}
"""`tiny` shows that everything works and nothing else, `paper` has the paper's 131 million decisions."""


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Compute figure 2 of Charlesworth (2018) again: train, then play random players and earlier selves."""

    scale: Literal["tiny", "minutes", "paper"] = "tiny"
    """How much is trained: to see that it works, nine minutes of one core, or as much as in the paper (days)."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.charlesworth2018.reproduction import Charlesworth2018Reproduction  # needs PyTorch

    return Charlesworth2018Reproduction(SCALES[options.scale], root, options.seeds, say)


def printed_table(report: Mapping[str, Any], number: int) -> PrintedTable:
    """Return the results of a report as a table."""
    rows = []
    for result in report["results"]:
        low, high = result["ci95"]
        gain = f"{result['mean']:+.2f} ± {(high - low) / 2:.2f}"
        rows.append([f"three {result['opponent']}", str(result["seed"]), "above 0", gain, result["verdict"]])
    return PrintedTable(
        f"Figure {number}", ("one against", "seed", "paper", f"ours, {report['unit']} (± 95 %)", "verdict"), rows
    )


PAPER = Paper(
    name="charlesworth2018",
    title="Charlesworth (2018), Application of Self-Play Reinforcement Learning to a Four-Player Game",
    tables={FIGURE: "figure 2: against three random players, and against earlier selves"},
    rows=(RANDOM, EARLIER),
    scales=SCALES,
    options=Options,
    begin=_begin,
    docs_table=printed_table,
)
