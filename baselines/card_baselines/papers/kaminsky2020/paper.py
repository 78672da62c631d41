"""Kaminsky and Liebendörfer (2020) as a `Paper`: its tables, and verdicts on them and on its conclusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from card_baselines.papers import protocol
from card_baselines.papers.claims import UNDECIDED, UNKNOWN, Printed, compare_with_printed
from card_baselines.papers.printed import read_paper
from card_baselines.papers.protocol import Paper
from card_baselines.text_table import Columns

FILE = read_paper(__file__)
METRICS = FILE.rows
LABELS = dict(zip(METRICS, ("TrueSkill", "mean", "median", "20th percentile"), strict=True))
"""Metric -> its name in tables."""
LEADERS_TABLE, TYPES_TABLE, DIVISIONS_TABLE, CLAIMS_TABLE = FILE.tables
TRAINING: Mapping[str, tuple[str, tuple[str, ...]]] = FILE.others["training"]
"""Table 4.1: division -> (kind, students)."""
DIRECT, SIMILAR = "PermaEvalDirect", ("PermaEval-1", "PermaEval-2")
"""Divisions that evaluate: all pairs, and two TrueSkill rankings."""
TYPES: Mapping[str, str] = FILE.others["types"]
"""Spec of a member -> its type, in the paper's words."""
*STUDENT_SPECS, _, _ = TYPES
BASELINES = tuple(spec for spec in TYPES if spec not in STUDENT_SPECS)
TRAINED_TYPES = tuple(TYPES[spec] for spec in STUDENT_SPECS)
QLEARN, SAC = TRAINED_TYPES[:2], TRAINED_TYPES[2:]
TOP, OUT_OF = 20, 102
"""Tables 4.3 and 4.4 list the best 20 of the paper's 102 agents."""
PRINTED_RANKS: Mapping[int, Mapping[str, tuple[str, ...]]] = {
    int(number): dict(zip(METRICS, zip(*map(str.split, ranks.splitlines()), strict=True), strict=True))
    for number, ranks in FILE.others["ranks"].items()
}
"""Tables 4.3 and 4.4: metric -> the type and the division of the agents ranked 1 to 20."""
PRINTED_LEADERS: Mapping[str, tuple[tuple[float, ...], ...]] = FILE.others["leaders"]
"""Table 4.2: metric -> TrueSkill, mean, median and 20th percentile of the best ten, the best one first."""
SHARE_MARGIN = 0.1
"""Difference of two shares of the best agents that would not matter: two of the paper's twenty agents."""
STUDENTS = "students"
"""Value of a result's key `of` where its interval is over students; one over hands or clones decides nothing."""
MIN_STUDENTS = 3
"""Students of a group without which drawing them anew says nothing of other students."""


@dataclass(frozen=True, kw_only=True)
class Scale(protocol.Scale):
    """Amount of training and play."""

    rounds: int
    """Rounds of each training division; 2,000 in the paper."""
    hands: int
    """Hands of a round of training; 10,000 in the paper."""
    clone_every: int
    """Rounds between clones; 200 in the paper."""
    direct_hands: int
    """Hands of each pair of agents; 10,000 in the paper."""
    similar_rounds: int
    """Rounds of each of the two TrueSkill evaluations; 5,300 in the paper."""
    similar_hands: int
    """Hands of a round of these evaluations; 10,000 in the paper."""
    style_hands: int
    """Hands of each situation and decile of a style; about 1,000 in the paper."""
    direct_rounds: int | None = None
    """Maximum number of pairs that meet; None for all of them, as in the paper."""
    copies: int = 1
    """Copies of each training division, with students of their own; one in the paper."""

    @property
    def training_hands(self) -> int:
        """Hands of training in all divisions together."""
        return self.copies * len(TRAINING) * self.rounds * self.hands


@dataclass(frozen=True, kw_only=True)
class Options(protocol.ReproductionOptions):
    """Options of the paper."""

    workers: int = 1
    """Processes that play rounds side by side."""


