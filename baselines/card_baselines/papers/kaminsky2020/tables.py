"""Kaminsky and Liebendörfer (2020): table 4.1, and what tables 4.2 to 4.4 print.

Every league has its own agents, so their names and numbers cannot agree with the paper's. What can agree are the types
of the best agents by each metric, and the paper's conclusions, which table 5 (ours) lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

UNIT = "big blinds per hand"
LEADERS_TABLE, TYPES_TABLE, DIVISIONS_TABLE, CLAIMS_TABLE = 2, 3, 4, 5
ROWS = ("trueskill", "mean", "median", "low")

BASELINES = ("kaminsky_random", "always_call")
STUDENTS = ("qlearn_8", "qlearn_all", "sac_low", "sac_high")
TRAINING = {
    "Qln8-Cl": ("climbing", ("qlearn_8",)),
    "QlnA-Cl": ("climbing", ("qlearn_all",)),
    "SacL-Cl": ("climbing", ("sac_low",)),
    "SacH-Cl": ("climbing", ("sac_high",)),
    "AllAg-Cl": ("climbing", STUDENTS),
    "QlnA-Rn": ("random", ("qlearn_all",)),
}
"""Table 4.1: division -> (kind, students). The two baselines teach in all divisions."""
TYPES = {
    "qlearn_8": "Qlearn-8",
    "qlearn_all": "Qlearn-All",
    "sac_low": "SAC-Low",
    "sac_high": "SAC-High",
    "kaminsky_random": "Random",
    "always_call": "Call",
}
"""Spec of a member -> its type, in the paper's words."""
TRAINED_TYPES = tuple(TYPES[student] for student in STUDENTS)

TOP, OUT_OF = 20, 102
"""Tables 4.3 and 4.4 list the best 20 of the paper's 102 agents."""
SHARE_MARGIN = 0.1
"""Difference of two shares of the best agents that would not matter: two of the paper's twenty agents."""


