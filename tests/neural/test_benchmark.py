"""The benchmark of learners: one command, cells that are not run twice, and intervals over seeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from card_baselines.neural import benchmark
from card_baselines.neural.benchmark import ENTRANTS, run_path, summarise_cells, table_header, table_rows
from tests.helpers.shell import Shell

WORDS = ["bench", "learners", "--games", "kuhn", "--minutes", "0.002", "--folder"]


def test_cells_are_reported_and_not_run_twice(tmp_path: Path, shell: Shell) -> None:
    words = [*WORDS, str(tmp_path), "--learners", "tabular_mccfr", "ppo", "ppo_average"]
    shell.prints(*words, "--seeds", "1")
    first = json.loads((tmp_path / "learners.json").read_text())
    assert [cell["learner"] for cell in first["cells"]] == ["ppo", "ppo_average", "tabular_mccfr"]
    assert first["references"]["kuhn"]["untrained"] == pytest.approx(11 / 24)
    assert first["references"]["kuhn"]["cfr_plus"] < 0.01
    assert (tmp_path / "learners_kuhn.png").stat().st_size > 10_000
    second = shell.reports(*words, "--seeds", "2")
    assert [cell for cell in second["cells"] if cell["seed"] == 0] == first["cells"]
    assert len(second["cells"]) == 6
    words[words.index("0.002")] = "0.004"
    assert "holds a run of 0.002 minutes, not 0.004: choose another folder" in shell.refuses(*words, "--seeds", "1")
    summary = summarise_cells(second, "kuhn", "ppo")
    assert summary is not None and summary.num_samples == 2
    assert [row[-1] for row in table_rows(second, "kuhn")] == ["", "", "2", "2", "2"]


def test_learners_that_are_judged_twice_share_their_runs(tmp_path: Path) -> None:
    assert run_path(tmp_path, "leduc", "ppo", 3) == run_path(tmp_path, "leduc", "ppo_average", 3)
    assert len({run_path(tmp_path, "leduc", name, 0) for name in ENTRANTS}) == len(ENTRANTS) - 1


def test_unknown_names_are_refused_with_those_there_are(tmp_path: Path, shell: Shell) -> None:
    assert "did you mean 'nfsp'" in shell.refuses(*WORDS, str(tmp_path), "--learners", "nfps")
    shell.refuses("bench", "learners", "--games", "chess", "--folder", str(tmp_path))
    shell.refuses("bench", "learners", "--seeds", "0", "--folder", str(tmp_path))
    assert "minutes nan at least 0, and finite" in shell.refuses("bench", "learners", "--minutes", "nan")
    words = ["bench", "learners", "--games", "flop", "--learners", "tabular_mccfr", "--folder", str(tmp_path)]
    assert "learner tabular_mccfr has no settings for flop: choose one of sd_cfr" in shell.refuses(*words)


def test_finished_runs_in_flop_holdem_are_measured_at_the_end(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark, "FLOPS", 10)
    monkeypatch.setattr(benchmark, "NETWORK_FLOPS", 12)
    words = ["bench", "learners", "--games", "flop", "--minutes", "0.002", "--folder", str(tmp_path), "--seeds", "1"]
    report = shell.reports(*words, "--learners", "ppo", "ppo_average")
    assert report["references"]["flop"]["untrained"] == pytest.approx(1.4, abs=0.1)
    latest, average = report["cells"]
    assert latest["learner"] == "ppo" and average["learner"] == "ppo_average"
    assert (latest["flops"], average["flops"]) == (12, 10) and 0 < latest["exploitability"] != average[
        "exploitability"
    ] > 0
    assert table_header("flop")[1] == "big blinds a hand"
    del latest["ci95"]  # as if it had been measured on all flops
    assert [row[1].startswith("at least") for row in table_rows(report, "flop")[1:]] == [False, True]
