"""Tables of a report on Maitrepierre et al. (2008)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_baselines.papers.cells import format_gain, results_of_table
from card_baselines.papers.maitrepierre2008.tables import BANDITS, MATCHES, STRATEGIES, SWITCHES, VEXBOT
from card_baselines.text_table import TextTable
from card_envs.match.summary import summarise

_MATCHES_HEADER = ("player", "against", "printed", "ours", "hands", "in small bets", "as printed", "hands to decide")


def render_table(content: Mapping[str, Any], number: int) -> TextTable:
    """Return a table of a report."""
    results = results_of_table(content, number)
    if number == STRATEGIES:
        return _render_strategies_table(results)
    return _render_matches_table(results) if number == MATCHES else _render_switching_table(results, number)


def _render_matches_table(results: Sequence[Mapping[str, Any]]) -> TextTable:
    rows = [
        (
            result["row"], result["opponent"], f"{result['paper']:+.3f}", format_gain(result), f"{result['hands']:,}",
            result["verdict"], result["verdict_as_printed"], _format_count(result["hands_to_decide"]),
        )
        for result in results
    ]  # fmt: skip
    return TextTable(f"Table {MATCHES}", _MATCHES_HEADER, rows)


def _render_strategies_table(results: Sequence[Mapping[str, Any]]) -> TextTable:
    """Return the table about strategies, with the share of hands that each strategy played in each fifth."""
    rows = []
    for result in results:
        uses = np.array(result["uses"]).sum(axis=0)
        shares = uses / uses.sum(axis=1, keepdims=True)
        fifths = [" / ".join(f"{100 * share:.0f}" for share in part) for part in shares]
        is_alone = np.count_nonzero(uses.sum(axis=0)) < 2
        sessions = f"{len(result['by_session'])} of {result['hands'] // len(result['by_session']):,}"
        rows.append((result["row"], format_gain(result), sessions, *([""] * len(fifths) if is_alone else fifths)))
    parts = [f"fifth {number}, % by strategy" for number in range(1, 6)]
    return TextTable(
        f"Table {STRATEGIES} (ours): against {VEXBOT}", ("player", "wins", "sessions, hands", *parts), rows
    )


def _render_switching_table(results: Sequence[Mapping[str, Any]], number: int) -> TextTable:
    """Return a table about adaptation; a column for each bandit compares it with every row, session by session."""
    styles = SWITCHES[number]
    bandits = {
        each["opponent"]: each["by_session"] for each in results if each["opponent"] in BANDITS and "by_session" in each
    }
    header = ("player", f"against {styles[0]}", f"then {styles[1]}", "overall", "sessions")
    rows = [
        (
            each["opponent"], *map(format_gain, each["by_style"]), format_gain(each), str(each["sessions"]),
            *("" if name == each["opponent"] else _difference(more, each) for name, more in bandits.items()),
        )
        for each in results
    ]  # fmt: skip
    title = f"Table {number} (ours): an opponent that plays {' then '.join(styles)}"
    return TextTable(title, (*header, *(f"{name} less this" for name in bandits)), rows)


def _difference(bandit: Sequence[float], result: Mapping[str, Any]) -> str:
    """Return the gain of a bandit less that of a player in the same sessions, with an interval over the differences."""
    found = summarise("difference", np.subtract(bandit, result["by_session"]))
    return format_gain({"mean": found.mean, "ci95": found.ci95})


def _format_count(hands: float | None) -> str:
    return "" if hands is None else f"{hands:,.0f}"
