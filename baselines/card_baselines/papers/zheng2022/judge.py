"""Verdicts on results of Zheng et al. (2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from card_baselines.papers.cells import NORMAL_95
from card_baselines.papers.verdicts import (
    AGREES,
    DIFFERS,
    MARGIN,
    UNDECIDED,
    Printed,
    adjust_by_holm,
    compare_means,
    compare_run,
    compare_with_claim,
    compare_with_printed,
)
from card_baselines.papers.zheng2022.tables import PAPER_HANDS, PAPER_TABLES, REWARDS_TABLE, SHARES_TABLE, hand_spread

SHARE_MARGIN = 0.05
"""Percentage points: shares are printed with two digits."""
_LEVEL = 0.05


def judge(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the results with verdicts in tables 1 to 3 and on the reward ideas; the other tables have none."""
    compared = _compare_reward_ideas([result for result in results if result["table"] == REWARDS_TABLE])
    judged = []
    for result in results:
        if result["table"] == SHARES_TABLE:
            judged.append({**result, "verdict": _verdict_on_share(result)})
        elif result["table"] in PAPER_TABLES:
            judged.append({**result, "verdict": _verdict_on_gain(result)})
        else:
            judged.append({**result, **compared.get(result["row"], {})})
    return judged


def _verdict_on_share(result: Mapping[str, Any]) -> str:
    return compare_with_printed(Printed(result["paper"], SHARE_MARGIN), result["mean"], [result["mean"]] * 2)


def _verdict_on_gain(result: Mapping[str, Any]) -> str:
    """Return the verdict on a printed gain: over runs where somebody learned, over hands where nobody did."""
    noise = NORMAL_95 * hand_spread(result["row"], result["rival"]) / PAPER_HANDS**0.5
    printed = Printed.gain(result["paper"], noise)
    if result["of"] == "hands":
        return compare_with_printed(printed, result["mean"], result["ci95"])
    return compare_run(printed, result["by_seed"])


def _compare_reward_ideas(results: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return, by row, what a reward idea adds to its learner, and the verdict on "no improvement".

    P-values are adjusted for all comparisons of the table (Holm).
    """
    runs = {result["row"]: result["by_seed"] for result in results}
    ideas = {row: row.split()[0] for row in runs if row.split()[0] != row and row.split()[0] in runs}
    gaps = {row: compare_means(runs[row], runs[learner]) for row, learner in ideas.items()}
    adjusted = adjust_by_holm([p_value for _, _, p_value in gaps.values()])
    return {
        row: {
            "more": gap, "more_ci95": ci95, "p_adjusted": p_value, "verdict": _verdict_on_idea(gap, ci95, p_value),
        }
        for (row, (gap, ci95, _)), p_value in zip(gaps.items(), adjusted, strict=True)
    }  # fmt: skip


def _verdict_on_idea(gap: float, ci95: Sequence[float], p_value: float) -> str:
    """Return the verdict on "no improvement": it agrees if less than the margin is gained, differs if any is shown."""
    if compare_with_claim(ci95, high=MARGIN) == AGREES:
        return AGREES
    return DIFFERS if gap > 0 and p_value < _LEVEL else UNDECIDED
