"""Zheng et al. (2022) as a `Paper`: its tables, and verdicts on what they print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from card_baselines.papers.claims import (
    NORMAL_95,
    Printed,
    compare_with_printed,
    format_gain,
    format_paper,
    results_of_table,
)
from card_baselines.papers.matches import MatchScale, judge_match, render_matches
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns, TextTable

FILE = read_paper(__file__)
CHEATEM, STATIC, TABLE, PPO, DQN, RAISE, RULE = FILE.rows
RANDOM = "random"
FIXED = {RAISE: "always_raise", RULE: "rlcard_rule", RANDOM: "random"}
"""Player that neither learns nor has a sheet -> name of our agent."""
LEARNERS = (CHEATEM, STATIC, PPO, DQN)
SHARES_TABLE, ACTIONS_TABLE = 1, 7
BAD_TYPES, GOOD_TYPES = "types without a positive value", "types with a positive value"
"""Rows of table 7 about sheets."""
SHARE_MARGIN = 0.05
"""Percentage points: shares are printed with two digits."""


@dataclass(frozen=True, kw_only=True)
class Scale(MatchScale):
    """Amount of training and play."""

    action_seeds: int
    """Runs of each learner whose actions are counted."""
    sheet_hands: int
    training_hands: int


def judge(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the verdict on a printed share or gain: over runs where somebody learned, over hands where nobody did."""
    if result["table"] == ACTIONS_TABLE:
        return {}
    if result["table"] == SHARES_TABLE:
        printed = Printed(result["paper"], SHARE_MARGIN)
        return {"verdict": compare_with_printed(printed, result["mean"], [result["mean"]] * 2)}
    spread = 14.0 if RAISE in (result["row"], result["rival"]) else 4.0  # big blinds of one hand, one deviation
    return judge_match(result, results, NORMAL_95 * spread / FILE.others["paper_hands"] ** 0.5)


def _format_percent(interval: Sequence[float | None] | None) -> str:
    low, high = interval or (None, None)
    return "" if low is None or high is None else f"{100 * low:.1f} .. {100 * high:.1f}"


_SHARES_COLUMNS: Columns = {
    "type": lambda r: r["row"],
    "of": lambda r: r["rival"],
    "paper": format_paper,
    "ours": format_gain,
    "verdict": lambda r: r["verdict"],
}
_ACTIONS_COLUMNS: Columns = {
    "player, or card types": lambda r: r["row"],
    "against": lambda r: r["rival"],
    "what": lambda r: r["about"],
    "ours, %": lambda r: f"{100 * r['mean']:.1f}",
    "95 %": lambda r: _format_percent(r["ci95"]),
    "seeds": lambda r: str(r["seeds"]),
}


def render_table(report: Mapping[str, Any], number: int) -> TextTable:
    """Return one table of a report."""
    if number not in (SHARES_TABLE, ACTIONS_TABLE):
        return render_matches(report, number)
    title, columns = {
        SHARES_TABLE: ("Table 1, % of hands", _SHARES_COLUMNS),
        ACTIONS_TABLE: ("Table 7, shares", _ACTIONS_COLUMNS),
    }[number]
    return TextTable.from_columns(title, columns, results_of_table(report, number))


PAPER = Paper(
    name="zheng2022",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.zheng2022.reproduction:Zheng2022Reproduction",
    render_table=render_table,
    judge=judge,
    claims="card_baselines.papers.zheng2022.claims:measure_claims",
)
