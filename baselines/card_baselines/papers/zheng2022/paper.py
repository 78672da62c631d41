"""Zheng et al. (2022) as a `Paper`: its tables, and verdicts on what they print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from card_baselines.papers.claims import (
    NORMAL_95,
    Claim,
    Printed,
    Way,
    choose_weakest,
    compare_with_printed,
    format_gain,
    format_paper,
)
from card_baselines.papers.matches import (
    MATCH_COLUMNS,
    MatchScale,
    Results,
    find_matches,
    judge_match,
    measure_match_claims,
)
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns

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


# --- what the text says beyond the tables ---


def _compare_gains_from_random(results: Results, claim: Claim, player: str) -> Claim | None:
    """Return the claim that a player wins most from the random player, beside the player nearest to it."""
    matches = find_matches(results)
    won = {name: match["by_seed"] for (name, rival), match in matches.items() if rival == RANDOM}
    if player not in won:
        return None
    own, won = won[player], {name: won[name] for name in (CHEATEM, TABLE, DQN) if name in won}
    if player in FIXED:  # one run, and each of the others beside it
        return choose_weakest({other: claim.with_runs([own[0] - run for run in runs]) for other, runs in won.items()})
    return choose_weakest({other: claim.with_difference(own, runs) for other, runs in won.items()})


def _measure_sheets(results: Results, claim: Claim, row: str) -> Claim | None:
    """Return the claim with a share of card types, over sheets."""
    shares = [each["by_seed"] for each in results if (each["table"], each["row"]) == (ACTIONS_TABLE, row)]
    return claim.with_runs(shares[0]) if shares else None


def _measure_actions(results: Results, claim: Claim, learner: str, *columns: str) -> Claim | None:
    """Return the claim with the smallest share of some actions of a learner against a rival."""
    shares: dict[str, list[Sequence[float]]] = {}
    for each in results:
        if (each["table"], each["row"]) == (ACTIONS_TABLE, learner) and each["about"] in columns:
            shares.setdefault(f"against {each['rival']}", []).append(each["by_seed"])
    taken = {rival: [sum(run) for run in zip(*shares[rival], strict=True)] for rival in sorted(shares)}
    return choose_weakest({rival: claim.with_runs(runs) for rival, runs in taken.items()})


_WAYS: Mapping[str, Way] = {
    "most from random": _compare_gains_from_random, "sheets": _measure_sheets, "actions": _measure_actions,
}  # fmt: skip
"""Name in `paper.toml` -> way to measure a claim, beside those of `matches`."""

PAPER = Paper(
    name="zheng2022",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.zheng2022.reproduction:Zheng2022Reproduction",
    layouts={number: (f"Table {number}", MATCH_COLUMNS) for number in FILE.tables}
    | {SHARES_TABLE: ("Table 1, % of hands", _SHARES_COLUMNS), ACTIONS_TABLE: ("Table 7, shares", _ACTIONS_COLUMNS)},
    judge=judge,
    claims=partial(measure_match_claims, FILE, ways=_WAYS),
)
