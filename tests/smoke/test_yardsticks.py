"""The table of yardsticks is measured row by row, goes on where it stopped, and names command and commit of each."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, with a file of its own and commands that print a fixed result."""
    spec = importlib.util.spec_from_file_location("measure_yardsticks", DOCS / "measure_yardsticks.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def printing(words: list[str], **others: Any) -> Any:
        said.append(" ".join(words[3:]))
        report = {
            "exploitability": 0.1,
            "ci95": [0.0, 0.2],
            "hands": 40,
            "env": "limit_holdem-v0",
            "is_lower_bound": True,
        }
        return SimpleNamespace(stdout=json.dumps(report))

    said: list[str] = []
    module.said = said  # type: ignore[attr-defined]
    monkeypatch.setattr(module, "RESULTS", tmp_path / "yardsticks.json")
    monkeypatch.setattr(module, "subprocess", SimpleNamespace(run=printing, PIPE=None))
    return module


def ask(measure: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    measure.said.clear()
    monkeypatch.setattr(sys, "argv", ["measure_yardsticks.py", *words])
    measure.main()
    return list(measure.said)


def test_what_is_there_is_not_measured_again(measure: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    local = "exploit --env limit_holdem-v0 --agent {} --method local --hands 4000 --seed 0 --json"
    words = ("chen", "always_call", "--methods", "local")
    assert ask(measure, monkeypatch, *words) == [local.format("chen"), local.format("always_call")]
    assert ask(measure, monkeypatch, *words) == []
    more = ask(measure, monkeypatch, "chen", "--methods", "local", "--options=--hands 10", "--again")
    assert more == [local.format("chen").replace("4000", "10")]
    other, chen = json.loads(measure.RESULTS.read_text())
    assert (other["agent"], chen["agent"]) == ("always_call", "chen")
    assert chen["command"] == f"card-envs {more[0].removesuffix(' --json')}"
    assert (chen["exploitability"], chen["hands"], len(chen["commit"].split("+")[0])) == (0.1, 40, 10)
    rest = ask(measure, monkeypatch)
    assert len(rest) == 3 * len(measure.AGENTS) - len(measure.BY_THE_BILLION) - 2
    assert ask(measure, monkeypatch) == []


def test_every_kept_row_is_what_its_command_says() -> None:
    for row in json.loads((DOCS / "results" / "yardsticks.json").read_text(encoding="utf-8")):
        assert f"--agent {row['agent']} --method {row['method']} " in f"{row['command']} "
        amount = "--flops" if row["method"] == "exact-flops" else "--hands"
        assert f"{amount} {row[amount.removeprefix('--')]}" in row["command"]
        assert row["ci95"][0] <= row["exploitability"] <= row["ci95"][1]
        assert "+changes" not in row["commit"] and len(row["commit"]) == 10
