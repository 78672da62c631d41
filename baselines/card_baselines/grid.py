"""Grids of results: each cell is computed once, and stored in a JSON file with what made it.

A cell is named by its settings, for example `{"player": "ppo", "rival": "random", "seed": 3}`. The file is written anew
after each cell, so that an interrupted grid continues with the first cell that is missing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from card_baselines.run_folder import git_commit
from card_envs.damaged_files import explain_damage
from card_envs.files import replace_text

Settings = Mapping[str, Any]
"""Settings of a cell by name, as JSON."""


class Grid:
    """Results of cells, stored in a file."""

    def __init__(self, path: Path, say: Callable[[str], None] = print) -> None:
        """Read the cells that an earlier call stored.

        Args:
            path: The JSON file; it and its folder are made with the first result.
            say: Receives progress and the expected time, one line at a time.

        Raises:
            DamagedFileError: The file holds something else.
        """
        self._path, self._say = path, say
        self._cells = _read_cells(path)

    def __contains__(self, settings: Settings) -> bool:
        """Return True if the result of the cell is stored."""
        return _name_cell(settings) in self._cells

    def get(self, settings: Settings, compute: Callable[[], Any]) -> Any:
        """Return the result of a cell; compute and store it, as JSON, if there is none."""
        name = _name_cell(settings)
        if name not in self._cells:
            start = time.process_time()
            result = compute()
            cell = {
                "settings": dict(settings), "result": result, "seconds": round(time.process_time() - start, 1),
                "commit": git_commit(),
            }  # fmt: skip
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._cells = {**self._cells, **_read_cells(self._path), name: cell}  # another process may have stored more
            replace_text(self._path, json.dumps(list(self._cells.values()), indent=1) + "\n")
        return self._cells[name]["result"]

    def fill(self, cells: Sequence[Settings], compute: Callable[[Settings], Any]) -> list[Any]:
        """Return the results of several cells of about the same cost, after computing those that are missing."""
        results: list[Any] = []
        for settings in cells:
            missing = [each for each in cells[len(results) :] if each not in self]
            done = [self._cells[_name_cell(each)]["seconds"] for each in cells if each in self]
            if missing and missing[0] is settings and done:
                minutes = len(missing) * sum(done) / len(done) / 60
                self._say(f"{len(done)} of {len(cells)} are stored, about {minutes:.1f} processor minutes are left")
            results.append(self.get(settings, lambda settings=settings: compute(settings)))  # type: ignore[misc]
        return results


def _read_cells(path: Path) -> dict[str, dict[str, Any]]:
    """Return the stored cells by name."""
    if not path.exists():
        return {}
    with explain_damage(path):
        cells = json.loads(path.read_text(encoding="utf-8"))
        return {
            _name_cell(cell["settings"]): {key: cell[key] for key in ("settings", "result", "seconds", "commit")}
            for cell in cells
        }


def _name_cell(settings: Settings) -> str:
    return json.dumps(settings, sort_keys=True)
