"""Results of matches as commands print them, and the callbacks of `card-envs match` with their reports."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.cli.console import print_report
from card_baselines.progress import ProgressBar
from card_baselines.text_table import TextTable
from card_envs.agent import Agent
from card_envs.analysis.variance.control_variates import AdjustedResult, ControlVariates
from card_envs.formatting import format_interval, json_number
from card_envs.game import Game
from card_envs.history import MatchFile
from card_envs.match import MatchBatch, MatchCallback, MatchResult, Summary
from card_envs.match.result import units_of
from card_envs.statistics import PlayCounter, Statistic, statistics_json
from card_envs.typing import Rows


def describe_match(title: str, result: MatchResult, hands_per_second: float) -> Iterator[TextTable | str]:
    """Yield the means with 95 % intervals in all units, by position and between agents, and the speed."""
    yield results_table(title, [(agent.name, agent) for agent in result.agents], result.units)
    if result.hands_needed is not None:
        other = "" if result.duplicate else ", or duplicate deals (--duplicate)"
        yield (
            f"no intervals: at {len(result.names)} seats a few large results decide {result.hands:,} hands; take "
            f"{result.hands_needed:,} hands or more{other}"
        )
    unit, factor = next(iter(result.units.items()))
    rows = [
        [name, *(format_scaled_interval(position.mean, position.ci95, factor) for position in positions)]
        for name, positions in zip(result.names, result.by_position, strict=True)
        if len(positions) == len(result.position_names)
    ]
    if rows:
        yield TextTable(f"by position, {unit}", ["agent", *result.position_names], rows)
    if len(result.names) > 2:
        flows = [[name, *(_format_number(flow * factor, factor) for flow in row)]
                 for name, row in zip(result.names, result.cashflow.tolist(), strict=True)]  # fmt: skip
        yield TextTable(f"who pays whom, {unit}", ["pays ... to", *result.names], flows)
    for fault in result.faults:
        yield f"{fault.agent} failed in {fault.decisions:,} decisions, which were forfeited; the first: {fault.first}"
    if result.until is not None:
        yield f"{'decided' if result.is_decided else 'not decided'} (intervals hold whenever the match is stopped)"
    yield f"{result.hands:,} hands, {result.deals:,} deals, seed {result.seed}, {hands_per_second:,.0f} hands/s"


def results_table(title: str, rows: Iterable[tuple[str, Summary]], units: Mapping[str, float]) -> TextTable:
    """Return a table of named means with 95 % intervals, in all units."""
    return TextTable(
        title, ["agent", *_name_units(units)], [[name, *_format_units(each, units)] for name, each in rows]
    )


def print_winnings(game: Game, summary: Summary, chips: NDArray[np.int64], where: str, as_json: bool) -> None:
    """Print what an agent won in hands that were dealt elsewhere.

    Args:
        game: The game.
        summary: Mean and interval, in its unit per hand.
        chips: (hands,) chips won in each hand.
        where: Dealer or opponent, such as "at localhost:18791".
        as_json: Whether to print JSON.
    """
    content = {"agent": summary.name, "hands": len(chips), "chips": int(chips.sum()), **summary.as_json()}
    table = results_table(f"{len(chips):,} hands {where}", [(summary.name, summary)], units_of(game))
    print_report(content, [table], as_json)


def adjusted_table(agents: Iterable[AdjustedResult], result: MatchResult) -> TextTable:
    """Return results adjusted by control variates, and the number of plain hands with the same interval."""
    rows = [
        [agent.summary.name, *_format_adjusted(agent, result.units), _format_hands(agent.hands_factor * result.hands)]
        for agent in agents
    ]
    header = ["agent", *_name_units(result.units), "worth plain hands"]
    return TextTable("control variates: variance-reduced", header, rows)


def _format_adjusted(agent: AdjustedResult, units: Mapping[str, float]) -> list[str]:
    if agent.is_exact:
        return [f"{_format_number(agent.summary.mean * factor, factor)} exact" for factor in units.values()]
    return _format_units(agent.summary, units)


def statistics_table(names: Sequence[str], statistics: Sequence[Sequence[Statistic]]) -> TextTable:
    """Return the play statistics of agents, one row each."""
    rows = [[name, *map(_format_statistic, row)] for name, row in zip(names, statistics, strict=True)]
    return TextTable("how they play", ["agent", *(statistic.name for statistic in statistics[0])], rows)


def _format_statistic(statistic: Statistic) -> str:
    if statistic.value is None:
        return "-"
    return f"{statistic.value:.1%}" if statistic.ci95 else f"{statistic.value:.2f}"


def _format_hands(hands: float) -> str:
    return f"{hands:,.0f}" if math.isfinite(hands) else "any number"


def _name_units(units: Mapping[str, float]) -> list[str]:
    return [f"{unit} (± 95 %)" for unit in units]


def _format_units(summary: Summary, units: Mapping[str, float]) -> list[str]:
    return [format_scaled_interval(summary.mean, summary.ci95, factor) for factor in units.values()]


def format_scaled_interval(mean: float, ci95: Sequence[float | None], factor: float) -> str:
    """Return a mean with its interval, multiplied by the factor of a unit (see `units_of`)."""
    scaled = [None if bound is None else bound * factor for bound in ci95]
    return format_interval(mean * factor, scaled, _digits(factor))


def _format_number(number: float, factor: float) -> str:
    return f"{number:+,.{_digits(factor)}f}"


def _digits(factor: float) -> int:
    """Return the number of digits that shows ten-thousandths of the game's own unit."""
    return max(0, 4 - round(math.log10(factor)))


@dataclass(frozen=True)
class MatchObservers:
    """The optional callbacks of a match."""

    controls: ControlVariates | None = None
    counter: PlayCounter | None = None
    file: MatchFile | None = None

    @property
    def callbacks(self) -> list[MatchCallback]:
        """Callbacks of the match that the options ask for."""
        return [each for each in (self.controls, self.counter, self.file) if each is not None]

    def as_json(self, result: MatchResult) -> dict[str, Any]:
        """Return the reports of the callbacks for JSON."""
        report: dict[str, Any] = {}
        if self.controls is not None:
            report["control_variates"] = [
                {
                    "name": agent.summary.name,
                    **agent.summary.as_json(),
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

    def describe(self, result: MatchResult) -> Iterator[TextTable | str]:
        """Yield the reports of the callbacks."""
        if self.controls is not None:
            yield adjusted_table(self.controls.adjust(result), result)
        if self.counter is not None:
            yield statistics_table(result.names, self.counter.compute_statistics())
        if self.file is not None:
            yield f"saved {self.file.num_hands:,} hands in {self.file.path}"


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


def describe_defaults(agents: Sequence[Agent]) -> Iterator[str]:
    """Yield in how many decisions language models gave no answer that names a legal action."""
    for agent in {id(agent): agent for agent in agents}.values():
        if count := getattr(agent, "num_defaults", 0):
            yield f"{agent.name}: {count:,} decisions without an answer that names a legal action: check or fold"
