"""The contract between a published paper and the rest of the project.

A paper's folder owns its agents, learners and experiments. `card-envs reproduce` and the documentation know papers only
through `Paper`. In a folder, `paper.toml` holds what is printed, the claims and the amounts of training (`printed`),
`paper` the `Paper` with its tables, verdicts and ways to measure claims (in `claims` if these need experiments), and
`reproduction` the experiments; none imports a later one.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from card_baselines.grid import Grid
from card_baselines.papers.claims import Claim, limit_verdict, render_claims
from card_baselines.run_folder import RunFolder, git_commit
from card_baselines.text_table import Columns, TextTable
from card_envs.damaged_files import explain_damage, read_json_object
from card_envs.files import replace_text
from card_envs.locations import load_object

Say = Callable[[str], None]
"""Function that reports progress to the user, one line at a time."""
REPORT_JSON, REPORT_MARKDOWN = "report.json", "report.md"
SCALE_JSON = "scale.json"
"""File in the folder of a reproduction that names its paper and its scale."""
_MEASURES = ("mean", "ci95", "count", "top", "seeds", "by_seed", "hands")
"""Keys of a result that say what was measured."""


@dataclass(frozen=True, kw_only=True)
class ReproductionOptions:
    """Options of `card-envs reproduce` that every paper has. A paper may add its own."""

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


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Amount of training and play. A paper's scales add their own numbers."""

    minutes: float
    """Processor minutes of all tables on one core."""
    basis: str = "measured"
    """Origin of `minutes`: "measured", or the measured part that they are extrapolated from."""
    length: float = 1.0
    """Training as a share of the paper's, see `claims.limit_verdict`; 0 where it only shows that the code works."""

    def settings(self) -> dict[str, Any]:
        """Return the numbers that decide what is trained and played."""
        known = {field.name for field in fields(Scale)}
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in known}

    def cost(self) -> str:
        """Return the cost in words."""
        return f"about {self.minutes:,.{0 if self.minutes >= 10 else 1}f} processor minutes, {self.basis}"


@dataclass(frozen=True)
class Report:
    """The results of a reproduction."""

    content: dict[str, Any]
    """All results as JSON: `paper`, `unit`, `results` and entries of the paper. `Paper` adds the verdicts."""
    notes: Sequence[str] = ()
    """Sentences below the tables."""
    heading: str = ""
    """A sentence above the tables."""
    tables: Sequence[TextTable] = ()
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


Options = TypeVar("Options", bound=ReproductionOptions)
AnyScale = TypeVar("AnyScale", bound=Scale)


