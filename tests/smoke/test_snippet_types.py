"""The Python of README and guides has types: users who check theirs strictly may copy it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.smoke.test_docs import BLOCK, FILE_NAME, REPO, line_of

pytest.importorskip("mypy", reason="needs mypy")

PAGES = [*(page for page in (REPO / "README.md",) if page.exists()), *sorted((REPO / "docs" / "guides").glob("*.md"))]
UNTYPED = 'Call to untyped function "backward"'
"""A gap in the types of PyTorch."""
WRONG = """
from typing import Any

from card_envs import limit_holdem_v0, make_vector

env = limit_holdem_v0.env(render_mode="rgb")
env = limit_holdem_v0.env(dtype="float64")
env = limit_holdem_v0.env(num_seats=6)
env.last()[0]["mask"]
env.step("fold")
make_vector("limit_holdem-v0", 4, num_seats=6)
make_vector("big2-v0", 4, device="cuda", straights=5)
settings: dict[str, Any] = {"num_players": 3}
make_vector("flop_holdem-v0", 4, bet_sizes=[2, 4], dtype="int8", **settings)
"""


@pytest.mark.slow
def test_snippets_pass_the_strict_checks_of_mypy(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for page in PAGES:
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            named = FILE_NAME.match(block["code"])
            file = tmp_path / (named[1] if named else f"{page.stem}_line{line_of(block)}.py")
            assert not file.exists(), "names of files are those of modules, so each is written on one page"
            file.write_text(block["code"], encoding="utf-8")
    checked = len(list(tmp_path.iterdir()))
    (tmp_path / "wrong.py").write_text(WRONG)
    found = [line for line in check_types(tmp_path, request.config.cache) if UNTYPED not in line]
    assert [line for line in found if not line.startswith("wrong.py")] == []
    wrong = {int(line.split(":")[1]) for line in found}  # an overloaded function has an error for each overload
    assert wrong == {6, 7, 8, 9, 10, 11, 12}, "what is wrong is found"
    assert checked > 25


def check_types(folder: Path, cache: pytest.Cache | None) -> list[str]:
    """Return the errors that mypy finds in the files of a folder."""
    paths = os.pathsep.join(str(path) for path in (folder, REPO, REPO / "wrappers", REPO / "baselines"))
    options = [
        "--strict",
        "--config-file=",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--no-error-summary",
    ]
    if cache is not None:
        options.append(f"--cache-dir={cache.mkdir('snippet_types')}")
    files = sorted(file.name for file in folder.glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *files],
        cwd=folder,
        env=os.environ | {"MYPYPATH": paths},
        capture_output=True,
        encoding="utf-8",
    )
    return [line for line in done.stdout.splitlines() if ": error: " in line]
