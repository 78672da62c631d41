"""What papers print, and amounts of training: the file `paper.toml` in the folder of a paper.

It holds `title`, `unit`, `rows` and the tables

* `[tables]`: number of a table -> its subject;
* `[printed.N]`: row of table N -> its opponents -> printed gain per hand;
* `[claims.NAME]`: fields of `Claim`; `printed` and `margin` in place of `low` and `high` for a printed number;
* `[scales.NAME]`: fields of the paper's `Scale`.

Other entries belong to the paper alone and are in `PaperFile.others`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from card_baselines.papers.claims import Claim, Printed

AnyScale = TypeVar("AnyScale")


@dataclass(frozen=True)
class Cell:
    """A printed number: what the player `row` wins per hand from `opponent`."""

    table: int
    row: str
    opponent: str
    paper: float


@dataclass(frozen=True, kw_only=True)
class PaperFile:
    """The content of a `paper.toml`."""

    title: str
    unit: str
    tables: Mapping[int, str]
    rows: tuple[str, ...]
    cells: tuple[Cell, ...]
    claims: Mapping[str, Claim]
    scales: Mapping[str, Mapping[str, Any]]
    others: Mapping[str, Any]

    def about(self) -> dict[str, Any]:
        """Return the arguments of `Paper` that the file holds."""
        return {"title": self.title, "unit": self.unit, "tables": self.tables, "rows": self.rows}

    def make_scales(self, kind: type[AnyScale]) -> dict[str, AnyScale]:
        """Return the scales by name; TypeError if an entry is no field of `kind`, or one is missing."""
        return {name: kind(**settings) for name, settings in self.scales.items()}

    def find_cells(self, table: int, row: str) -> list[Cell]:
        """Return the printed numbers of a row."""
        return [cell for cell in self.cells if (cell.table, cell.row) == (table, row)]


def read_paper(module: str) -> PaperFile:
    """Return the content of `paper.toml` in the folder of a module, which passes its `__file__`."""
    content = _freeze(tomllib.loads(Path(module).with_name("paper.toml").read_text(encoding="utf-8")))
    printed, claims = content.pop("printed", {}), content.pop("claims", {})
    return PaperFile(
        title=content.pop("title"),
        unit=content.pop("unit"),
        tables={int(number): about for number, about in content.pop("tables").items()},
        rows=content.pop("rows"),
        cells=tuple(
            Cell(int(table), row, opponent, paper)
            for table, rows in printed.items()
            for row, gains in rows.items()
            for opponent, paper in gains.items()
        ),
        claims={name: _make_claim(name, settings) for name, settings in claims.items()},
        scales=content.pop("scales"),
        others=content,
    )


def _freeze(content: Any) -> Any:
    """Return the content with tuples in place of lists, as settings hold them."""
    if isinstance(content, dict):
        return {key: _freeze(value) for key, value in content.items()}
    return tuple(_freeze(each) for each in content) if isinstance(content, list) else content


def _make_claim(name: str, settings: dict[str, Any]) -> Claim:
    if "printed" in settings:
        value = settings.pop("printed")
        margin = settings.pop("margin", None)
        settings["printed"] = Printed.gain(value) if margin is None else Printed(value, margin)
    return Claim(**{"claim": name, **settings})
