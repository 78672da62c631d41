"""Callbacks of `card-envs match`, and the reports that they add to the result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from card_baselines.cli import console
from card_baselines.progress import ProgressBar
from card_envs.agent import Agent
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.formatting import json_number
from card_envs.history import MatchFile
from card_envs.match import MatchBatch, MatchCallback, MatchResult
from card_envs.statistics import PlayCounter, statistics_json
from card_envs.typing import Rows


@dataclass(frozen=True)
class MatchObservers:
    """The optional callbacks of a match."""

    controls: ControlVariates | None = None
    counter: PlayCounter | None = None
    file: MatchFile | None = None

    @property
    def callbacks(self) -> list[MatchCallback]:
        """Those callbacks that are wanted."""
        return [each for each in (self.controls, self.counter, self.file) if each is not None]

    def as_json(self, result: MatchResult) -> dict[str, Any]:
        """Return the reports of the callbacks for JSON."""
        report: dict[str, Any] = {}
        if self.controls is not None:
            report["control_variates"] = [
                {
                    "name": agent.summary.name,
                    "mean": agent.summary.mean,
                    "ci95": [json_number(bound) for bound in agent.summary.ci95],
                    "sd_of_sample": json_number(agent.summary.sd),
                    "hands_factor": json_number(agent.hands_factor),
                    "exact": agent.is_exact,
                }
                for agent in self.controls.adjust(result)
            ]
        if self.counter is not None:
            statistics = zip(result.names, self.counter.compute_statistics(), strict=True)
            report["statistics"] = [{"name": name, **statistics_json(each)} for name, each in statistics]
        return report

    def print_tables(self, result: MatchResult) -> None:
        """Print the reports of the callbacks."""
        if self.controls is not None:
            console.print_adjusted(self.controls.adjust(result), result)
        if self.counter is not None:
            console.print_statistics(result.names, self.counter.compute_statistics())
        if self.file is not None:
            print(f"saved {self.file.num_hands:,} hands in {self.file.path}")


class MatchProgress(MatchCallback):
    """Match callback that moves a progress bar, batch by batch or hand by hand, and measures the speed."""

    def __init__(self, bar: ProgressBar) -> None:
        self._bar, self._ended = bar, 0
        self._marks = [(0, time.perf_counter())]
        self.callbacks: list[MatchCallback] = [self] if bar.is_shown else []

    def advance(self, hands: int) -> None:
        """Add finished hands."""
        done = self._marks[-1][0] + hands
        self._marks.append((done, time.perf_counter()))
        self._bar.update(done)

    def on_deal(self, batch: MatchBatch) -> None:
        """Do nothing: the bar shows finished hands."""

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Show the finished hands: those at whose tables nobody acts any more."""
        self._bar.update(self._ended + len(batch.tables) - len(rows))

    def on_end(self, batch: MatchBatch) -> None:
        """Count the hands of the batch."""
        self._ended += len(batch.tables)

    @property
    def hands_per_second(self) -> float:
        """Speed without the first batch, which may compile kernels, if there are others."""
        (hands_before, start), (hands, end) = self._marks[1 if len(self._marks) > 2 else 0], self._marks[-1]
        return (hands - hands_before) / (end - start)


def print_defaults(agents: Sequence[Agent]) -> None:
    """Print in how many decisions language models gave no answer that names a legal action."""
    for agent in {id(agent): agent for agent in agents}.values():
        if count := getattr(agent, "num_defaults", 0):
            print(f"{agent.name}: {count:,} decisions without an answer that names a legal action: check or fold")
