"""`card-envs reproduce`: a very small reproduction from training to verdicts, continued from where it stopped."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("torch")

from card_baselines import cli, papers
from card_baselines.agents.search.mcts import Mcts
from card_baselines.papers.protocol import Paper, Report, Reproduction, ReproductionOptions, Scale
from card_baselines.papers.shi2022 import reproduction as shi2022
from card_baselines.papers.shi2022.paper import FILE, PAPER
from card_baselines.papers.shi2022.reproduction import draw_losses
from card_baselines.ppo.config import Config as PpoConfig
from card_baselines.run_folder import RunFolder

RESULTS = Path(__file__).parents[2] / "docs" / "results"
VERDICTS = {"", "agrees", "differs", "undecided", "stand-in", "not shown"}
SMALL = replace(
    PAPER.scales["tiny"],
    hands=12,
    paper_hands=6,
    search_hands=6,
    ceiling_minutes=0.001,
    changes=PAPER.scales["tiny"].changes | {"episodes": 2, "num_tables": 6, "updates": 1, "hidden": 8, "memory": 4},
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PAPER.scales, "tiny", SMALL)
    monkeypatch.setattr(Mcts.__init__, "__defaults__", (8,))
    quick = partial(PpoConfig, num_tables=12, batch=120, minibatch=60, hidden=(8,))
    monkeypatch.setattr(shi2022, "PpoConfig", quick)


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
        if result["ci95"] != [None, None]:  # too few hands for an interval
            assert result["ci95"][0] <= result["mean"] <= result["ci95"][1]
        ours, paper = (result["seeds"][0][name]["hands"] for name in ("ours", "paper"))
        searches = result["variant"] == "mcts"
        assert (ours, paper) == ((6, 6) if searches else (12, 6))
        assert result["ceiling"] is None if searches else result["ceiling"]["hands"] == 12
    assert {cost["algorithm"] for cost in report["runs"]} == {"apu", "dual-apu"}
    assert all(cost["curve"][-1]["episodes"] == 2 for cost in report["runs"])
    assert "| dual-apu (fc) | chen_loose | +0.542 |" in (tmp_path / "report.md").read_text()
    assert {result["verdict"] for result in report["results"]} == {"too little training to judge"}
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


def test_learners_with_the_papers_inputs_and_loss(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "--table", "1", "--rows", "dual-apu", "--learner", "printed", "--folder", str(tmp_path))
    report = json.loads((tmp_path / "report.json").read_text())
    assert len(report["results"]) == 6 and not any("best-response" in path.name for path in tmp_path.iterdir())
    config = RunFolder(tmp_path / report["runs"][0]["folder"]).config()
    assert (config["hand_features"], config["exploration"], config["entropy"]) == (False, 0.0, 0.0)
    assert {claim["verdict"] for claim in report["claims"]} == {"too little training to judge"}


def test_all_cells_of_the_paper_are_there() -> None:
    assert [sum(cell.table == table for cell in FILE.cells) for table in range(1, 6)] == [8, 2, 8, 2, 2]


@pytest.mark.parametrize("name", papers.PAPERS)
def test_every_paper_says_what_it_has(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    paper = papers.find_paper(name)
    assert paper.name == name and paper.tables and paper.rows and "tiny" in paper.scales
    assert paper.options().scale == "tiny"
    assert cli.main(("reproduce", "--help")) == 0
    assert paper.title in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main(("reproduce", name, "--help"))
    text = capsys.readouterr().out
    unwrapped = " ".join(text.replace("│", " ").split())
    for scale, settings in paper.scales.items():
        assert settings.minutes > 0 and settings.basis in settings.cost()
        assert f"{scale}: {settings.cost()}" in unwrapped, unwrapped


def test_figure_2_of_charlesworth_in_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = replace(papers.find_paper("charlesworth2018").scales["tiny"], hands=40)
    small.changes.update(num_tables=24, evaluation_hands=8)
    options = ("--folder", str(tmp_path), "--json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(papers.find_paper("charlesworth2018").scales, "tiny", small)
        assert cli.main(("reproduce", "charlesworth2018", *options)) == 0
    report = json.loads(capsys.readouterr().out)
    opponents = [(result["row"], result["opponent"], result["hands"]) for result in report["results"]]
    earlier = [("earlier-selves", f"after_{k}_of_4", 40) for k in (1, 2, 3)]
    assert opponents == [("random", "random", 40), ("untrained", "random", 40), *earlier]
    config = RunFolder(tmp_path / "s0").config()
    assert (config["clip_value"], config["gamma"], config["minibatch"]) == (True, 0.995, 240)
    assert "| trained | random | 0 | above 9.7 |" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "figure2.png").stat().st_size > 10_000


@dataclass(frozen=True, kw_only=True)
class OneOptions(ReproductionOptions):
    """Options of a paper that a test adds."""

    times: int = 1
    """A number of its own."""


class OneReproduction(Reproduction[OneOptions, Scale]):
    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        return [{"table": table, "row": row, "mean": float(self.options.times)}]

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        return Report(content, ("a note",))


def judge_one(result: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"verdict": "agrees" if result in results else "differs"}


ONE = Paper(
    name="one", title="A paper of one folder and one line", unit="points", tables={7: "all"}, rows=("a", "b"),
    scales={"tiny": Scale(minutes=0.25, basis="by its setting", length=0), "long": Scale(minutes=1234.5)},
    options=OneOptions,
    reproduction=f"{__name__}:OneReproduction", judge=judge_one,
    layouts={
        7: ("Table 7", {"row": itemgetter("row"), "mean": lambda r: str(r["mean"]), "verdict": itemgetter("verdict")})
    },
)  # fmt: skip


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules.get(__name__) or ModuleType(__name__)
    monkeypatch.setitem(papers.PAPERS, "one", f"{__name__}:ONE")
    monkeypatch.setitem(sys.modules, __name__, module)
    monkeypatch.setattr(module, "ONE", ONE, raising=False)
    monkeypatch.setattr(module, "OneReproduction", OneReproduction, raising=False)


def test_a_paper_is_added_with_one_line_and_brings_its_own_options(
    one: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(("reproduce", "one", "--times", "3", "--rows", "b", "--folder", str(tmp_path))) == 0
    out, err = capsys.readouterr()
    assert all(text in out for text in ("Table 7,", "points", "3.0", "a note"))
    assert "one at the scale tiny, all tables: about 0.2 processor minutes, by its setting; results" in err
    expected = {"table": 7, "row": "b", "mean": 3.0, "verdict": "too little training to judge"}
    assert json.loads((tmp_path / "report.json").read_text())["results"] == [expected]
    assert (tmp_path / "report.md").read_text() == (
        "Table 7\n\n| row | mean | verdict |\n| --- | --- | --- |\n| b | 3.0 | too little training to judge |\n\n"
        "a note\n"
    )


def test_a_scale_that_trains_enough_is_judged_and_says_what_it_costs(one: None, tmp_path: Path) -> None:
    said: list[str] = []
    report, _ = ONE.reproduce(OneOptions(scale="long", rows=("a",), folder=str(tmp_path)), said.append)
    cost = "about 1,234 processor minutes, measured"
    assert said == [f"one at the scale long, all tables: {cost}; results are kept in {tmp_path}"]
    assert [result["verdict"] for result in report.content["results"]] == ["agrees"]


def test_a_folder_keeps_one_paper_and_one_scale(tmp_path: Path) -> None:
    run = partial(ONE.reproduce, say=lambda text: None)
    run(OneOptions(rows=("a",), folder=str(tmp_path)))
    (tmp_path / "report.json").unlink()  # as if it had been interrupted
    run(OneOptions(rows=("b",), times=2, seeds=3, folder=str(tmp_path)))  # other options continue there
    with pytest.raises(ValueError, match=f"{tmp_path} holds results of one at the scale tiny .* not of one at the sca"):
        run(OneOptions(scale="long", folder=str(tmp_path)))
    other = replace(ONE, name="other")
    with pytest.raises(ValueError, match="holds results of one at the scale tiny"):
        other.reproduce(OneOptions(folder=str(tmp_path)), print)
    more = replace(ONE, scales={"tiny": papers.find_paper("charlesworth2018").scales["tiny"]})
    with pytest.raises(ValueError, match="holds results of one at the scale tiny with the settings"):
        more.reproduce(OneOptions(folder=str(tmp_path)), print)


def test_a_folder_goes_on_when_its_scale_gets_more_seeds(tmp_path: Path) -> None:
    run = partial(ONE.reproduce, say=lambda text: None)
    run(OneOptions(rows=("a",), folder=str(tmp_path)))
    path = tmp_path / "scale.json"
    scale = json.loads(path.read_text())
    path.write_text(json.dumps({**scale, "settings": {"seeds": 2}}))
    run(OneOptions(rows=("a",), folder=str(tmp_path)))
    path.write_text(json.dumps({**scale, "settings": {"seeds": 2, "hands": 1}}))
    with pytest.raises(ValueError, match="holds results of one at the scale tiny with the settings"):
        run(OneOptions(rows=("a",), folder=str(tmp_path)))


@pytest.mark.parametrize("name", papers.PAPERS)
def test_every_scale_says_what_it_costs_and_tiny_is_not_judged(name: str) -> None:
    scales = papers.find_paper(name).scales
    assert [scale for scale, settings in scales.items() if settings.length == 0] == ["tiny"]
    assert "minutes" not in scales["tiny"].settings()


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*20*_*.json")), ids=lambda path: path.stem)
def test_stored_results_hold_no_verdicts_of_an_earlier_rule(path: Path) -> None:
    content = json.loads(path.read_text())
    assert not any(key.startswith("verdict") for result in content["results"] for key in result)
    judged = papers.find_paper(content["paper"]).add_verdicts(content)["results"]
    assert all(VERDICTS.issuperset({result.get("verdict", "")}) for result in judged)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("shi2021",),
            f"paper 'shi2021' is not known (did you mean 'shi2022'?): choose one of {', '.join(papers.PAPERS)}",
        ),
        (("shi2022", "--table", "6"), "shi2022 has no table 6: choose among [1, 2, 3, 4, 5]"),
        (("shi2022", "--seeds", "-1"), "seeds -1 must be at least 1"),
        (("shi2022", "--rows", "dual"), "shi2022 has no row 'dual': choose among ['apu', 'dual-apu',"),
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
