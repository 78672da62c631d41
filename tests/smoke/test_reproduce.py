"""`card-envs reproduce`: a very small reproduction from training to verdicts, continued from where it stopped."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from card_baselines import cli
from card_baselines.cli.commands import reproduce as command
from card_baselines.papers.shi2022 import tables as shi2022
from card_baselines.papers.shi2022.tables import CELLS, SCALES, draw_losses, verdict
from card_baselines.run_folder import RunFolder

SMALL = replace(
    SCALES["tiny"],
    hands=12,
    paper_hands=6,
    search_hands=6,
    ceiling_minutes=0.001,
    changes=SCALES["tiny"].changes | {"episodes": 2, "num_tables": 6, "updates": 1, "hidden": 8, "memory": 4},
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCALES, "tiny", SMALL)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(("reproduce", "shi2022", *arguments)) == 0
    return capsys.readouterr().out


def test_a_table_is_trained_played_judged_and_kept(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = run(capsys, "--table", "1", "--history", "fc", "--folder", str(tmp_path))
    assert "sklansky_loose" in out and "+4.083" in out
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["results"]) == 14  # two algorithms against three players, strict and loose, and mcts
    for result in report["results"]:
        assert result["ci95"][0] <= result["mean"] <= result["ci95"][1]
        ours, paper = (result["seeds"][0][name]["hands"] for name in ("ours", "paper"))
        searches = result["variant"] == "mcts"
        assert (ours, paper) == ((6, 6) if searches else (12, 6))
        assert result["ceiling"] is None if searches else result["ceiling"]["hands"] == 12
    assert {cost["algorithm"] for cost in report["runs"]} == {"apu", "dual-apu"}
    assert all(cost["curve"][-1]["episodes"] == 2 for cost in report["runs"])
    assert 0 < report["decision_ms"]["batch"] < report["decision_ms"]["single"]
    assert "| dual-apu (fc) | chen_loose | +0.542 |" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "losses.png").stat().st_size > 1000

    def played_again(*arguments: Any, **options: Any) -> None:
        raise AssertionError("matches that are kept are played again")

    monkeypatch.setattr(shi2022, "play_match", played_again)
    again = json.loads(run(capsys, "--table", "1", "--history", "fc", "--folder", str(tmp_path), "--json"))
    assert again["results"] == report["results"]


def test_learners_play_each_other(small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(run(capsys, "--table", "5", "--history", "fc", "--folder", str(tmp_path), "--json"))
    assert [result["variant"] for result in report["results"]] == ["dual-apu none", "dual-apu fc"]
    assert {cost["history"] for cost in report["runs"]} == {"fc", "none"}


def test_all_cells_of_the_paper_are_there() -> None:
    assert [sum(cell.table == table for cell in CELLS) for table in range(1, 6)] == [8, 2, 8, 2, 2]
    assert set(command.PAPERS) == {"shi2022"}


@pytest.mark.parametrize(
    ("paper", "noise", "ours", "expected"),
    [
        (1.0, 0.2, (0.8, 1.1), "agrees, same sign"),
        (4.0, 0.2, (0.8, 1.1), "differs, same sign"),
        (1.0, 0.2, (-1.1, -0.8), "differs, other sign"),
        (1.0, 0.2, (-0.1, 0.1), "differs"),
        (0.03, 0.2, (-0.1, 0.1), "undecided"),
        (1.0, 0.2, (-math.inf, math.inf), "undecided"),
    ],
)
def test_verdicts(paper: float, noise: float, ours: tuple[float, float], expected: str) -> None:
    mean = sum(ours) / 2 if math.isfinite(ours[0]) else 0.0
    assert verdict(paper, noise, mean, ours) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("shi2021",), "paper 'shi2021' is not known (did you mean 'shi2022'?): choose one of shi2022"),
        (("shi2022", "--table", "6"), "table 6 is none of shi2022: choose among [1, 2, 3, 4, 5]"),
        (("shi2022", "--seeds", "-1"), "seeds -1 must be at least 1"),
        (("shi2022", "--table", "4", "--rows", "dual-apu"), "tables [4] have no rows ['dual-apu']: choose others of"),
    ],
)
def test_wrong_use_is_explained(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(("reproduce", *arguments)) == 2
    assert message in capsys.readouterr().err


def test_runs_that_were_killed_are_drawn_beside_those_that_were_not(tmp_path: Path) -> None:
    measured = {"whole": [4.0, 8.0], "killed": [4.0, 4.0, 8.0]}  # killed after a row, before the next checkpoint
    for name, episodes in measured.items():
        run = RunFolder(tmp_path / name)
        run.start({"algorithm": "apu", "history": "fc"})
        for number in episodes:
            run.log({"episodes": number, "actor_loss": -number, "critic_loss": number})
    draw_losses(tmp_path, [tmp_path / name for name in measured])
    assert (tmp_path / "losses.png").stat().st_size > 1000
