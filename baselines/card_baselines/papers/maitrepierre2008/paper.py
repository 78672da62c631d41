"""Maitrepierre et al. (2008) as a `Paper`: matches of table 1 and three tables of ours about adaptation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from card_baselines.papers import protocol
from card_baselines.papers.claims import (
    NORMAL_95,
    STAND_IN,
    Printed,
    compare_with_printed,
    format_gain,
    format_paper,
    results_of_table,
)
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns, TextTable
from card_envs.match.summary import summarise

FILE = read_paper(__file__)
BRENNUS, VEXBOT, SPARBOT, _, CORRELATED, SINGLE_STRATEGIES = FILE.rows
MATCHES, STRATEGIES = 1, 4
"""Numbers of the table of the paper, and of that about strategies: each alone, the first four, all five."""
SWITCHES: Mapping[int, Sequence[str]] = {int(number): styles for number, styles in FILE.others["switches"].items()}
"""Number of a table about adaptation -> the styles of its opponent, each for half of a session."""
FIVE, FOUR, LONG = "five strategies", "four strategies", "five strategies, long matches"
"""Rows of the table about strategies, beside "strategy 1 alone" to "strategy 5 alone"."""
BANDITS = (BRENNUS, CORRELATED)
"""Players that choose among strategies; the second one is ours, and plays opponents that change their style only."""
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
    switching_sessions: int
    """Sessions of each player in the tables about adaptation; the opponent changes its style in the middle."""
    figure_sessions: int
    """Sessions of each player against the adaptive stand-in, in figures 3 to 5 and table 4."""
    long_hands: int = 3500
    """Hands of a long match, as in figure 5."""
    orders: int = 20
    """Orders of a session's hands over which bandits are averaged in the tables about adaptation."""


@dataclass(frozen=True, kw_only=True)
class Options(protocol.ReproductionOptions):
    """Options of the paper."""

    figures: bool = True
    """Figures like figures 3 to 5 of the paper, drawn by default."""


def judge(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return verdicts on both readings of the unit; tables about adaptation are ours and have none."""
    if result["table"] != MATCHES:
        return {}
    if {result["row"], result["opponent"]} & {VEXBOT, SPARBOT}:
        return {"verdict": STAND_IN, "verdict_as_printed": STAND_IN}
    noise = NORMAL_95 * result["sd_of_hand"] / FILE.others["paper_hands"] ** 0.5
    readings = {"verdict": result["paper"], "verdict_as_printed": _SMALL_BETS_OF_A_SMALL_BLIND * result["paper"]}
    return {
        key: compare_with_printed(Printed.gain(value, noise), result["mean"], result["ci95"])
        for key, value in readings.items()
    }


def render_table(content: Mapping[str, Any], number: int) -> TextTable:
    """Return a table of a report."""
    results = results_of_table(content, number)
    if number == STRATEGIES:
        return TextTable.from_columns(f"Table {STRATEGIES} (ours): against {VEXBOT}", _STRATEGIES_COLUMNS, results)
    if number == MATCHES:
        return TextTable.from_columns(f"Table {MATCHES}", _MATCHES_COLUMNS, results)
    return _render_switching_table(results, number)


_MATCHES_COLUMNS: Columns = {
    "player": lambda r: r["row"],
    "against": lambda r: r["opponent"],
    "printed": format_paper,
    "ours": format_gain,
    "hands": lambda r: f"{r['hands']:,}",
    "in small bets": lambda r: r["verdict"],
    "as printed": lambda r: r["verdict_as_printed"],
    "hands to decide": lambda r: "" if r["hands_to_decide"] is None else f"{r['hands_to_decide']:,.0f}",
}


def _format_fifth(result: Mapping[str, Any], number: int) -> str:
    """Return the share of hands that each strategy played in a fifth; "" for a strategy alone."""
    uses = np.array(result["uses"]).sum(axis=0)
    if np.count_nonzero(uses.sum(axis=0)) < 2:
        return ""
    return " / ".join(f"{100 * share:.0f}" for share in uses[number] / uses[number].sum())


_STRATEGIES_COLUMNS: Columns = {
    "player": lambda r: r["row"],
    "wins": format_gain,
    "sessions, hands": lambda r: f"{len(r['by_session'])} of {r['hands'] // len(r['by_session']):,}",
    **{f"fifth {k + 1}, % by strategy": lambda r, k=k: _format_fifth(r, k) for k in range(5)},  # type: ignore[misc]
}


def _render_switching_table(results: Sequence[Mapping[str, Any]], number: int) -> TextTable:
    """Return a table about adaptation; a column for each bandit compares it with every row, session by session."""
    styles = SWITCHES[number]
    bandits = [each for each in results if each["opponent"] in BANDITS and "by_session" in each]
    columns: Columns = {
        "player": lambda r: r["opponent"],
        f"against {styles[0]}": lambda r: format_gain(r["by_style"][0]),
        f"then {styles[1]}": lambda r: format_gain(r["by_style"][1]),
        "overall": format_gain,
        "sessions": lambda r: str(r["sessions"]),
        **{f"{one['opponent']} less this": lambda r, one=one: _difference(one, r) for one in bandits},  # type: ignore[misc]
    }
    return TextTable.from_columns(
        f"Table {number} (ours): an opponent that plays {' then '.join(styles)}", columns, results
    )


def _difference(bandit: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """Return the gain of a bandit less that of a player in the same sessions, with an interval over the differences."""
    if bandit["opponent"] == result["opponent"]:
        return ""
    found = summarise("difference", np.subtract(bandit["by_session"], result["by_session"]))
    return format_gain({"mean": found.mean, "ci95": found.ci95})


PAPER = Paper(
    name="maitrepierre2008",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.maitrepierre2008.reproduction:Maitrepierre2008Reproduction",
    options=Options,
    render_table=render_table,
    judge=judge,
    claims="card_baselines.papers.maitrepierre2008.claims:measure_claims",
)