def _columns(ranks: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of a printed table of ranks, by metric."""
    return dict(zip(ROWS, zip(*(line.split() for line in ranks.strip().splitlines()), strict=True), strict=True))


PRINTED_RANKS: Mapping[int, Mapping[str, tuple[str, ...]]] = {
    TYPES_TABLE: _columns("""
    Qlearn-8   Qlearn-All Qlearn-All Qlearn-All
    Qlearn-All Qlearn-All Qlearn-8   Qlearn-All
    Qlearn-8   Qlearn-All Qlearn-8   Qlearn-8
    Qlearn-8   Qlearn-All Qlearn-8   Qlearn-8
    Qlearn-All Qlearn-All Qlearn-All Qlearn-All
    Qlearn-8   Qlearn-All Qlearn-All Qlearn-8
    Qlearn-All Qlearn-All Qlearn-8   Qlearn-8
    Qlearn-All Qlearn-All Qlearn-8   Qlearn-8
    Qlearn-8   Qlearn-All Qlearn-8   Qlearn-All
    Qlearn-8   Qlearn-All Qlearn-8   Qlearn-8
    Qlearn-8   Qlearn-All Qlearn-All Qlearn-All
    Qlearn-All Qlearn-All Qlearn-All Qlearn-All
    Qlearn-All Qlearn-8   Qlearn-All Qlearn-8
    Qlearn-All Qlearn-All Qlearn-8   Qlearn-All
    Qlearn-8   Qlearn-8   Qlearn-All Qlearn-All
    Qlearn-All Qlearn-8   Qlearn-8   Qlearn-8
    Qlearn-All Qlearn-8   Qlearn-All Qlearn-All
    Qlearn-8   Qlearn-8   Qlearn-All Qlearn-All
    Qlearn-All Qlearn-8   Qlearn-All Qlearn-All
    Qlearn-All Qlearn-8   Qlearn-All Qlearn-All
    """),
    DIVISIONS_TABLE: _columns("""
    Qln8-Cl  QlnA-Cl  QlnA-Cl  QlnA-Rn
    QlnA-Rn  QlnA-Cl  Qln8-Cl  QlnA-Cl
    Qln8-Cl  QlnA-Cl  Qln8-Cl  Qln8-Cl
    Qln8-Cl  QlnA-Cl  Qln8-Cl  Qln8-Cl
    QlnA-Rn  AllAg-Cl QlnA-Rn  QlnA-Cl
    Qln8-Cl  QlnA-Rn  QlnA-Rn  Qln8-Cl
    QlnA-Cl  QlnA-Rn  Qln8-Cl  Qln8-Cl
    QlnA-Rn  QlnA-Rn  Qln8-Cl  Qln8-Cl
    Qln8-Cl  QlnA-Rn  Qln8-Cl  AllAg-Cl
    Qln8-Cl  QlnA-Rn  Qln8-Cl  Qln8-Cl
    Qln8-Cl  QlnA-Cl  QlnA-Cl  QlnA-Rn
    QlnA-Cl  QlnA-Cl  QlnA-Rn  QlnA-Rn
    AllAg-Cl Qln8-Cl  QlnA-Rn  AllAg-Cl
    QlnA-Rn  QlnA-Rn  AllAg-Cl QlnA-Rn
    AllAg-Cl AllAg-Cl QlnA-Rn  QlnA-Cl
    QlnA-Cl  Qln8-Cl  Qln8-Cl  AllAg-Cl
    QlnA-Rn  Qln8-Cl  QlnA-Cl  QlnA-Rn
    AllAg-Cl Qln8-Cl  QlnA-Cl  AllAg-Cl
    QlnA-Rn  Qln8-Cl  QlnA-Cl  QlnA-Cl
    QlnA-Cl  Qln8-Cl  QlnA-Rn  QlnA-Rn
    """),
}
"""Tables 4.3 and 4.4 as printed: metric -> the type and the division of the agents ranked 1 to 20."""


@dataclass(frozen=True)
class PaperClaim:
    """A conclusion of the paper, and the values of what is measured for which it is true."""

    where: str
    """Table, figure or section of the paper."""
    what: str
    """Quantity that is measured."""
    paper: str
    """The conclusion, as printed or described."""
    low: float = -math.inf
    high: float = math.inf


def _claim_share_at_top(metric: str) -> tuple[str, PaperClaim]:
    what = "share of Q-learners among the best fifth"
    return f"Qlearn at the top, {metric}", PaperClaim("table 4.3", what, "100 %, here above 90 %", low=1 - SHARE_MARGIN)


def _claim_prediction(metric: str) -> tuple[str, PaperClaim]:
    return f"prediction, {metric}", PaperClaim("figure 4.2", "% of pairs whose winner it names", "")


_RANK_SHIFT = "difference of two ranks, % of all ranks"
_STYLE_RATIO = "distance within a type (other division) over distance within a division (other type)"
CLAIMS: Mapping[str, PaperClaim] = {
    **dict(_claim_share_at_top(metric) for metric in ROWS),
    "Qlearn above SAC": PaperClaim("section 5.3", "percentile of the rank by median, Qlearn - SAC", "above 0", low=0),
    "Qlearn-All earns more": PaperClaim(
        "table 4.3", "mean winnings in bb/hand, Qlearn-All - Qlearn-8", "above 0: first 12 of 20 by mean", low=0
    ),
    "style by type, plane": PaperClaim("figures 4.5, 4.8", _STYLE_RATIO, "below 1: type matters more", high=1),
    "style by type, strategy vector": PaperClaim(
        "figures 4.5, 4.8", _STYLE_RATIO, "below 1: type matters more", high=1
    ),
    "TrueSkill twice, Qlearn": PaperClaim("figure 4.4", _RANK_SHIFT, "small, here below 10", high=10),
    "TrueSkill twice, SAC": PaperClaim("figure 4.4", _RANK_SHIFT, "large, here above 10", low=10),
    **dict(_claim_prediction(metric) for metric in ROWS),
    "TrueSkill predicts best": PaperClaim(
        "figure 4.2", "% of pairs, TrueSkill - best other metric", "best, here above 0", low=0
    ),
    "median closely behind": PaperClaim(
        "figure 4.2", "% of pairs, median - TrueSkill", "closely behind, here -10 to 0", low=-10, high=0
    ),
    "improvement is small": PaperClaim(
        "figure 4.7", "percentile by median, last clone - first", "small, here 0 to 25", low=0, high=25
    ),
    "climbing earns more": PaperClaim(
        "figure 4.9", "mean winnings in bb/hand, QlnA-Cl - QlnA-Rn", "slightly, here above 0", low=0
    ),
    "mixing costs": PaperClaim(
        "section 4.4", "percentile by median, AllAg-Cl - other divisions of the same types", "below 0", high=0
    ),
}
"""Name -> what the paper concludes. It prints no bounds; those after "here" are ours."""
