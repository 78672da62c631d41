"""The page "Reproduce another paper": its toy paper is complete, small, continued, and judged like the five."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from card_baselines import cli, papers

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "reproduce_another_paper.md"
MOST_LINES = 150


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the page describes, on the path and registered by one line."""
    data, paper, reproduction = re.findall(r"^```(?:toml|py)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    folder = tmp_path / "toy2026"
    folder.mkdir()
    files = {"__init__.py": "", "paper.toml": data, "paper.py": paper, "reproduction.py": reproduction}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy2026"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(papers.PAPERS, "toy2026", "toy2026.paper:PAPER")
    return folder


def test_it_is_a_small_folder(toy: Path) -> None:
    assert sum(len(path.read_text().splitlines()) for path in toy.iterdir()) <= MOST_LINES
    assert len(PAGE.read_text(encoding="utf-8").split()) <= 1000


def test_it_is_trained_played_continued_and_judged(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("reproduce", "toy2026", "--folder", str(tmp_path / "run"))
    assert cli.main(command) == 0
    out = capsys.readouterr().out
    assert "Table 1, chips per hand" in out and "PPO wins from all players" in out
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    results = {(result["row"], result["rival"]): result for result in report["results"]}
    assert list(results) == [("ppo", "random"), ("ppo", "always_call"), ("always_raise", "random")]
    assert [result["seeds"] for result in results.values()] == [2, 2, 1]
    assert [result["untrained"] is None for result in results.values()] == [False, False, True]
    assert {result["verdict"] for result in report["results"]} == {"too little training to judge"}
    assert {path.name for path in (tmp_path / "run").iterdir() if path.is_dir()} == {
        "s0", "s1", "untrained-s0", "untrained-s1",
    }  # fmt: skip

    def play_again(*arguments: object, **options: object) -> None:
        raise AssertionError("matches that are kept are played again")

    monkeypatch.setattr("card_baselines.papers.matches.play_match", play_again)
    assert cli.main(command) == 0
    assert json.loads((tmp_path / "run" / "report.json").read_text())["results"] == report["results"]


def test_its_verdicts_are_those_of_the_rule(toy: Path) -> None:
    paper = papers.find_paper("toy2026")
    common = {"table": 1, "row": "ppo", "rival": "random", "paper": 0.9, "of": "seeds"}
    runs, untrained = [0.9, 0.91, 0.92, 0.9, 0.9], {"mean": 0.0, "ci95": [-0.1, 0.1]}
    content = {"results": [{**common, "by_seed": runs, "untrained": untrained}]}
    judged = paper.add_verdicts(content)
    assert judged["results"][0]["verdict"] == judged["claims"][0]["verdict"] == "agrees"
    content["results"][0]["untrained"] = {"mean": 0.5, "ci95": [0.4, 0.6]}
    assert paper.add_verdicts(content)["claims"][0]["verdict"] == "not shown"