class Reproduction(ABC, Generic[Options, AnyScale]):
    """The experiments of a paper at one scale, in one folder. Interrupted, they continue there."""

    def __init__(self, options: Options, scale: AnyScale, root: Path, say: Say) -> None:
        """Keep all runs and results in the folder `root`."""
        self.options, self.scale, self.root, self.say = options, scale, root, say
        self.seeds = range(options.seeds or getattr(scale, "seeds", 1))
        """Seeds of the runs of each learner."""
        self.grid = Grid(root / "grid.json", say)
        """Matches and other results that are computed once."""
        self._finished: set[Path] = set()

    def finish(self, folders: Sequence[Path], about: str, train: Callable[[], object]) -> None:
        """Call `train`, which finishes the training of some folders, once; `about` tells the user what it is."""
        if not self._finished.issuperset(folders):
            self.say(about)
            train()
            self._finished.update(folders)

    def finish_run(self, algorithm: Any, config: Any, name: str, amount: str, is_trained: bool = True) -> Path:
        """Return the folder of a training run, after training it, or what an interruption left of it.

        Args:
            algorithm: The `Algorithm` of the run.
            config: Its settings.
            name: Name of the folder below `root`.
            amount: How long it trains, for the user.
            is_trained: False for the untrained control, in a folder of its own.
        """
        from card_baselines.runs.run import train

        if not is_trained:
            config, name = self.disable_training(config), f"untrained-{name}"
        folder = self.root / name
        self.finish([folder], f"{name}: {amount}", lambda: train(algorithm, config, folder))
        return folder

    def disable_training(self, config: Any) -> Any:
        """Return settings of a run whose updates change its policy by no more than rounding errors: the control.

        By default those of self-play PPO.
        """
        return replace(config, minutes=0.0, steps=config.batch, learning_rate=(1e-12,))

    @abstractmethod
    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return a result for each number of a row, after training and playing what is missing.

        Each result has the key `table`, and the keys that the paper's `judge` and `layouts` read.
        """

    def play_table(self, table: int, rows: Sequence[str]) -> list[dict[str, Any]]:
        """Return the results of some rows of a table."""
        return [result for row in rows for result in self.play(table, row)]

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report of results, with further entries, notes and pictures of the paper.

        Args:
            content: What is known of every paper, `results` among it.
            tables: Numbers of the tables.
            rows: Names of the rows.
        """
        return Report(content)


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A published paper whose results are computed again. Importing one needs no PyTorch."""

    name: str
    title: str
    unit: str
    """Unit of the results."""
    tables: Mapping[int, str]
    """Number in the paper -> subject of the table."""
    rows: tuple[str, ...]
    scales: Mapping[str, Scale]
    """Name -> amount of training and play."""
    reproduction: str
    """ "module:Class" of the `Reproduction`, which is imported when it is needed."""
    layouts: Mapping[int, tuple[str, Columns]]
    """Number of a table -> its title in a report, and its columns, which are made from a result."""
    options: type[ReproductionOptions] = ReproductionOptions
    judge: Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], Mapping[str, Any]] | None = None
    """Function of a result and of all results that returns the `verdict` (see `claims`) and other entries."""
    claims: Callable[[Mapping[str, Any]], Sequence[Claim]] | None = None
    """Function that returns the claims of the text that the content of a report can measure."""

    def describe(self) -> str:
        """Return title, tables and scales as text."""
        lines = [f"{self.title}.", "", "Tables:", *(f"  {number}: {about}" for number, about in self.tables.items())]
        return "\n".join([*lines, "", "Scales:", *(f"  {name}: {scale.cost()}" for name, scale in self.scales.items())])

    def reproduce(self, options: ReproductionOptions, say: Say) -> tuple[Report, Path]:
        """Train what is missing, play, write and return the report.

        Args:
            options: Tables, rows, scale, seeds and folder; an object of `self.options`.
            say: Receives the expected cost and then progress, one line at a time.

        Returns:
            The report, and the folder that holds all runs and results.

        Raises:
            ValueError: A table, row, scale or number of seeds does not exist, or the folder holds results of another
                paper or scale.
        """
        self._require_known(options)
        root, scale = Path(options.folder or f"runs/reproduce/{self.name}-{options.scale}"), self.scales[options.scale]
        reproduction: Reproduction[Any, Any] = load_object(self.reproduction)(options, scale, root, say)
        self._require_same_scale(options.scale, root)
        say(f"{self.name} at the scale {options.scale}, all tables: {scale.cost()}; results are kept in {root}")
        tables, rows = options.table or tuple(self.tables), options.rows or self.rows
        results = [result for table in tables for result in reproduction.play_table(table, rows)]
        if not results:
            raise ValueError(f"tables {list(tables)} have no rows {list(rows)}: choose others of {list(self.rows)}")
        chosen = " ".join(map(str, tables))
        content: dict[str, Any] = {
            "paper": self.name, "unit": self.unit, "tables": list(tables), "scale": scale.settings(),
            "command": f"card-envs reproduce {self.name} --scale {options.scale} --table {chosen}",
            "commit": git_commit(), "results": results,
        }  # fmt: skip
        report = reproduction.make_report(content, tables, rows)
        content = self.add_verdicts(report.content, scale.length)
        rendered = [table for number in tables if (table := self.render_table(content, number)).rows]
        if content.get("claims"):
            rendered.append(render_claims(content["claims"]))
        report = replace(report, content=content, tables=rendered)
        report.write(root)
        return report, root

    def add_verdicts(self, content: Mapping[str, Any], length: float = 1.0) -> dict[str, Any]:
        """Return the content of a report with a verdict for each result, and with the claims of the text.

        Args:
            content: The content, with or without verdicts of an earlier rule.
            length: `Scale.length` of the results.
        """
        results = content["results"]
        if self.judge is not None:
            results = [{**result, **self.judge(result, results)} for result in results]
        results = [_limit_verdicts(result, length) for result in results]
        if self.claims is None:
            return {**content, "results": results}
        measured = self.claims({**content, "results": results})
        return {**content, "results": results, "claims": [claim.to_json(length) for claim in measured]}

    def render_table(self, content: Mapping[str, Any], number: int) -> TextTable:
        """Return a table from the content of a report, without rows if the report has none of its results."""
        title, columns = self.layouts[number]
        return TextTable.from_columns(title, columns, [each for each in content["results"] if each["table"] == number])

    def _require_known(self, options: ReproductionOptions) -> None:
        if unknown := [number for number in options.table if number not in self.tables]:
            raise ValueError(f"{self.name} has no table {unknown[0]}: choose among {list(self.tables)}")
        if unknown_rows := [row for row in options.rows if row not in self.rows]:
            raise ValueError(f"{self.name} has no row {unknown_rows[0]!r}: choose among {list(self.rows)}")
        if options.scale not in self.scales:
            raise ValueError(f"{self.name} has no scale {options.scale!r}: choose one of {list(self.scales)}")
        if options.seeds < 0:
            raise ValueError(f"seeds {options.seeds} must be at least 1, or 0 for as many as the scale has")

    def _require_same_scale(self, name: str, root: Path) -> None:
        """Write paper and scale into a new folder; raise ValueError if the folder holds results of others.

        More seeds belong to the same scale: each seed has results of its own.
        """
        scale = {"paper": self.name, "scale": name, "settings": self.scales[name].settings()}
        path = root / SCALE_JSON
        if not path.exists():
            root.mkdir(parents=True, exist_ok=True)
            RunFolder(root).write_json(SCALE_JSON, scale)
        elif _without_seeds(before := read_json_object(path)) != _without_seeds(json.loads(json.dumps(scale))):
            with explain_damage(path):
                held = f"{before['paper']} at the scale {before['scale']} with the settings {before['settings']}"
            raise ValueError(
                f"{root} holds results of {held}, not of {self.name} at the scale {name}: choose another folder"
            )


def _without_seeds(scale: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a folder says of its scale, without the number of seeds."""
    settings = scale.get("settings")
    kept = {key: value for key, value in settings.items() if key != "seeds"} if isinstance(settings, dict) else settings
    return {**scale, "settings": kept}


def add_control(result: Mapping[str, Any], control: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a result with what was measured of untrained players, under the key `untrained`; None for no control."""
    measured = None if control is None else {key: control[key] for key in _MEASURES if key in control}
    return {**result, "untrained": measured}


def _limit_verdicts(result: Mapping[str, Any], length: float) -> dict[str, Any]:
    """Return a result with its verdicts for a training of `length` times the paper's."""
    return {key: limit_verdict(value, length) if key.startswith("verdict") else value for key, value in result.items()}
