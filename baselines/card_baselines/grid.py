"""Grids of results: each cell is computed once, and stored in a JSON file with what made it.

A cell is named by its settings, for example `{"player": "ppo", "rival": "random", "seed": 3}`. The file is written anew
after each cell, so that an interrupted grid continues with the first cell that is missing.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from card_baselines.run_folder import git_commit
from card_envs.damaged_files import explain_damage
from card_envs.files import replace_text

Settings = Mapping[str, Any]
"""Settings of a cell by name, as JSON."""


@dataclass(frozen=True)
class Cell:
    """The result of a cell, and what made it."""

    settings: Settings
    result: Any
    """Result as JSON."""
    seconds: float | None
    """Processor time, where it is known."""
    commit: str

    def to_json(self) -> dict[str, Any]:
        """Return the cell as a JSON object."""
        return {
            "settings": dict(self.settings), "result": self.result, "seconds": self.seconds, "commit": self.commit
        }  # fmt: skip


@dataclass(frozen=True)
class FileLayout:
    """The arrangement of cells in a JSON file."""

    read: Callable[[Any], Iterable[Cell]]
    """Function that returns the cells of a file's content."""
    write: Callable[[Sequence[Cell]], Any]
    """Function that returns the content."""
    indent: int | None = 1


def _read_list(content: Any) -> Iterator[Cell]:
    for each in content:
        yield Cell(each["settings"], each["result"], each["seconds"], each["commit"])


LIST = FileLayout(_read_list, lambda cells: [cell.to_json() for cell in cells])
"""A list of cells."""
LINE = replace(LIST, indent=None)
"""A list of cells in one line, for results of many numbers."""


class Grid:
    """Results of cells, stored in a file."""

    def __init__(self, path: Path | None, say: Callable[[str], None] = print, layout: FileLayout = LIST) -> None:
        """Read the cells that an earlier call stored.

        Args:
            path: The JSON file, which is made with the first result; None to store nothing.
            say: Receives progress and the expected time, one line at a time.
            layout: Arrangement of the cells in the file.

        Raises:
            DamagedFileError: The file holds something else.
        """
        self._path, self._say, self._layout = path, say, layout
        self._cells = self._read()

    @property
    def cells(self) -> list[Cell]:
        """All cells, in the order in which they were stored."""
        return list(self._cells.values())

    def __contains__(self, settings: Settings) -> bool:
        """Return True if the result of the cell is stored."""
        return _name_cell(settings) in self._cells

    def get(self, settings: Settings, compute: Callable[[], Any]) -> Any:
        """Return the result of a cell; compute and store it, as JSON, if there is none."""
        if settings not in self:
            self.require_writable()
            start = time.process_time()
            result = compute()
            self.store(settings, result, round(time.process_time() - start, 1))
        return self._cells[_name_cell(settings)].result

    def require_writable(self) -> None:
        """Raise OSError, naming the folder of the file, if it cannot be written: results can take hours."""
        if self._path is not None:
            folder = self._path.parent
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))

    def fill(self, cells: Sequence[Settings], compute: Callable[[Settings], Any]) -> list[Any]:
        """Return the results of several cells of about the same cost, after computing those that are missing."""
        results: list[Any] = []
        for settings in cells:
            missing = [each for each in cells[len(results) :] if each not in self]
            done = [self._cells[_name_cell(each)].seconds or 0.0 for each in cells if each in self]
            if missing and missing[0] is settings and done:
                minutes = len(missing) * sum(done) / len(done) / 60
                self._say(f"{len(done)} of {len(cells)} are stored, about {minutes:.1f} processor minutes are left")
            results.append(self.get(settings, lambda settings=settings: compute(settings)))  # type: ignore[misc]
        return results

    def store(self, settings: Settings, result: Any, seconds: float | None = None, commit: str = "") -> None:
        """Store a result in place of an earlier one of the cell, with today's commit unless another one is named."""
        cell = Cell(dict(settings), result, seconds, commit or _find_commit())
        self._cells = {
            **self._cells,
            **self._read(),
            _name_cell(settings): cell,
        }  # another process may have stored more
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            content = self._layout.write(self.cells)
            replace_text(self._path, json.dumps(content, indent=self._layout.indent) + "\n")

    def _read(self) -> dict[str, Cell]:
        """Return the stored cells by name."""
        if self._path is None or not self._path.exists():
            return {}
        with explain_damage(self._path):
            content = json.loads(self._path.read_text(encoding="utf-8"))
            return {_name_cell(cell.settings): cell for cell in self._layout.read(content)}


@cache
def _find_commit() -> str:
    return git_commit()


def _name_cell(settings: Settings) -> str:
    return json.dumps(settings, sort_keys=True)
