"""`card-envs league` and `card-envs tournament`, from nothing to a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from card_baselines import progress
from card_baselines.cli.main import main
from card_baselines.league.store import Store

LEARNER = f"{Path(__file__).with_name('learner.py')}:Learner"


def run(*words: str) -> int:
    return main(list(words))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small league that was made, trained and evaluated by commands."""
    folder = tmp_path_factory.mktemp("commands") / "league"
    place, quick = str(folder), ["--set", "hands=100"]
    assert run("league", "new", place, "--env", "leduc_holdem-v0", "--seed", "1") == 0
    climb = ["--division", "climb", "--kind", "climbing", "--students", LEARNER, "--teachers", "random", "always_call"]
    assert run("league", "add", place, *climb, *quick, "clone_every=2") == 0
    assert run("league", "add", place, "--division", "final", "--kind", "direct", *quick) == 0
    assert run("league", "add", place, "--teachers", "always_raise") == 0
    assert run("league", "run", place, "--rounds", "climb=4", "final=10", "--allow", LEARNER) == 0
    return folder


def test_what_was_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "watch", str(folder), "--once") == 0
    printed = capsys.readouterr().out
    climb, final = (next(line for line in printed.splitlines() if name in line) for name in ("climb ", "final "))
    assert climb.split()[:2] == ["climb", "4"] and final.split()[:2] == ["final", "10"]
    assert "ago" in climb and max(map(len, map(str.rstrip, printed.splitlines()))) <= 80
    assert "final: TrueSkill" in printed and "climb.Learner/2" in printed


def test_on_a_terminal_a_table_is_updated_until_ctrl_c(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            raise KeyboardInterrupt

    slept: list[float] = []
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    monkeypatch.setattr("time.sleep", sleep)
    assert run("league", "watch", str(folder), "--every", "7.5") != 0
    assert slept == [7.5] * 3


def test_rank(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "rank", str(folder), "--by", "mean", "--probabilities", "--resamples", "20") == 0
    printed = capsys.readouterr().out
    for words in ("TrueSkill", "Bradley-Terry", "climb.Learner/1", "probability that the row is above", "10 rounds"):
        assert words in printed
    assert run("league", "rank", str(folder), "--measures", "mean", "low", "--resamples", "20", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report["rankings"]) == ["mean", "low"] and len(report["members"]) == 5
    assert sorted(report["rankings"]["mean"]["ranks"]) == [1, 2, 3, 4, 5]
    assert report["winnings"]["means"][0][0] is None and report["winnings"]["hands"][0][1] == 100


@pytest.mark.parametrize("number", ["0", "-1"])
def test_numbers_of_members_and_resamples_are_at_least_1(
    number: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ("rank --best", "watch --once --best", "rank --resamples", "report --resamples"):
        command, *options = words.split()
        assert run("league", command, str(folder), *options, number) == 2
        wanted = f"{options[-1][2:]} {number} must be a whole number, at least 1"
        assert wanted in capsys.readouterr().err


def test_report(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "report", str(folder), "--output", str(tmp_path / "out"), "--resamples", "20") == 0
    assert "report.html" in capsys.readouterr().out
    page, text = ((tmp_path / "out" / name).read_text() for name in ("report.html", "report.md"))
    pictures = sorted(path.name for path in (tmp_path / "out").glob("*.png"))
    assert pictures == ["ranks.png", "ratings-1.png", "ratings-2.png", "winnings.png"]
    assert page.count("data:image/png;base64,") == len(pictures) and "http" not in page
    for picture in pictures:
        assert f"]({picture})" in text
    assert "| climb.Learner/1 | clone |" in text


def test_going_on_with_more_rounds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "run", str(folder), "--rounds", "final=10", "--allow", LEARNER) == 0
    climb, final = (
        line.split() for line in capsys.readouterr().out.splitlines() if line.strip()[:5] in ("climb", "final")
    )
    assert climb[:5] == ["climb", "climbing", "5", "4", "400"]
    assert final[:5] == ["final", "direct", "all", "10", "1,000"], "as many in all, and these were played already"


def test_where_there_is_no_terminal_a_run_prints_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "league")
    run("league", "new", place, "--env", "leduc_holdem-v0")
    run("league", "add", place, "--division", "pairs", "--kind", "direct", "--teachers", "random", "always_call",
        "--set", "hands=100")  # fmt: skip
    monkeypatch.setattr(progress, "_FIRST_LINE_SECONDS", 600.0)
    assert run("league", "run", place, "--rounds", "2") == 0
    assert capsys.readouterr().err == "", "the first line is not due"
    monkeypatch.setattr(progress, "_FIRST_LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_LINE_SECONDS", 0.0)
    assert run("league", "run", place, "--rounds", "4") == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line[9:].rpartition(", ")[0] for line in lines] == [
        "pairs: 1 of 2 rounds, 50 %",
        "pairs: 2 of 2 rounds, 100 %",
    ]
    assert all(line.endswith(" hands/s") for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "{league}", "--rounds", "many"], "rounds 'many' must be a number"),
        (["run", "{league}", "--rounds", "nobody=3"], "division 'nobody' is not known: there is climb, final"),
        (["rank", "{league}", "--by", "elo"], "no ranking by elo"),
        (["rank", "nowhere"], "there is no league in nowhere"),
        (["add", "{league}"], "nothing to add"),
        (["add", "{league}", "--kind", "direct"], "needs a name"),
        (["add", "{league}", "--division", "x", "--kind", "direct", "--set", "clone=3"], "no setting 'clone'"),
        (["add", "{league}", "--teachers", "random", "--division", "final"], "plays all members of the league"),
        (["new", "{league}", "--env", "leduc_holdem-v0"], "is not empty"),
        (["rnak", "{league}"], "did you mean 'rank'?"),
    ],
)
def test_wrong_use(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert run("league", *(word.format(league=folder) for word in words)) == 2
    assert message in capsys.readouterr().err


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "--help") == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("new", "add", "run", "rank", "report", "watch"))
    assert run("league") == 2


