"""Maitrepierre et al. (2008) as a `Paper`: the matches of table 1, and what the text says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from card_baselines.papers import protocol
from card_baselines.papers.claims import (
    NORMAL_95,
    STAND_IN,
    Claim,
    Printed,
    compare_with_printed,
    format_gain,
    format_paper,
)
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns

FILE = read_paper(__file__)
BRENNUS, VEXBOT, SPARBOT, _ = FILE.rows
_SMALL_BETS_OF_A_SMALL_BLIND = 0.5


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of play."""

    hands: int
    """Hands of a session."""
    sessions: int
    """Sessions of each pair with Brennus, which thinks about three milliseconds a hand."""
    fast_sessions: int
    """Sessions of each other pair."""
    figure_sessions: int
    """Sessions of each player against the adaptive stand-in, in figures 3 to 5."""
    long_hands: int = 3500
    """Hands of a long match, as in figure 5."""


@dataclass(frozen=True, kw_only=True)
class Options(protocol.ReproductionOptions):
    """Options of the paper."""

    figures: bool = True
    """Figures like figures 3 to 5 of the paper, drawn by default."""


def judge(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return verdicts on both readings of the unit."""
    if {result["row"], result["opponent"]} & {VEXBOT, SPARBOT}:
        return {"verdict": STAND_IN, "verdict_as_printed": STAND_IN}
    noise = NORMAL_95 * result["sd_of_hand"] / FILE.others["paper_hands"] ** 0.5
    readings = {"verdict": result["paper"], "verdict_as_printed": _SMALL_BETS_OF_A_SMALL_BLIND * result["paper"]}
    return {
        key: compare_with_printed(Printed.gain(value, noise), result["mean"], result["ci95"])
        for key, value in readings.items()
    }


def measure_claims(content: Mapping[str, Any]) -> list[Claim]:
    """Return the claims that Brennus beats the two programs that have stand-ins here."""
    return [
        FILE.claims[result["opponent"]].with_interval(result["mean"], result["ci95"])
        for result in content["results"]
        if result["row"] == BRENNUS and result["opponent"] in FILE.claims
    ]


_COLUMNS: Columns = {
    "player": lambda r: r["row"],
    "against": lambda r: r["opponent"],
    "printed": format_paper,
    "ours": format_gain,
    "hands": lambda r: f"{r['hands']:,}",
    "in small bets": lambda r: r["verdict"],
    "as printed": lambda r: r["verdict_as_printed"],
    "hands to decide": lambda r: "" if r["hands_to_decide"] is None else f"{r['hands_to_decide']:,.0f}",
}

PAPER = Paper(
    name="maitrepierre2008",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.maitrepierre2008.reproduction:Maitrepierre2008Reproduction",
    options=Options,
    layouts={number: (f"Table {number}", _COLUMNS) for number in FILE.tables},
    judge=judge,
    claims=measure_claims,
)
