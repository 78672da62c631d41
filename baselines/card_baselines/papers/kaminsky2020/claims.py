"""What the paper concludes, asked of a league of ours: a number with a 95 % interval and a verdict for each claim.

Intervals of what is said about agents come from drawing *students* anew, each with all its clones: clones of one
student resemble each other, and there are few students. Where a claim is about hands, from the noise of the hands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.kaminsky2020.findings import METRICS, Findings, Floats
from card_envs.formatting import json_number

QLEARN, SAC = ("Qlearn-8", "Qlearn-All"), ("SAC-Low", "SAC-High")
PREDICTED = {"trueskill": "best", "median": "closely behind"}
"""Figure 4.2, as the text reads it: no number is printed."""
_DRAWS = 2000
_LEAST = 3
"""Agents without which nothing is said of a group."""


@dataclass(frozen=True)
class Claim:
    """One of the paper's conclusions, and what we find."""

    name: str
    where: str
    """Of the paper."""
    what: str
    """What is measured."""
    paper: str
    """As printed or described."""
    mean: float
    ci95: tuple[float, float]
    verdict: str
    """agrees, differs or undecided."""

    def as_result(self, table: int) -> dict[str, Any]:
        """Return the claim as JSON can hold it."""
        return {
            "table": table, "row": self.name, "where": self.where, "what": self.what, "paper": self.paper,
            "mean": json_number(self.mean), "ci95": [json_number(end) for end in self.ci95], "verdict": self.verdict,
        }  # fmt: skip


def claims(found: Findings) -> list[Claim]:
    """Return all claims with their verdicts."""
    return [
        *_qlearn_above_sac(found), _all_is_dominant_in_mean(found), *_style_by_architecture(found),
        *_trueskill_is_consistent(found), *_predictions(found), _generations(found), _climbing(found), _mixing(found),
    ]  # fmt: skip


def _qlearn_above_sac(found: Findings) -> list[Claim]:
    """The share of Q-learners at the top by each metric: all of them in table 4.3."""
    qlearn, sac = found.of_type(*QLEARN), found.of_type(*SAC)
    claims = []
    for metric in METRICS:
        shares = [qlearn[np.argsort(-draw)[: found.top]].mean() for draw in found.draws[metric]]
        share = float(qlearn[found.order(metric)[: found.top]].mean())
        low, high = (float(end) for end in np.percentile(shares, [2.5, 97.5]))
        has_none = not sac[found.order(metric)[: found.top]].any()
        verdict = "agrees" if low == 1 else "differs" if high < 1 and not has_none else "undecided"
        claims.append(
            Claim(f"Qlearn at the top, {metric}", "table 4.3", f"share of Q-learners in the top {found.top}", "100 %",
                  share, (low, high), verdict)
        )  # fmt: skip
    gap = _gap(found, _percentiles(found, "median"), qlearn, sac)
    return [*claims, _signed("Qlearn above SAC", "section 5.3", "percentile of the rank by median, Qlearn - SAC",
                             "above", gap, positive=True)]  # fmt: skip


def _all_is_dominant_in_mean(found: Findings) -> Claim:
    gap = _gap(found, found.scores["mean"], found.of_type("Qlearn-All"), found.of_type("Qlearn-8"))
    return _signed("Qlearn-All earns more", "table 4.3", "mean winnings in bb/hand, Qlearn-All - Qlearn-8",
                   "first 12 of 20 by mean", gap, positive=True)  # fmt: skip


def _style_by_architecture(found: Findings) -> list[Claim]:
    """How much nearer agents of one type are than agents of one division: in the plane, and by strategy vectors."""
    trained = np.flatnonzero(found.of_type(*QLEARN, *SAC))
    vectors = np.stack([found.styles[i].vector for i in trained]).astype(np.float32)
    claims = []
    for name, points in (("plane", found.plane[trained]), ("strategy vector", vectors)):
        squares = (points**2).sum(axis=1)
        distances = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0.0))

        def ratio(chosen: NDArray[np.int64], distances: Floats = distances) -> float:
            types = np.array(found.types)[trained[chosen]]
            homes = np.array([found.members[i].division for i in trained[chosen]])  # copies are divisions of their own
            students = np.array([found.members[i].parent for i in trained[chosen]])
            between = distances[np.ix_(chosen, chosen)]
            apart = students[:, None] != students
            same_type = apart & (types[:, None] == types)
            same_division = apart & (types[:, None] != types) & (homes[:, None] == homes)
            if not same_type.any() or not same_division.any():
                return math.nan
            return float(between[same_type].mean() / between[same_division].mean())

        low, high = _over_students(found, trained, ratio)
        mean = ratio(np.arange(len(trained)))
        verdict = "agrees" if high < 1 else "differs" if low > 1 else "undecided"
        claims.append(
            Claim(f"style by type, {name}", "figures 4.5, 4.8",
                  "distance within a type (other division) over distance within a division (other type)",
                  "type matters more", mean, (low, high), verdict)
        )  # fmt: skip
    return claims


