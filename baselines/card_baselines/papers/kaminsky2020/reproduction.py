"""The league of Kaminsky and Liebendörfer (2020) at one scale, in one folder, and what it shows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.league.pools import LostRound, Pool, Processes
from card_baselines.league.rounds import RoundOutcome
from card_baselines.papers.cells import NORMAL_95
from card_baselines.papers.kaminsky2020.claims import claims
from card_baselines.papers.kaminsky2020.figures import draw_figures
from card_baselines.papers.kaminsky2020.findings import Findings, find
from card_baselines.papers.kaminsky2020.population import evaluate, open_league, train
from card_baselines.papers.kaminsky2020.rendering import render_table
from card_baselines.papers.kaminsky2020.scales import Scale
from card_baselines.papers.kaminsky2020.tables import (
    CLAIMS_TABLE,
    LEADERS_TABLE,
    PAPER_TOP,
    ROWS,
    TRAINED_TYPES,
    TRAINING,
    TYPES_TABLE,
)
from card_baselines.papers.protocol import Report, Say
from card_baselines.run_folder import git_commit

_LEADERS = 10
_TOP_OF_PAPER = 20
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
        self._root.mkdir(parents=True, exist_ok=True)
        with open_league(self._root / "league", self._scale) as league:
            train(league, self._scale, self._pool(), self._report_round)
        return self._root / "league"

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
        folder = self.train(ROWS[0], 0)
        with open_league(folder, self._scale) as league:
            evaluate(league, self._scale, self._pool(), self._report_round)
            self._cost = _cost(league)
            self._commit = str(league.meta["commit"])
            return find(league, self._root, self._scale.style_hands, lambda name: self._say(f"style of {name}"))

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the results of a table by one metric; the claims (table 5) are about all metrics and come once."""
        found = self._found
        if table == CLAIMS_TABLE:
            return [claim.as_result(table) for claim in claims(found)] if row == ROWS[0] else []
        if table == LEADERS_TABLE:
            return [_leader(found, row, rank, place) for rank, place in enumerate(found.order(row)[:_LEADERS], 1)]
        groups = found.types if table == TYPES_TABLE else found.divisions
        return _among_the_best(found, table, row, groups)

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
            "league_commit": self._commit, "unit": "big blinds per hand", "scale": vars(self._scale),
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
        return Report(content, [render_table(content, number) for number in tables], notes)

    def _command(self, tables: Sequence[int]) -> str:
        return f"card-envs reproduce kaminsky2020 --scale {self._name} --table {' '.join(map(str, tables))}"


def _leader(found: Findings, metric: str, rank: int, place: int) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for name in ROWS:
        scores[name] = float(found.scores[name][place])
        scores[f"{name}_reach"] = float(NORMAL_95 * found.draws[name][:, place].std())
    return {
        "table": LEADERS_TABLE, "row": metric, "rank": rank, "agent": found.names[place], "type": found.types[place],
        **scores, "verdict": "",
    }  # fmt: skip


def _among_the_best(found: Findings, table: int, metric: str, groups: Sequence[str]) -> list[dict[str, Any]]:
    """Return how many of the best agents by a metric belong to each group, and how many chance could have given.

    The verdict compares shares: "agrees" if the paper's lies within our interval.
    """
    top, paper = found.top, PAPER_TOP[table][metric]
    trained = dict.fromkeys(groups[i] for i, kind in enumerate(found.types) if kind in TRAINED_TYPES)
    results = []
    for group in trained:
        mine = np.array([each == group for each in groups])
        counts = [int(mine[np.argsort(-draw)[:top]].sum()) for draw in found.draws[metric]]
        low, high = (int(end) for end in np.percentile(counts, [2.5, 97.5]))
        printed = paper.get(group, 0)
        expected = printed / _TOP_OF_PAPER * top
        verdict = "agrees" if low - 0.5 <= expected <= high + 0.5 else "differs"
        results.append({
            "table": table, "row": metric, "group": group, "paper": printed, "top": top,
            "count": int(mine[found.order(metric)[:top]].sum()), "ci95": [low, high], "verdict": verdict,
        })  # fmt: skip
    return results


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
