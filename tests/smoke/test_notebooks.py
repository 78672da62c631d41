"""The notebooks of the documentation run from top to bottom, each in under two minutes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Jupyter about itself
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()  # raises CellExecutionError
    assert sum(bool(cell.get("outputs")) for cell in notebook.cells) >= 3


def test_there_are_four_notebooks_without_paths_of_a_machine() -> None:
    assert len(NOTEBOOKS) == 4
    for path in NOTEBOOKS:
        text = path.read_text()
        assert not re.search(r"/(tmp|home|root)/", text), path.name
