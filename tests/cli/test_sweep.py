"""`card-envs bench sweep`: trials with drawn settings, continued, with results that a person can check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from card_baselines.cli.commands import sweep as module
from card_baselines.cli.commands.sweep import read_settings
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from tests.helpers.shell import Shell

pytest.importorskip("optuna")
SWEEP = ("bench", "sweep", "self_play_ppo")
TINY = "minutes=0 steps=600 num_tables=16 batch=64 final_hands=40 evaluation_hands=40 panel=random seed=3"


def test_trials_of_a_small_game_are_ranked_by_exploitability(tmp_path: Path, shell: Shell) -> None:
    words = ["env=kuhn_poker-v0", *SETTINGS, "learning_rate=1e-4..1e-2", "hidden=4|8,8"]
    out = shell.prints(*SWEEP, *words, "--trials", "2", "--folder", str(tmp_path), "--json")
    trials = json.loads(out[out.index("{") :])["trials"]
    assert [trial["ci95"] for trial in trials] == [None, None]
    assert trials[0]["value"] <= trials[1]["value"]
    assert all(1e-4 <= trial["settings"]["learning_rate"] <= 1e-2 for trial in trials)
    game = make_game("kuhn_poker-v0")
    found = {
        round(exact_exploitability(game, find_agent(str(folder.parent), game)).exploitability, 12)
        for folder in tmp_path.glob("*/evaluation.json")
    }
    assert found == {round(trial["value"], 12) for trial in trials}
    folders = set(tmp_path.iterdir())
    again = shell.prints(*SWEEP, *words, "--trials", "2", "--folder", str(tmp_path))  # nothing is left to do
    assert set(tmp_path.iterdir()) == folders
    assert "The best: card-envs train self_play_ppo --env kuhn_poker-v0" in again


def test_trials_of_other_games_are_ranked_by_what_they_win_with_its_interval(tmp_path: Path, shell: Shell) -> None:
    words = ["env=limit_holdem-v0", *SETTINGS, "entropy=0.001..0.1"]
    out = shell.prints(*SWEEP, *words, "--trials", "1", "--folder", str(tmp_path), "--json")
    report = json.loads(out[out.index("{") :])
    (trial,) = report["trials"]
    (evaluation,) = tmp_path.glob("*/evaluation.json")
    matches = json.loads(evaluation.read_text())["matches"]
    assert trial["value"] == pytest.approx(sum(match["mean"] for match in matches) / len(matches))
    assert trial["ci95"][0] < trial["value"] < trial["ci95"][1]


def test_an_interrupted_trial_goes_on(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["env=kuhn_poker-v0", *SETTINGS, "learning_rate=1e-4..1e-2", "--trials", "1", "--folder", str(tmp_path)]

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "exact_exploitability", stop)
        assert shell.run(*SWEEP, *words)[0] == 130
    (folder,) = tmp_path.glob("*/evaluation.json")
    before = folder.stat().st_mtime_ns
    shell.prints(*SWEEP, *words)
    assert list(tmp_path.glob("*/evaluation.json")) == [folder], "the run is not made twice"
    assert folder.stat().st_mtime_ns >= before


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["env=kuhn_poker-v0"], "a range such as learning_rate=1e-4..1e-2"),
        (["env=kuhn_poker-v0", "hidden"], "'hidden' must be NAME=VALUE"),
        (["entropy=1..2", "entropy=3"], "each name must come once"),
        (["env=kuhn_poker-v0", "nothing=1|2"], "nothing"),
    ],
)
def test_wrong_words(words: list[str], refusal: str, tmp_path: Path, shell: Shell) -> None:
    code, _, err = shell.run(*SWEEP, *words, "--folder", str(tmp_path / "sweep"))
    assert code == 2 and refusal in err
    assert not (tmp_path / "sweep").exists()


def test_settings() -> None:
    assert read_settings(["a=1", "b=1..2", "c=4,4|8"]) == {"a": ["1"], "b": ["1..2"], "c": ["4,4", "8"]}


SETTINGS = TINY.split()
