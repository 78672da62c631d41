"""What the package of a published paper offers: the tables it printed, and how they are computed again.

A paper's folder owns its networks, learner, training and tables. `card-envs reproduce` and the documentation know
papers only through `Paper`; a paper is added with one folder and one line in `card_baselines.papers`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from card_baselines.run_folder import RunFolder
from card_envs.files import replace_file
from card_envs.formatting import markdown_table

Say = Callable[[str], None]
"""Tells the user what is going on, one line at a time."""
REPORT_JSON, REPORT_MARKDOWN = "report.json", "report.md"


@dataclass(frozen=True, kw_only=True)
class ReproductionOptions:
    """Options that `card-envs reproduce` has for every paper. A paper adds its own, and names its scales, below."""

    table: tuple[int, ...] = ()
    """Tables of the paper; all if none is named."""
    rows: tuple[str, ...] = ()
    """Rows of the tables, such as algorithms; all if none is named."""
    scale: str = "tiny"
    """How much is trained and played."""
    seeds: int = 0
    """Runs of each learner; 0 for as many as the scale has."""
    folder: str = ""
    """Where runs and results are kept, and found again after an interruption."""
    json: bool = False
    """Print JSON."""


@dataclass(frozen=True)
class PrintedTable:
    """A table as people read it, on a terminal or in Markdown."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return the lines of a Markdown table, without the title."""
        return markdown_table(self.header, self.rows)


@dataclass(frozen=True)
class Report:
    """What a reproduction found."""

    content: Mapping[str, Any]
    """Everything, as JSON can hold it: `paper`, `unit`, `results` with a `verdict` each, and what it cost."""
    tables: Sequence[PrintedTable]
    notes: Sequence[str]
    """Sentences that belong below the tables."""
    heading: str = ""
    """What the numbers are, above the tables."""

    def markdown(self) -> str:
        """Return the report as a Markdown text."""
        parts = [self.heading] if self.heading else []
        for table in self.tables:
            parts += [table.title, table.markdown()]
        return "\n\n".join([*parts, *self.notes]) + "\n"

    def write(self, folder: Path) -> None:
        """Write the report into a folder, as JSON and as Markdown; the folder is made if there is none."""
        folder.mkdir(parents=True, exist_ok=True)
        run = RunFolder(folder)
        run.write_json(REPORT_JSON, self.content)
        with replace_file(run.path / REPORT_MARKDOWN) as temporary:
            temporary.write_text(self.markdown())


class Reproduction(Protocol):
    """The experiments of a paper at one scale, in one folder; interrupted, they continue there."""

    def train(self, row: str, seed: int) -> Path:
        """Return the run folder of a row's learner, after training what is missing."""
        ...

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result with a verdict for each number of a row, after training and playing what is missing."""
        ...

    def report(self, tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return everything about some of the tables and rows."""
        ...


Options = TypeVar("Options", bound=ReproductionOptions)


@dataclass(frozen=True)
class Paper(Generic[Options]):
    """A published paper whose results are computed again. Importing one needs no PyTorch; beginning does."""

    name: str
    title: str
    tables: Mapping[int, str]
    """Number in the paper -> what the table shows."""
    rows: tuple[str, ...]
    scales: Mapping[str, Any]
    """Name -> how much is trained and played."""
    options: type[Options]
    begin: Callable[[Options, Path, Say], Reproduction]
    """Options, folder, voice -> the experiments."""
    docs_table: Callable[[Mapping[str, Any], int], PrintedTable] | None = None
    """Content of a stored report, number of a table -> the table as the documentation shows it."""
    docs_cost: Callable[[Mapping[str, Any]], PrintedTable] | None = None
    """Content of a stored report -> what its runs cost, as the documentation shows it."""

    def reproduce(self, options: Options, say: Say) -> tuple[Report, Path]:
        """Train what is missing, play, write and return the report, and the folder that holds everything.

        Raises ValueError for a table, row, scale or number of seeds that there is not.
        """
        self._require_known(options)
        root = Path(options.folder or f"runs/reproduce/{self.name}-{options.scale}")
        reproduction = self.begin(options, root, say)
        report = reproduction.report(options.table or tuple(self.tables), options.rows or self.rows)
        report.write(root)
        return report, root

    def _require_known(self, options: Options) -> None:
        if unknown := [number for number in options.table if number not in self.tables]:
            raise ValueError(f"{self.name} has no table {unknown[0]}: choose among {list(self.tables)}")
        if unknown_rows := [row for row in options.rows if row not in self.rows]:
            raise ValueError(f"{self.name} has no row {unknown_rows[0]!r}: choose among {list(self.rows)}")
        if options.scale not in self.scales:
            raise ValueError(f"{self.name} has no scale {options.scale!r}: choose one of {list(self.scales)}")
        if options.seeds < 0:
            raise ValueError(f"seeds {options.seeds} must be at least 1, or 0 for as many as the scale has")


def verdict(paper: float, noise: float, mean: float, ci95: Sequence[float]) -> str:
    """Return "agrees", "differs" or "undecided", and whether the signs do.

    `noise` is half the 95 % interval that the paper's own hands leave around its number. They differ if the interval
    of the difference excludes zero; they agree if it does not and our sign is decided.
    """
    half = (ci95[1] - ci95[0]) / 2
    if not math.isfinite(half):
        return "undecided"
    is_decided = ci95[0] > 0 or ci95[1] < 0
    sign = "" if not is_decided else ", same sign" if mean * paper > 0 else ", other sign"
    if abs(mean - paper) > math.hypot(half, noise):
        return "differs" + sign
    return "agrees" + sign if is_decided else "undecided"


class KeptResults:
    """Results under names, in a file of a folder: what is there is not computed again."""

    def __init__(self, root: Path, name: str) -> None:
        """Read what an earlier call has kept in `root`."""
        self._root, self._name = root, name
        path = root / name
        self._results: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, key: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the result of that name; compute and keep it if there is none."""
        if key not in self._results:
            self._results[key] = compute()
            self._root.mkdir(parents=True, exist_ok=True)
            RunFolder(self._root).write_json(self._name, self._results)
        found: dict[str, Any] = self._results[key]
        return found