def _trueskill_is_consistent(found: Findings) -> list[Claim]:
    """How far the ranks of two evaluations are apart, in percent of the ranks."""
    both = [found.ranks(found.trueskill(run)) for run in range(2)]
    shift = 100 * np.abs(both[0] - both[1]) / max(1, len(found.members) - 1)
    claims = []
    for name, kinds, paper in (("Qlearn", QLEARN, "small"), ("SAC", SAC, "large")):
        chosen = shift[found.of_type(*kinds)]
        mean, (low, high) = _mean_with_interval(chosen)
        verdict = "undecided" if math.isnan(mean) else "agrees" if (high < 10 if name == "Qlearn" else low > 10) else (
            "differs" if (low > 10 if name == "Qlearn" else high < 10) else "undecided"
        )  # fmt: skip
        claims.append(Claim(f"TrueSkill twice, {name}", "figure 4.4", "difference of two ranks, % of all ranks", paper,
                            mean, (low, high), verdict))  # fmt: skip
    return claims


def _predictions(found: Findings) -> list[Claim]:
    """Of how many pairs the better one by a metric wins, three against three."""
    rates = {metric: prediction(found, found.scores[metric]) for metric in METRICS}
    claims = []
    for metric, (mean, ci95) in rates.items():
        if metric == "trueskill":
            others = [rates[other][1] for other in rates if other != metric]
            below, above = max(low for low, _ in others), max(high for _, high in others)
            verdict = "agrees" if ci95[0] > above else "differs" if ci95[1] < below else "undecided"
        else:
            verdict = "" if metric != "median" else _closely_behind(rates["trueskill"], (mean, ci95))
        claims.append(Claim(f"prediction, {metric}", "figure 4.2", "% of pairs whose winner it names",
                            PREDICTED.get(metric, ""), mean, ci95, verdict))  # fmt: skip
    return claims


def _closely_behind(first: tuple[float, tuple[float, float]], second: tuple[float, tuple[float, float]]) -> str:
    """Return the verdict on a metric that is said to come second, closely: intervals that overlap decide nothing."""
    (low, high), (other_low, other_high) = first[1], second[1]
    if low <= other_high and other_low <= high:
        return "undecided"
    return "agrees" if first[0] > second[0] else "differs"


