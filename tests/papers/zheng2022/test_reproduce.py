"""`card-envs reproduce zheng2022`: everything in small, continued from where it stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from card_baselines import cli
from card_baselines.papers.zheng2022.card_types import measure_type_shares
from card_baselines.papers.zheng2022.paper import FILE, LEARNERS, PAPER
from card_envs.compiler import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of hands, which take hours as plain Python")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = replace(PAPER.scales["tiny"], sheet_hands=2000, training_hands=12, hands=40)
    monkeypatch.setitem(PAPER.scales, "tiny", changed)  # type: ignore[index]
    monkeypatch.setattr(measure_type_shares, "__defaults__", (20_000, 0))


def run(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(("reproduce", "zheng2022", "--folder", str(folder), *arguments)) == 0
    return capsys.readouterr().out


def test_every_pair_is_trained_played_and_judged(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run(tmp_path, capsys, "--table", "1", "2", "3")
    assert "+2.667" in out
    report = json.loads((tmp_path / "report.json").read_text())
    played = [(r["table"], r["row"], r["rival"], r["paper"]) for r in report["results"] if r["table"] > 1]
    assert sorted(played) == sorted((cell.table, cell.row, cell.opponent, cell.paper) for cell in FILE.cells)
    for result in report["results"]:
        if result["table"] > 1:
            if result["ci95"] != [None, None]:  # too few hands for an interval
                assert result["ci95"][0] <= result["mean"] <= result["ci95"][1]
            assert (result["untrained"] is None) == (result["row"] not in LEARNERS or result["rival"] in LEARNERS)
        assert result["verdict"] == "too little training to judge"
    kept = (tmp_path / "grid.json").read_text()
    again = run(tmp_path, capsys, "--table", "3", "--rows", "table")
    assert "+1.732" in again and "+2.020" not in again
    assert (tmp_path / "grid.json").read_text() == kept


def test_sheets_and_actions_are_counted(small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(tmp_path, capsys, "--table", "7", "--rows", "table", "ppo")
    assert "types with a positive value" in out
    results = json.loads((tmp_path / "report.json").read_text())["results"]
    shares: dict[str, float] = {}
    for result in results[2:]:
        shares[result["rival"]] = shares.get(result["rival"], 0.0) + result["mean"]
    assert shares == pytest.approx(dict.fromkeys(("table", "raise-rule", "rule", "random"), 1.0))
