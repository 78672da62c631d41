"""Kaminsky and Liebendörfer (2020): table 4.1, and what tables 4.2 to 4.4 print.

Every league has its own agents, so their names and numbers cannot agree with the paper's. What can agree are the types
of the best agents by each metric, and the paper's conclusions, which table 5 (ours) lists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from card_baselines.papers.verdicts import Printed

UNIT = "big blinds per hand"
LEADERS_TABLE, TYPES_TABLE, DIVISIONS_TABLE, CLAIMS_TABLE = 2, 3, 4, 5
ROWS = ("trueskill", "mean", "median", "low")
LABELS = {"trueskill": "TrueSkill", "mean": "mean", "median": "median", "low": "20th percentile"}
"""Metric -> its name in tables."""

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
TRUESKILL_MARGIN = 25 / 6
"""Difference of two ratings that would not matter: TrueSkill's beta, at which one of two wins 76 % of the time."""


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


PRINTED_LEADERS: Mapping[str, tuple[tuple[float, float, float, float], ...]] = {
    "trueskill": (
        (151.04, 3.26, 2.35, 0.21), (148.97, 2.79, 2.02, 0.14), (146.49, 3.95, 2.76, 0.33), (143.41, 4.47, 2.55, 0.19),
        (142.55, 5.13, 2.65, 0.35), (142.43, 4.67, 2.81, 0.15), (141.14, 6.16, 2.98, 0.33), (140.39, 1.47, 0.94, 0.06),
        (138.85, 4.81, 2.45, 0.33), (138.73, 4.58, 2.53, 0.23),
    ),
    "mean": (
        (129.16, 6.79, 1.32, -0.07), (133.09, 6.59, 2.24, 0.23), (141.14, 6.16, 2.98, 0.33), (124.79, 6.15, 1.42, 0.00),
        (122.43, 6.06, 0.89, -1.20), (132.34, 6.04, 1.58, 0.00), (134.82, 5.91, 2.59, 0.03), (129.96, 5.65, 1.50, 0.01),
        (118.01, 5.50, 0.88, -2.32), (119.79, 5.50, 1.14, -1.60),
    ),
    "median": (
        (141.14, 6.16, 2.98, 0.33), (142.43, 4.67, 2.81, 0.15), (135.08, 5.22, 2.76, 0.00), (146.49, 3.95, 2.76, 0.33),
        (142.55, 5.13, 2.65, 0.35), (134.82, 5.91, 2.59, 0.03), (143.41, 4.47, 2.55, 0.19), (138.73, 4.58, 2.53, 0.23),
        (138.85, 4.81, 2.45, 0.33), (151.04, 3.26, 2.35, 0.21),
    ),
    "low": (
        (142.55, 5.13, 2.65, 0.35), (138.85, 4.81, 2.45, 0.33), (146.49, 3.95, 2.76, 0.33), (141.14, 6.16, 2.98, 0.33),
        (133.09, 6.59, 2.24, 0.23), (138.73, 4.58, 2.53, 0.23), (151.04, 3.26, 2.35, 0.21), (143.41, 4.47, 2.55, 0.19),
        (135.02, 4.20, 1.01, 0.17), (142.43, 4.67, 2.81, 0.15),
    ),
}  # fmt: skip
"""Table 4.2 as printed: metric -> TrueSkill, mean, median and 20th percentile of the best ten, the best one first."""


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
    printed: Printed | None = None
    """A printed number, in place of values for which the conclusion is true."""

    @property
    def is_judged(self) -> bool:
        """Whether the paper says anything that can be true or false."""
        return self.printed is not None or self.low != -self.high


def _claim_leaders(metric: str) -> tuple[str, PaperClaim]:
    """Return the claim on the scores of the best ten by a metric, on average."""
    value = sum(scores[ROWS.index(metric)] for scores in PRINTED_LEADERS[metric]) / len(PRINTED_LEADERS[metric])
    printed = Printed(value, TRUESKILL_MARGIN) if metric == "trueskill" else Printed.gain(value)
    what = f"{LABELS[metric]} of the best tenth by it, on average"
    return f"winnings of the best, {metric}", PaperClaim("table 4.2", what, f"{value:.2f}", printed=printed)