def test_tournament(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = ["random", "always_call", "always_raise"]
    common = ["--env", "leduc_holdem-v0", "--hands", "200", "--passes", "2", "--seed", "3", "--resamples", "20"]
    assert run("tournament", *agents, *common, "--folder", str(tmp_path / "one")) == 0
    printed = capsys.readouterr().out
    assert "6 rounds, 1,200 hands, seed 3" in printed and "that each seat of the row wins" in printed
    assert {path.name for path in (tmp_path / "one" / "report").iterdir()} >= {"report.html", "report.md", "ranks.png"}
    page = (tmp_path / "one" / "report" / "report.html").read_text()
    assert "<h1>Tournament of leduc_holdem-v0</h1>" in page and "<h2>The tournament</h2>" in page
    assert "eague" not in page
    assert run("tournament", *agents, *common, "--folder", str(tmp_path / "two"), "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["hands"] == 1200 and report["unit"] and len(report["rankings"]) == 6
    best = report["members"][report["rankings"]["mean"]["ranks"].index(1)]
    assert printed.splitlines()[4].split()[:2] == ["1", best], "the same seed, the same result"


def test_an_interrupted_tournament_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(folder: str, *more: str, hands: int = 40) -> int:
        options = ["--env", "leduc_holdem-v0", "--hands", str(hands), "--passes", "3", "--resamples", "20", "--json"]
        return run("tournament", "random", "always_call", "always_raise", *options, "--folder", folder, *more)

    place = str(tmp_path / "one")
    add_outcome = Store.add_outcome

    def interrupt(store: Store, *words: Any) -> None:
        add_outcome(store, *words)
        if len(store.rounds(played=True)) == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add_outcome", interrupt)
        assert play(place) == 130
    assert f"interrupted: the same command with --folder {place} goes on" in capsys.readouterr().err
    assert play(place, "--seed", "1") == 2 and "with seed 0, not 1" in capsys.readouterr().err
    assert play(place, "--set", "num_players=3") == 2 and "with settings {}, not" in capsys.readouterr().err
    assert play(place, hands=44) == 2 and "with hands 40, not 44" in capsys.readouterr().err
    reports = []
    for folder in (place, str(tmp_path / "two"), place):
        assert play(folder) == 0
        reports.append(json.loads(capsys.readouterr().out) | {"folder": ""})
    assert reports[0] == reports[1] == reports[2] and reports[0]["hands"] == 9 * 40


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["random"], "at least two different agents"),
        (["random", "radnom"], "did you mean 'random'?"),
        (["random", "always_call", "--by", "elo"], "measure 'elo' is not known"),
        (["random", "always_call", "--set", "seats=3"], "has no setting 'seats'"),
    ],
)
def test_tournaments_that_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert run("tournament", *words, "--folder", str(tmp_path / "none")) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "none").exists()