def list_training_divisions(copies: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the training divisions and their copies, which are called Qln8-Cl-2, Qln8-Cl-3 ..."""
    return {
        name if copy == 1 else f"{name}-{copy}": settings
        for copy in range(1, copies + 1)
        for name, settings in TRAINING.items()
    }


def original(name: str) -> str:
    """Return the division of table 4.1 that a division is a copy of; other names unchanged."""
    return next((each for each in TRAINING if name.startswith(f"{each}-")), name)


def judge(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the verdict on a share of types or divisions, or on a claim."""
    is_over_students = result.get("of") == STUDENTS
    if result["table"] == CLAIMS_TABLE:
        ci95 = result["ci95"] if is_over_students else UNKNOWN
        claim = FILE.claims[result["row"]].with_interval(result["mean"], ci95)
        return {"verdict": claim.with_control(result.get("untrained")).verdict}
    if result["table"] not in PRINTED_RANKS:
        return {"verdict": ""}
    if not is_over_students or result["students"] < MIN_STUDENTS:
        return {"verdict": UNDECIDED}
    printed = Printed(_count_printed(result) / TOP, SHARE_MARGIN)
    share, (low, high) = result["count"] / result["top"], (end / result["top"] for end in result["ci95"])
    return {"verdict": compare_with_printed(printed, share, (min(low, share), max(high, share)))}


def _count_printed(result: Mapping[str, Any]) -> int:
    return PRINTED_RANKS[result["table"]][result["row"]].count(result["group"])


def _format_interval(result: Mapping[str, Any] | None) -> str:
    mean, (low, high) = (None, UNKNOWN) if result is None else (result["mean"], result["ci95"])
    if mean is None:
        return "" if result is None else "too few students"
    return f"{mean:.2f}" if low is None or high is None else f"{mean:.2f} ({low:.2f} .. {high:.2f})"


def _format_score(metric: str, result: Mapping[str, Any]) -> str:
    return f"{result[metric]:+.2f} ± {result[metric + '_reach']:.2f}"


_SHORT_TYPES = {
    "Qlearn-8": "Qln8", "Qlearn-All": "QlnA", "SAC-Low": "SacL", "SAC-High": "SacH", "Random": "random", "Call": "call",
}  # fmt: skip
_LEADERS_COLUMNS: Columns = {
    "by": lambda r: LABELS[r["row"]],
    "rank": lambda r: str(r["rank"]),
    "agent": lambda r: r["agent"],
    "type": lambda r: _SHORT_TYPES[r["type"]],
    "TrueSkill": lambda r: f"{r['trueskill']:.1f}",
    "mean": lambda r: _format_score("mean", r),
    "median": lambda r: _format_score("median", r),
    "20-pctl": lambda r: _format_score("low", r),
    "paper: the same four": lambda r: ", ".join(f"{score:g}" for score in PRINTED_LEADERS[r["row"]][r["rank"] - 1]),
}
_CLAIMS_COLUMNS: Columns = {
    "claim": lambda r: r["row"],
    "in the paper": lambda r: FILE.claims[r["row"]].where,
    "measured": lambda r: FILE.claims[r["row"]].measured,
    "paper": lambda r: FILE.claims[r["row"]].paper,
    "ours (95 %)": _format_interval,
    "untrained (95 %)": lambda r: _format_interval(r.get("untrained")),
    "verdict": lambda r: r["verdict"],
}


def _list_groups_columns(what: str) -> Columns:
    """Return the columns of a table about "type" or "division"."""
    return {
        "by": lambda r: LABELS[r["row"]],
        what: lambda r: r["group"],
        "paper, of the top 20": lambda r: f"{_count_printed(r)} of {TOP}",
        "ours, of the top": lambda r: f"{r['count']} of {r['top']}",
        "95 %": lambda r: f"{r['ci95'][0]} .. {r['ci95'][1]}",
        "untrained": lambda r: f"{r['untrained']['count']} of {r['untrained']['top']}" if "untrained" in r else "",
        "verdict": lambda r: r["verdict"],
    }


PAPER = Paper(
    name="kaminsky2020",
    **FILE.about(),
    scales=FILE.make_scales(Scale),
    reproduction="card_baselines.papers.kaminsky2020.reproduction:Kaminsky2020Reproduction",
    options=Options,
    layouts={
        LEADERS_TABLE: ("Table 4.2: the best agents by each metric", _LEADERS_COLUMNS),
        TYPES_TABLE: ("Table 4.3: types among the best agents", _list_groups_columns("type")),
        DIVISIONS_TABLE: ("Table 4.4: divisions among the best agents", _list_groups_columns("division")),
        CLAIMS_TABLE: ("Table 5 (ours): what the paper concludes", _CLAIMS_COLUMNS),
    },
    judge=judge,
)
