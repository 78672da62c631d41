"""`card-envs reproduce zheng2022`: everything in small, continued from where it stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from card_baselines import cli
from card_baselines.papers.zheng2022 import shares
from card_baselines.papers.zheng2022.scales import SCALES
from card_baselines.papers.zheng2022.tables import CELLS, LEARNERS
from card_envs.compiler import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of hands, which take hours as plain Python")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = replace(
        SCALES["tiny"],
        sheet_hands=2000,
        training_hands=12,
        hands=40,
        strong_hands=2,
        response_decisions=600,
        belief_decisions=(600,),
    )
    monkeypatch.setitem(SCALES, "tiny", changed)  # type: ignore[index]
    monkeypatch.setattr(shares.measure_type_shares, "__defaults__", (20_000, 0))


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
    assert sorted(played) == sorted((cell.table, cell.row, cell.opponent, cell.paper) for cell in CELLS)
    for result in report["results"]:
        if result["table"] > 1:
            assert result["ci95"][0] <= result["mean"] <= result["ci95"][1]
            assert (result["untrained"] is None) == (result["row"] not in LEARNERS or result["rival"] in LEARNERS)
        assert result["verdict"] == "too little training to judge"
    kept = (tmp_path / "results.json").read_text()
    again = run(tmp_path, capsys, "--table", "3", "--rows", "table")
    assert "+1.732" in again and "+2.020" not in again
    assert (tmp_path / "results.json").read_text() == kept


def test_options_and_reward_ideas(small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(tmp_path, capsys, "--table", "4", "5")
    for words in ("table softmax-raw", "cheatem printed-loss", "ppo kl-penalty", "dqn opportunity-cost"):
        assert words in out


def test_strong_players(small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(tmp_path, capsys, "--table", "6")
    for words in (
        "local best response, RLCard's rules",
        "cfr_small, usual rules",
        "PPO trained against it",
        "PPO without sheet",
    ):
        assert words in out