def prediction(found: Findings, scores: Floats, seed: int = 0) -> tuple[float, tuple[float, float]]:
    """Return the percentage of pairs whose winner has the higher score, and its interval over agents drawn anew."""
    means = found.winnings.means
    right = np.sign(means) == np.sign(scores[:, None] - scores)
    met = np.isfinite(means) & ~np.eye(len(scores), dtype=bool)
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(_DRAWS // 4):
        weights = np.bincount(rng.integers(len(scores), size=len(scores)), minlength=len(scores)).astype(float)
        pairs = np.outer(weights, weights) * met
        drawn.append(100 * float((pairs * right).sum() / pairs.sum()))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return 100 * float(right[met].mean()), (float(low), float(high))


def _generations(found: Findings) -> Claim:
    """The gain from the first clone to the last by median, in percent of the ranks, over the students."""
    percentiles, generations = _percentiles(found, "median"), found.generations
    gains = []
    for student in _students(found):
        mine = np.flatnonzero([member.parent == student for member in found.members])
        first, last = mine[np.argmin(generations[mine])], mine[np.argmax(generations[mine])]
        if last != first:
            gains.append(percentiles[last] - percentiles[first])
    mean, ci95 = _mean_with_interval(np.array(gains))
    verdict = "undecided" if math.isnan(ci95[0]) else "differs" if ci95[0] > 25 or ci95[1] < 0 else (
        "agrees" if ci95[1] < 25 else "undecided"
    )  # fmt: skip
    return Claim("improvement is small", "figure 4.7", "percentile by median, last clone - first", "small, not below 0",
                 mean, ci95, verdict)  # fmt: skip


def _climbing(found: Findings) -> Claim:
    """What Qlearn-All wins after climbing, less what it wins after random matches.

    The interval is over students; where there is one of each, it can only be of the noise of their hands.
    """
    climbed, drawn = found.in_division("QlnA-Cl"), found.in_division("QlnA-Rn")
    name, where, paper = "climbing earns more", "figure 4.9", "slightly"
    what = "mean winnings in bb/hand, QlnA-Cl - QlnA-Rn"
    students = min(len({found.members[i].parent for i in np.flatnonzero(each)}) for each in (climbed, drawn))
    if students > 1:
        over_students = _gap(found, found.scores["mean"], climbed, drawn)
        return _signed(name, where, what, paper, over_students, positive=True)
    draws = found.draws["mean"]
    gaps = draws[:, climbed].mean(axis=1) - draws[:, drawn].mean(axis=1)
    gap = float(found.scores["mean"][climbed].mean() - found.scores["mean"][drawn].mean())
    low, high = (float(end) for end in np.percentile(gaps, [2.5, 97.5]))
    return _signed(name, where, f"{what}, a student each", paper, (gap, (low, high)), positive=True)


def _mixing(found: Findings) -> Claim:
    """How agents of the mixed division rank, less those of their type in divisions of their own."""
    percentiles = _percentiles(found, "median")
    mixed = found.in_division("AllAg-Cl")
    gaps = [
        percentiles[mixed & found.of_type(kind)].mean() - percentiles[~mixed & found.of_type(kind)].mean()
        for kind in (*QLEARN, *SAC)
    ]
    return _signed("mixing costs", "section 4.4", "percentile by median, AllAg-Cl - other divisions, over the types",
                   "below", _mean_with_interval(np.array(gaps)), positive=False)  # fmt: skip


# --- what the claims are made of ---


def _percentiles(found: Findings, metric: str) -> Floats:
    """Return (n,): 100 for the best agent by a metric, 0 for the worst."""
    return np.asarray(100 * (1 - (found.ranks(found.scores[metric]) - 1) / max(1, len(found.members) - 1)))


def _students(found: Findings) -> list[int]:
    return sorted({member.parent for member in found.members if member.parent is not None})


def _over_students(
    found: Findings, places: NDArray[np.int64], measure: Callable[[NDArray[np.int64]], float]
) -> tuple[float, float]:
    """Return a 95 % interval of a measure of some of `places`, by drawing students anew with all their clones."""
    parents = np.array([found.members[i].parent for i in places])
    groups = [np.flatnonzero(parents == student) for student in _students(found)]
    rng = np.random.default_rng(0)
    drawn = [
        measure(np.concatenate([groups[k] for k in rng.integers(len(groups), size=len(groups))]))
        for _ in range(_DRAWS // 4)
    ]
    known = [value for value in drawn if math.isfinite(value)]
    if len(known) < _DRAWS // 20:
        return math.nan, math.nan
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def _gap(
    found: Findings, values: Floats, above: NDArray[np.bool_], below: NDArray[np.bool_]
) -> tuple[float, tuple[float, float]]:
    """Return the difference of two groups' means over students, with a 95 % interval (Welch)."""
    sides = [
        np.array([
            values[chosen & np.array([member.parent == student for member in found.members])].mean()
            for student in _students(found)
            if (chosen & np.array([member.parent == student for member in found.members])).any()
        ])
        for chosen in (above, below)
    ]  # fmt: skip
    gap = float(sides[0].mean() - sides[1].mean())
    if min(map(len, sides)) < 2:
        return gap, (math.nan, math.nan)
    from scipy import stats

    parts = [side.var(ddof=1) / len(side) for side in sides]
    if sum(parts) == 0:
        return gap, (gap, gap)
    freedom = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, sides, strict=True))
    reach = float(stats.t.ppf(0.975, freedom)) * math.sqrt(sum(parts))
    return gap, (gap - reach, gap + reach)


def _mean_with_interval(values: Floats) -> tuple[float, tuple[float, float]]:
    """Return a mean with its 95 % interval by Student's t; NaN for too few values."""
    if len(values) < _LEAST:
        return math.nan, (math.nan, math.nan)
    from scipy import stats

    mean = float(values.mean())
    reach = float(stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))
    return mean, (mean - reach, mean + reach)


def _signed(
    name: str, where: str, what: str, paper: str, gap: tuple[float, Sequence[float]], positive: bool
) -> Claim:  # fmt: skip
    """Return a claim about the sign of a difference."""
    mean, (low, high) = gap
    above, below = (low > 0, high < 0) if positive else (high < 0, low > 0)
    return Claim(
        name, where, what, paper, mean, (low, high), "agrees" if above else "differs" if below else "undecided"
    )
