"""The league of Kaminsky and Liebendörfer (2020) at one scale, and its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.league.league import STORE, League
from card_baselines.league.pools import make_pool
from card_baselines.league.rounds import RoundOutcome
from card_baselines.papers.claims import NORMAL_95
from card_baselines.papers.kaminsky2020.claims import draw_best, measure_claims
from card_baselines.papers.kaminsky2020.figures import draw_figures
from card_baselines.papers.kaminsky2020.findings import Findings, collect_findings
from card_baselines.papers.kaminsky2020.paper import (
    BASELINES,
    CLAIMS_TABLE,
    DIRECT,
    LEADERS_TABLE,
    METRICS,
    PRINTED_RANKS,
    SIMILAR,
    STUDENTS,
    TRAINED_TYPES,
    TRAINING,
    TYPES_TABLE,
    Options,
    Scale,
    list_training_divisions,
)
from card_baselines.papers.kaminsky2020.situation import ENV, SETTINGS
from card_baselines.papers.protocol import Report, Reproduction, Say, add_control
from card_baselines.progress import StepsProgress
from card_envs.formatting import json_number

_LEADERS = 10
_SEED = 2020


class Kaminsky2020Reproduction(Reproduction[Options, Scale]):
    """Trains and evaluates a league once, and reads all results from its store."""

    def __init__(self, options: Options, scale: Scale, root: Path, say: Say) -> None:
        super().__init__(options, scale, root, say)
        if options.seeds > 1:
            raise ValueError(f"seeds {options.seeds}: a league has several students of each kind, and one seed")

    @cached_property
    def _findings(self) -> Findings:
        """The scores and styles of all agents, after training and playing what is missing."""
        return self._make_findings("league", self.scale, self.root)

    @cached_property
    def _untrained(self) -> Findings:
        """The control: scores and styles of clones that were made after one round of six hands."""
        scale = replace(self.scale, rounds=1, hands=6, clone_every=1)
        return self._make_findings("untrained", scale, self.root / "untrained")

    def _make_findings(self, name: str, scale: Scale, folder: Path) -> Findings:
        """Train a league, play pairs and two TrueSkill rankings, and return what they tell of the agents."""
        evaluation = {DIRECT: scale.direct_hands, **dict.fromkeys(SIMILAR, scale.similar_hands)}
        with open_league(self.root / name, scale) as league:
            self._run(league, dict.fromkeys(list_training_divisions(scale.copies), scale.rounds))
            for division, hands in evaluation.items():
                if division not in league.divisions:
                    league.add_division(division, "direct" if division == DIRECT else "similar", hands=hands)
            count = sum(not member.learns for member in league.members.values())
            pairs = count * (count - 1) // 2
            if scale.direct_rounds is not None:
                pairs = min(pairs, scale.direct_rounds)
            self._run(league, {DIRECT: pairs, **dict.fromkeys(SIMILAR, scale.similar_rounds)})
            return collect_findings(league, folder, scale.style_hands, lambda name: self.say(f"style of {name}"))

    def _run(self, league: League, rounds: Mapping[str, int]) -> None:
        """Play the rounds of divisions that are missing; report faults and lost rounds."""
        label, missing = ", ".join(rounds), league.count_missing(rounds)
        with make_pool(self.options.workers) as pool, StepsProgress(label, missing, "rounds") as progress:

            def report(division: str, played: int, outcome: RoundOutcome) -> None:
                if outcome.lost is not None:
                    self.say(f"{division}: round {outcome.round} is lost: {outcome.lost}")
                for fault in outcome.faults.values():
                    self.say(f"{division}: round {outcome.round}: {fault.first}")
                progress.advance(f"{division}: {played} of {rounds[division]}")

            league.run(rounds, pool, report)

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the results of a table by one metric."""
        findings = self._findings
        if table == LEADERS_TABLE:
            leaders = enumerate(findings.order(row)[:_LEADERS], 1)
            return [_describe_leader(findings, row, rank, index) for rank, index in leaders]
        return self._add_controls(lambda found: _count_best(found, table, row))

    def play_table(self, table: int, rows: Sequence[str]) -> list[dict[str, Any]]:
        """Return the results of a table by some metrics. The claims (table 5) do not depend on the metrics."""
        if table == CLAIMS_TABLE:
            return self._add_controls(describe_claims)
        return super().play_table(table, rows)

    def _add_controls(self, measure: Callable[[Findings], list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """Return results of the league, beside those of the untrained one."""
        return list(map(add_control, measure(self._findings), measure(self._untrained)))

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report with scale and cost, and draw the pictures."""
        found, scale, divisions = self._findings, self.scale, self.scale.copies * len(TRAINING)
        pictures = draw_figures(found, self.root)
        content |= {"league_commit": found.commit, "agents": dict(Counter(found.types))}
        notes = (
            f"{len(found.members)} agents: clones every {scale.clone_every} of {scale.rounds} rounds of "
            f"{scale.hands:,} hands in each of {divisions} divisions, {scale.training_hands:,} hands of training "
            f"in all (paper: 2,000 rounds of 10,000, 120,000,000). Pairs played {scale.direct_hands:,} hands, "
            f"TrueSkill saw {scale.similar_rounds:,} rounds of {scale.similar_hands:,}, twice.",
            f"Pictures: {', '.join(path.name for path in pictures)}.",
        )
        return Report(content, notes)


def open_league(folder: Path, scale: Scale) -> League:
    """Return the league in a folder, with its training divisions; a new one if there is none."""
    if not (folder / STORE).exists():
        League.new(folder, ENV, seed=_SEED, **SETTINGS).store.close()
    league = League.open(folder)
    for name, (kind, students) in list_training_divisions(scale.copies).items():
        if name not in league.divisions:
            league.add_division(
                name, kind, students=students, teachers=BASELINES, hands=scale.hands, clone_every=scale.clone_every
            )  # fmt: skip
    return league


def _describe_leader(found: Findings, metric: str, rank: int, index: int) -> dict[str, Any]:
    """Return the result of the agent at a rank."""
    scores: dict[str, Any] = {}
    for name in METRICS:
        scores[name] = float(found.scores[name][index])
        scores[f"{name}_reach"] = float(NORMAL_95 * found.draws[name][:, index].std())
    return {
        "table": LEADERS_TABLE, "row": metric, "rank": rank, "agent": found.names[index], "type": found.types[index],
        **scores,
    }  # fmt: skip


def describe_claims(found: Findings) -> list[dict[str, Any]]:
    """Return the results of table 5."""
    return [
        {
            "table": CLAIMS_TABLE, "row": claim.claim, "mean": json_number(claim.mean),
            "ci95": [json_number(end) for end in claim.ci95], "of": STUDENTS,
        }
        for claim in measure_claims(found)
    ]  # fmt: skip


def _count_best(found: Findings, table: int, metric: str) -> list[dict[str, Any]]:
    """Return the number of the best agents by a metric in each group; intervals are over students."""
    groups = np.array(found.types if table == TYPES_TABLE else found.divisions)
    trained = dict.fromkeys(groups[i] for i, kind in enumerate(found.types) if kind in TRAINED_TYPES)
    best, order = draw_best(found, metric), found.order(metric)[: found.top]
    results = []
    for group in trained:
        counts = [int((groups[indices] == group).sum()) for indices in best]
        results.append({
            "table": table, "row": metric, "group": str(group), "top": found.top,
            "paper": PRINTED_RANKS[table][metric].count(group), "count": int((groups[order] == group).sum()),
            "ci95": [int(end) for end in np.percentile(counts, [2.5, 97.5])], "of": STUDENTS,
            "students": found.count_students(groups == group),
        })  # fmt: skip
    return results
