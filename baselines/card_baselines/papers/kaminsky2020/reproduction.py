"""The league of Kaminsky and Liebendörfer (2020) at one scale, in one folder, and what it shows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.league.league import League
from card_baselines.league.pools import LostRound, Pool, Processes
from card_baselines.league.rounds import RoundOutcome
from card_baselines.papers.cells import NORMAL_95
from card_baselines.papers.kaminsky2020.claims import count_students, draw_best, measure_claims
from card_baselines.papers.kaminsky2020.figures import draw_figures
from card_baselines.papers.kaminsky2020.findings import Findings, find
from card_baselines.papers.kaminsky2020.judge import STUDENTS
from card_baselines.papers.kaminsky2020.population import evaluate, open_league, train
from card_baselines.papers.kaminsky2020.scales import Scale
from card_baselines.papers.kaminsky2020.tables import (
    CLAIMS_TABLE,
    LEADERS_TABLE,
    PRINTED_RANKS,
    ROWS,
    TRAINED_TYPES,
    TRAINING,
    TYPES_TABLE,
)
from card_baselines.papers.protocol import Report, Say
from card_baselines.run_folder import git_commit

_LEADERS = 10
_SAY_EVERY = 15.0
"""Seconds."""


class Kaminsky2020Reproduction:
    """Trains and evaluates a league once, goes on where it was interrupted, and reads everything from its store."""

    def __init__(self, name: str, scale: Scale, root: Path, workers: int, say: Say) -> None:
        """Keep everything in `root`."""
        self._name, self._scale, self._root, self._workers, self._say = name, scale, root, workers, say
        self._last_said = time.monotonic()

    def train(self, row: str, seed: int) -> Path:
        """Return the folder of the league, after all of it is trained: its students need each other."""
        return self._train_league("league", self._scale)

    def _train_league(self, name: str, scale: Scale) -> Path:
        self._root.mkdir(parents=True, exist_ok=True)
        with open_league(self._root / name, scale) as league:
            train(league, scale, self._pool(), self._report_round)
        return self._root / name

    def _pool(self) -> Pool | None:
        return Processes(self._workers) if self._workers > 1 else None

    def _report_round(self, division: str, played: int, outcome: RoundOutcome | LostRound) -> None:
        """Report a round now and then, and faults always."""
        if isinstance(outcome, LostRound):
            self._say(f"{division}: round {outcome.round} is lost: {outcome.why}")
        else:
            for fault in outcome.faults.values():
                self._say(f"{division}: round {outcome.round}: {fault.first}")
        if time.monotonic() - self._last_said > _SAY_EVERY:
            self._last_said = time.monotonic()
            self._say(f"{division}: {played} rounds")

    @cached_property
    def _found(self) -> Findings:
        """Everything that is known of the agents, after training and playing what is missing."""
        with open_league(self.train(ROWS[0], 0), self._scale) as league:
            found = self._evaluate(league, self._root)
            self._cost = _cost(league)
            self._commit = str(league.meta["commit"])
        return found

    @cached_property
    def _untrained(self) -> Findings:
        """The control: the same of clones that were made after one round of six hands."""
        folder = self._train_league("untrained", _scale_without_training(self._scale))
        with open_league(folder, _scale_without_training(self._scale)) as league:
            return self._evaluate(league, folder)

    def _evaluate(self, league: League, folder: Path) -> Findings:
        evaluate(league, self._scale, self._pool(), self._report_round)
        return find(league, folder, self._scale.style_hands, lambda name: self._say(f"style of {name}"))

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the results of a table by one metric; the claims (table 5) are about all metrics and come once."""
        found = self._found
        if table == CLAIMS_TABLE:
            return _add_control(*(_claims(each) for each in (found, self._untrained))) if row == ROWS[0] else []
        if table == LEADERS_TABLE:
            return [_leader(found, row, rank, place) for rank, place in enumerate(found.order(row)[:_LEADERS], 1)]
        return _add_control(*(_count_best(each, table, row) for each in (found, self._untrained)))

    def report(self, tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return everything about some of the tables and metrics; the pictures are drawn beside it."""
        found = self._found
        results = [
            result
            for table in tables
            for row in (ROWS[:1] if table == CLAIMS_TABLE else rows)
            for result in self.play(table, row)
        ]
        pictures = draw_figures(found, self._root)
        content = {
            "paper": "kaminsky2020", "command": self._command(tables), "commit": git_commit(),
            "league_commit": self._commit, "unit": "big blinds per hand", "scale": self._scale.settings(),
            "agents": dict(Counter(found.types)), "results": results, "cost": self._cost,
        }  # fmt: skip
        scale, divisions = self._scale, self._scale.copies * len(TRAINING)
        notes = (
            f"{len(found.members)} agents: clones every {scale.clone_every} of {scale.rounds} rounds of "
            f"{scale.hands:,} hands in each of {divisions} divisions, {scale.training_hands:,} hands of training "
            f"in all (paper: 2,000 rounds of 10,000, 120,000,000). Pairs played {scale.direct_hands:,} hands, "
            f"TrueSkill saw {scale.similar_rounds:,} rounds of {scale.similar_hands:,}, twice.",
            f"Pictures: {', '.join(path.name for path in pictures)}.",
        )
        return Report(content, notes)

    def _command(self, tables: Sequence[int]) -> str:
        return f"card-envs reproduce kaminsky2020 --scale {self._name} --table {' '.join(map(str, tables))}"


def _scale_without_training(scale: Scale) -> Scale:
    """Return a scale after whose training students are cloned as good as untrained."""
    return replace(scale, rounds=1, hands=6, clone_every=1)


def _leader(found: Findings, metric: str, rank: int, place: int) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for name in ROWS:
        scores[name] = float(found.scores[name][place])
        scores[f"{name}_reach"] = float(NORMAL_95 * found.draws[name][:, place].std())
    return {
        "table": LEADERS_TABLE, "row": metric, "rank": rank, "agent": found.names[place], "type": found.types[place],
        **scores,
    }  # fmt: skip


def _claims(found: Findings) -> list[dict[str, Any]]:
    return [claim.as_result(CLAIMS_TABLE) for claim in measure_claims(found)]


def _count_best(found: Findings, table: int, metric: str) -> list[dict[str, Any]]:
    """Return how many of the best agents by a metric belong to each group; intervals are over students."""
    groups = np.array(found.types if table == TYPES_TABLE else found.divisions)
    trained = dict.fromkeys(groups[i] for i, kind in enumerate(found.types) if kind in TRAINED_TYPES)
    best, order = draw_best(found, metric), found.order(metric)[: found.top]
    results = []
    for group in trained:
        counts = [int((groups[places] == group).sum()) for places in best]
        results.append({
            "table": table, "row": metric, "group": str(group), "top": found.top,
            "paper": PRINTED_RANKS[table][metric].count(group), "count": int((groups[order] == group).sum()),
            "ci95": [int(end) for end in np.percentile(counts, [2.5, 97.5])], "of": STUDENTS,
            "students": count_students(found, groups == group),
        })  # fmt: skip
    return results


def _add_control(trained: list[dict[str, Any]], untrained: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return results with the numbers of the same kind that an untrained league gives."""
    keys = ("count", "top", "mean", "ci95")
    return [
        {**one, "untrained": {key: other[key] for key in keys if key in other}}
        for one, other in zip(trained, untrained, strict=True)
    ]


def _cost(league: Any) -> list[dict[str, Any]]:
    """Return rounds, hands and time of each division; seconds are what the rounds took, side by side or not."""
    rows = league.store.rows(
        "SELECT d.name, d.kind, COUNT(*), SUM(o.hands), SUM(o.seconds) FROM outcomes o JOIN rounds r ON r.id = o.round "
        "JOIN divisions d ON d.id = r.division GROUP BY d.id ORDER BY d.id"
    )
    return [
        {"division": name, "kind": kind, "rounds": rounds, "hands": hands, "seconds": round(seconds, 1)}
        for name, kind, rounds, hands, seconds in rows
    ]
