"""`grid`: cells are computed once, whatever interrupts them, and stored with what made them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from card_baselines.grid import Grid
from card_envs.damaged_files import DamagedFileError

CELLS = [{"player": "a", "seed": seed} for seed in range(3)]


def test_an_interrupted_grid_continues_with_the_first_missing_cell(tmp_path: Path) -> None:
    path, played, said = tmp_path / "new" / "grid.json", [], []

    def play(cell: dict[str, object]) -> dict[str, object]:
        if cell["seed"] == 2 and len(played) == 2:
            raise KeyboardInterrupt
        played.append(cell["seed"])
        return {"mean": float(str(cell["seed"]))}

    with pytest.raises(KeyboardInterrupt):
        Grid(path, said.append).fill(CELLS, play)  # type: ignore[arg-type]
    assert [cell["settings"]["seed"] for cell in json.loads(path.read_text())] == [0, 1]
    played.append("again")  # type: ignore[arg-type]
    found = Grid(path, said.append).fill(CELLS, play)  # type: ignore[arg-type]
    assert found == [{"mean": 0.0}, {"mean": 1.0}, {"mean": 2.0}] and played == [0, 1, "again", 2]
    assert said[-1] == "2 of 3 are stored, about 0.0 processor minutes are left"
    assert all({"settings", "result", "seconds", "commit"} == set(cell) for cell in json.loads(path.read_text()))


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        Grid(tmp_path / "file" / "grid.json").get({"seed": 1}, pytest.fail)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as in a folder of somebody else
    with pytest.raises(PermissionError, match=f"Permission denied: '{tmp_path}'"):
        Grid(tmp_path / "grid.json").get({"seed": 1}, pytest.fail)


def test_cells_with_other_settings_are_other_cells(tmp_path: Path) -> None:
    grid = Grid(tmp_path / "grid.json")
    assert grid.get({"hands": 10, "seed": 1}, lambda: 1) == 1
    assert grid.get({"seed": 1, "hands": 10}, lambda: 2) == 1  # in whatever order
    assert grid.get({"hands": 20, "seed": 1}, lambda: 3) == 3
    assert {"hands": 10, "seed": 1} in grid and {"hands": 30, "seed": 1} not in grid


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    one, other = Grid(tmp_path / "grid.json"), Grid(tmp_path / "grid.json")
    one.get({"seed": 1}, lambda: 1)
    other.get({"seed": 2}, lambda: 2)
    one.get({"seed": 3}, lambda: 3)
    stored = json.loads((tmp_path / "grid.json").read_text())
    assert [cell["result"] for cell in stored] == [1, 2, 3]
    assert one.get({"seed": 2}, lambda: 9) == 2


@pytest.mark.parametrize("content", ["[", "{}x", '[{"seed": 1}]', '[{"settings": {"seed": 1}}]', "[3]"])
def test_a_damaged_file_is_named_and_left_alone(content: str, tmp_path: Path) -> None:
    path = tmp_path / "grid.json"
    path.write_text(content)
    with pytest.raises(DamagedFileError, match=r"grid\.json is damaged"):
        Grid(path)
    assert path.read_text() == content
