"""The contract between a published paper and the rest of the project.

A paper's folder owns its networks, learner, training and tables. `card-envs reproduce` and the documentation know
papers only through `Paper`. Inside a folder, `tables` holds the printed numbers, `scales` the amounts of training,
`judge` the verdicts, `rendering` the tables of a report, `reproduction` the experiments and `paper` the `Paper`; none
imports a later one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from card_baselines.papers.cells import PrintedTable, results_of_table
from card_baselines.papers.verdicts import TOO_LITTLE_TRAINING
from card_baselines.run_folder import RunFolder
from card_envs.files import replace_text

Say = Callable[[str], None]
"""Reports progress to the user, one line at a time."""
REPORT_JSON, REPORT_MARKDOWN = "report.json", "report.md"


@dataclass(frozen=True, kw_only=True)
class ReproductionOptions:
    """Options of `card-envs reproduce` that every paper has. A paper adds its own and names its scales."""

    table: tuple[int, ...] = ()
    """Tables of the paper; all if none is named."""
    rows: tuple[str, ...] = ()
    """Rows of the tables, such as algorithms; all if none is named."""
    scale: str = "tiny"
    """Amount of training and play."""
    seeds: int = 0
    """Runs of each learner; 0 for as many as the scale has."""
    folder: str = ""
    """Folder of runs and results; an interrupted reproduction continues there."""
    json: bool = False
    """Print JSON."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Amount of training and play. A paper's scales add their own numbers."""

    minutes: float = math.nan
    """Processor minutes of all tables on one core, measured or from measured rates; NaN where nobody has measured."""
    is_judged: bool = True
    """False where too little is trained for verdicts."""

    def settings(self) -> dict[str, Any]:
        """Return the numbers that decide what is trained and played."""
        known = {field.name for field in fields(Scale)}
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in known}

    def cost(self) -> str:
        """Return the cost in words."""
        return "not measured" if math.isnan(self.minutes) else f"about {self.minutes:,.3g} processor minutes"


@dataclass(frozen=True)
class Report:
    """The results of a reproduction."""

    content: Mapping[str, Any]
    """All results as JSON can hold them: `paper`, `unit`, `results` and their cost. `Paper` adds the verdicts."""
    notes: Sequence[str] = ()
    """Sentences that belong below the tables."""
    heading: str = ""
    """A sentence above the tables."""
    tables: Sequence[PrintedTable] = ()
    """The results as tables. `Paper` renders them."""

    def markdown(self) -> str:
        """Return the report as a Markdown text."""
        parts = [self.heading] if self.heading else []
        for table in self.tables:
            parts += [table.title, table.markdown()]
        return "\n\n".join([*parts, *self.notes]) + "\n"

    def write(self, folder: Path) -> None:
        """Write the report into a folder, as JSON and as Markdown; the folder is made if there is none."""
        folder.mkdir(parents=True, exist_ok=True)
        RunFolder(folder).write_json(REPORT_JSON, self.content)
        replace_text(folder / REPORT_MARKDOWN, self.markdown())


class Reproduction(Protocol):
    """The experiments of a paper at one scale, in one folder; interrupted, they continue there."""

    def train(self, row: str, seed: int) -> Path:
        """Return the run folder of a row's learner, after training what is missing."""
        ...

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, after training and playing what is missing."""
        ...

    def report(self, tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the results of some of the tables and rows."""
        ...


Options = TypeVar("Options", bound=ReproductionOptions)


@dataclass(frozen=True)
class Paper(Generic[Options]):
    """A published paper whose results are computed again. Importing one needs no PyTorch; `begin` does."""

    name: str
    title: str
    tables: Mapping[int, str]
    """Number in the paper -> subject of the table."""
    rows: tuple[str, ...]
    scales: Mapping[str, Scale]
    """Name -> amount of training and play."""
    options: type[Options]
    begin: Callable[[Options, Path, Say], Reproduction]
    """Makes the experiments from options, a folder and a function that reports progress."""
    render_table: Callable[[Mapping[str, Any], int], PrintedTable]
    """(content of a report, number of a table) -> the table."""
    render_cost: Callable[[Mapping[str, Any]], PrintedTable] | None = None
    """Content of a stored report -> cost of its runs, as a table of the documentation."""
    judge: Callable[[Sequence[Mapping[str, Any]]], list[dict[str, Any]]] | None = None
    """Results of a report -> the same results with a `verdict` each (see `verdicts`); None for a paper without any."""

    def reproduce(self, options: Options, say: Say) -> tuple[Report, Path]:
        """Train what is missing, play, write and return the report.

        Args:
            options: Tables, rows, scale, seeds and folder.
            say: Receives the expected cost and then progress, one line at a time.

        Returns:
            The report, and the folder that holds all runs and results.

        Raises:
            ValueError: For a table, row, scale or number of seeds that does not exist.
        """
        self._require_known(options)
        root, scale = Path(options.folder or f"runs/reproduce/{self.name}-{options.scale}"), self.scales[options.scale]
        reproduction = self.begin(options, root, say)
        say(f"{self.name} at the scale {options.scale}, all tables: {scale.cost()}; results are kept in {root}")
        tables = options.table or tuple(self.tables)
        found = reproduction.report(tables, options.rows or self.rows)
        content = self.add_verdicts(found.content, scale.is_judged)
        rendered = [self.render_table(content, number) for number in tables if results_of_table(content, number)]
        report = replace(found, content=content, tables=rendered)
        report.write(root)
        return report, root

    def add_verdicts(self, content: Mapping[str, Any], is_judged: bool = True) -> dict[str, Any]:
        """Return the content of a report with a verdict for each result.

        Args:
            content: The content, with or without verdicts of an earlier rule.
            is_judged: False for results of a scale that trains too little for verdicts.
        """
        results = content["results"] if self.judge is None else self.judge(content["results"])
        if not is_judged:
            results = [_without_verdicts(result) for result in results]
        return {**content, "results": results}

    def _require_known(self, options: Options) -> None:
        if unknown := [number for number in options.table if number not in self.tables]:
            raise ValueError(f"{self.name} has no table {unknown[0]}: choose among {list(self.tables)}")
        if unknown_rows := [row for row in options.rows if row not in self.rows]:
            raise ValueError(f"{self.name} has no row {unknown_rows[0]!r}: choose among {list(self.rows)}")
        if options.scale not in self.scales:
            raise ValueError(f"{self.name} has no scale {options.scale!r}: choose one of {list(self.scales)}")
        if options.seeds < 0:
            raise ValueError(f"seeds {options.seeds} must be at least 1, or 0 for as many as the scale has")


def _without_verdicts(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result whose verdicts, other than empty ones, say that too little was trained."""
    return {key: TOO_LITTLE_TRAINING if key.startswith("verdict") and value else value for key, value in result.items()}