def _claim_share_at_top(metric: str) -> tuple[str, PaperClaim]:
    what = "share of Q-learners among the best fifth"
    return f"Qlearn at the top, {metric}", PaperClaim("table 4.3", what, "100 %, here above 90 %", low=1 - SHARE_MARGIN)


def _claim_prediction(metric: str) -> tuple[str, PaperClaim]:
    return f"prediction, {metric}", PaperClaim("figure 4.2", "% of pairs whose winner it names", "")


def _claim_small_improvement(metric: str) -> PaperClaim:
    what = f"percentile by {LABELS[metric]}, last clone - first"
    return PaperClaim("figure 4.7", what, "small, here 0 to 25", low=0, high=25)


_ABOVE_CALL = "share of SAC agents above Call"
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
    "climbing earns more": PaperClaim(
        "figure 4.9", "mean winnings in bb/hand, QlnA-Cl - QlnA-Rn", "slightly, here above 0", low=0
    ),
    "mixing costs": PaperClaim(
        "section 4.4", "percentile by median, AllAg-Cl - other divisions of the same types", "below 0", high=0
    ),
    **dict(_claim_leaders(metric) for metric in ROWS),
    "agents in all four lists": PaperClaim(
        "table 4.2",
        "share of the best tenth that is so by all four metrics",
        "1 of 10",
        printed=Printed(0.1, SHARE_MARGIN),
    ),
    "mean diverges most": PaperClaim(
        "section 4.2.1", "rank correlation of mean with the other metrics - that among these", "below 0", high=0
    ),
    "tight and passive last by TrueSkill": PaperClaim(
        "figure 4.1", "percentile by TrueSkill - by median and 20th percentile", "below 0", high=0
    ),
    "aggressive and loose are robust": PaperClaim(
        "figure 4.1", "percentile by 20th percentile - by median", "not lower, here above -10", low=-10
    ),
    "Qlearn-All seldom calls": PaperClaim(
        "figure 4.5", "share of calls among folds, calls and raises", "almost never, here below 0.1", high=0.1
    ),
    "Qlearn-All raises more than it folds": PaperClaim("figure 4.5", "share of raises - of folds", "above 0", low=0),
    "Qlearn-8 calls more": PaperClaim("figure 4.5", "share of calls, Qlearn-8 - Qlearn-All", "above 0", low=0),
    "Qlearn-All is most aggressive": PaperClaim(
        "section 5.3", "distorted aggression, Qlearn-All - others", "above 0", low=0
    ),
    "SAC aggressive when tight": PaperClaim(
        "figure 4.5", "correlation of aggression and folds among SAC", "above 0", low=0
    ),
    "SAC above Call, mean": PaperClaim("figure 4.6", _ABOVE_CALL, "outperform, here above 0.5", low=0.5),
    "SAC above Call, median": PaperClaim("figure 4.6", _ABOVE_CALL, "outperform, here above 0.5", low=0.5),
    "SAC above Call, trueskill": PaperClaim("figure 4.6", _ABOVE_CALL, "only the best, here below 0.5", high=0.5),
    "20th percentile left-skewed": PaperClaim("figure 4.6", "skewness of 20th percentiles", "below 0", high=0),
    "first clones of Qlearn-All are robust": PaperClaim(
        "figure 4.6", "percentile by 20th percentile", "surprisingly good, here above 50", low=50
    ),
    "Qlearn improves by TrueSkill": PaperClaim(
        "figure 4.7", "percentile by TrueSkill, last clone - first", "visible, here above 0", low=0
    ),
    "improvement is small": _claim_small_improvement("median"),
    "improvement is small, mean": _claim_small_improvement("mean"),
    "improvement is small, low": _claim_small_improvement("low"),
    "random is more robust": PaperClaim(
        "figure 4.9", "20th percentile in bb/hand, QlnA-Rn - QlnA-Cl", "above 0", low=0
    ),
    "internal and global ranks agree": PaperClaim(
        "figure 4.10", "rank correlation of TrueSkill inside a division and among all", "above 0", low=0
    ),
}
"""Name -> what the paper concludes. It prints no bounds; those after "here" are ours."""
