"""Benchmarks run, and the published tables are those of the published results. No speed is asserted."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from card_baselines.speed.stopwatch import Speed, measure, one_core
from tests.helpers import cuda_play
from tests.helpers.processes import run_python
from tests.helpers.shell import Shell

REPO = Path(__file__).parents[2]
SCRIPTS = REPO / "benchmarks"
RESULTS = SCRIPTS / "results" / "against_peers.json"


def against_peers(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run_python(SCRIPTS / "against_peers.py", *arguments)


def run_script(monkeypatch: pytest.MonkeyPatch, name: str, *options: str | Path) -> dict[str, Any]:
    """Run a script of `benchmarks/` in this process, with options; return its names."""
    monkeypatch.syspath_prepend(SCRIPTS)
    monkeypatch.setattr(sys, "argv", [name, *map(str, options)])
    return runpy.run_path(str(SCRIPTS / name), run_name="__main__")


def test_published_tables_are_those_of_the_published_results(tmp_path: Path) -> None:
    page, short = tmp_path / "page.md", tmp_path / "short.md"
    shutil.copy(REPO / "benchmarks" / "README.md", page)
    shutil.copy(REPO / "docs" / "speed.md", short)
    run = against_peers("--from", RESULTS, "--table", page, "--short", short)
    assert run.returncode == 0, run.stderr
    assert page.read_text() == (REPO / "benchmarks" / "README.md").read_text(), "run `make bench` or --from the results"
    assert short.read_text() == (REPO / "docs" / "speed.md").read_text()
    assert "| times |" in short.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["limit, heads-up", ""])
def test_a_quick_run_writes_results_for_everything_that_is_installed(game: str, tmp_path: Path) -> None:
    if not game:
        pytest.importorskip("sb3_contrib")
    run = against_peers("--quick", "--only", game, "--json", tmp_path / "results.json")
    assert run.returncode == 0, run.stderr
    report = json.loads((tmp_path / "results.json").read_text())
    assert {"date", "commit", "command", "machine", "versions", "calibration"} <= set(report)
    published = [row for row in json.loads(RESULTS.read_text())["comparisons"] if game in row["game"]]
    assert [name_of(row) for row in report["comparisons"]] == [name_of(row) for row in published]
    for row in report["comparisons"]:
        assert row["ours"]["per_second"] > 0
        assert all(theirs["per_second"] > 0 and theirs["times"] > 0 for theirs in row["theirs"])
    assert "| times |" in run.stdout
    for peer in report["skipped"]:
        assert peer["install"] and f"skipped {peer['path']}" in run.stdout


def name_of(row: dict[str, Any]) -> tuple[str, str]:
    return row["game"], row["path"]


def test_a_file_without_a_place_for_the_table_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no marks\n")
    run = against_peers("--table", page)
    assert run.returncode == 2
    assert "has no place for a table" in run.stderr
    assert page.read_text() == "no marks\n"


def test_parts_and_quick_runs_do_not_become_the_published_tables(tmp_path: Path) -> None:
    page = shutil.copy(REPO / "benchmarks" / "README.md", tmp_path)
    for option in (("--quick",), ("--only", "Big 2")):
        run = against_peers(*option, "--table", page)
        assert run.returncode == 2
        assert "leave out --table and --short" in run.stderr


def test_bench_reports_every_path(shell: Shell) -> None:
    report = shell.reports("bench", "--seconds", "0")
    rows = {row["what"]: row["per_second"] for row in report["results"]}
    assert all(rate > 0 for rate in rows.values())
    for part in ("7-card evaluation, batch", "rules alone", "observed", "Big 2", "AEC loop", "one learning seat"):
        assert any(part in name for name in rows), part
    assert report["machine"]["python"]


def test_bench_refuses_impossible_times(shell: Shell) -> None:
    assert "seconds -1.0 must lie in 0 .. 60" in shell.refuses("bench", "--seconds", "-1")


def test_everything_gets_a_turn_in_every_round() -> None:
    turns: list[str] = []

    def work(name: str) -> int:
        turns.append(name)
        return sum(range(50_000)) and 1

    finished: list[int] = []
    speeds = measure({name: lambda name=name: work(name) for name in "ab"}, 0.0, 2, finished.append)
    without_repeats = [name for i, name in enumerate(turns) if i == 0 or turns[i - 1] != name]
    assert without_repeats == list("ababab")  # once to compile, then two rounds
    assert len(finished) == 6
    assert all(len(speed.rates) == 2 and min(speed.rates) > 0 for speed in speeds.values())


def test_ratios_are_taken_round_by_round() -> None:
    ours, theirs = Speed((10.0, 2.0, 40.0)), Speed((5.0, 1.0, 10.0))  # a machine that was slow in round two
    assert ours.times(theirs) == 2.0
    assert (ours.median, theirs.median) == (10.0, 5.0)
    assert ours.spread == 3.8


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not keep processes on cores")
def test_one_core_is_given_back() -> None:
    before = os.sched_getaffinity(0)
    with one_core() as core:
        assert os.sched_getaffinity(0) == {core}
    assert os.sched_getaffinity(0) == before


@pytest.mark.slow
def test_the_script_for_a_gpu_runs_on_a_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = tmp_path / "found.json"
    options = ["same", "speed", "learning", "--device", "cpu", "--quick", "--seconds", "0.05", "--minutes", "0.05"]
    run_script(monkeypatch, "gpu_check.py", *options, "--json", found, "--folder", tmp_path)
    results = json.loads(found.read_text())
    assert [row["largest_difference"] for row in results["same"]] == [0, 0]
    assert all(row["played_per_second"] > 0 for row in results["speed"])
    assert [row["settings"] for row in results["learning"]] == ["leduc", "ppo_limit_hu"]
    assert (tmp_path / "ppo_limit_hu" / "policy.safetensors").is_file()
    assert "Sizes of heads-up" in capsys.readouterr().out


@pytest.mark.slow
def test_the_script_for_a_gpu_measures_random_play(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    run = run_python(SCRIPTS / "gpu_check.py", "tables", "--quick", "--json", found, **cuda_play.SIMULATOR)
    assert run.returncode == 0, run.stderr
    rows = json.loads(found.read_text())["tables"]
    assert len(rows) == 3
    assert all(row["decisions_per_second"] > 0 for row in rows)


def test_what_is_waited_for_is_timed_beside_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = tmp_path / "found.json"
    options = ["--only", "match", "controls", "import", "--rounds", "1", "--json"]
    run_script(monkeypatch, "waiting.py", *options, found)
    assert "s for 20,000 hands" in capsys.readouterr().out
    results = json.loads(found.read_text())["results"]
    assert [row["row"] for row in results] == ["match", "controls", "import"]
    assert all(row["median"] > 0 and row["ratio"] > 1 for row in results), "what stands beside them is less work"


def test_a_script_is_run_and_measured_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyspiel")
    found = tmp_path / "found.json"
    options = ("--only", "openspiel_cfr", "--json", found)
    run_script(monkeypatch, "scripts.py", *options)
    (cell,) = json.loads(found.read_text())
    assert cell["result"]["exploitability"] < 0.001
    assert all(match["ci95"][0] > 0 for match in cell["result"]["matches"])
    stored, printed = found.read_text(), capsys.readouterr().out
    run_script(monkeypatch, "scripts.py", *options)
    assert (found.read_text(), capsys.readouterr().out) == (stored, printed)


@pytest.mark.slow
def test_all_that_is_waited_for_can_be_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = run_script(monkeypatch, "waiting.py", "--rounds", "1")["ROWS"]
    out = capsys.readouterr().out
    assert all(row.what in out for row in rows.values())
