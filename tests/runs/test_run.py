"""What every training run refuses, holds, records and prints."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from safetensors.torch import load_file

from card_baselines import cli, progress, run_folder
from card_baselines.agents.learned.devices import find_device
from card_baselines.ppo import ppo
from card_baselines.ppo.algorithm import ALGORITHM, PRESETS
from card_baselines.ppo.config import Config
from card_baselines.run_folder import RunFolder
from card_baselines.runs.algorithm import find_preset
from card_baselines.runs.budget import Budget, RunProgress
from card_baselines.runs.evaluation import label_opponents
from card_baselines.runs.run import FROZEN, Run, start_folder, train
from card_envs import make_game
from card_envs.agent import find_agent

TINY = Config(
    env="kuhn_poker-v0", num_tables=32, batch=256, minibatch=64, hidden=(16,),
    minutes=0.0, steps=300, panel=("random",), evaluation_hands=100, final_hands=100, device="cpu",
)  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--minutes -1", "minutes -1.0 must be at least 0"),
        ("--minutes inf", "minutes inf must be at least 0, and finite"),
        ("--learning-rate 1e999", "learning_rate inf must be above 0, and finite"),
        ("--minutes 0 --steps 0", "steps 0 must be at least 1"),
        ("--hidden 0", "hidden 0 must be at least 1"),
        ("--mixed 2", "mixed 2.0 must be in 0 .. 1"),
        ("--learning-rate 0", "learning_rate 0.0 must be above 0"),
        ("--device tpu", "device 'tpu' is not known: choose auto, cpu, cuda or cuda:N"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_by_name(
    options: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "self_play_ppo", "--env", "kuhn_poker-v0", *options.split(), "--folder", str(tmp_path / "run")]
    assert cli.main(words) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run" / "config.json").exists()


def test_a_folder_that_another_process_holds_is_refused_and_says_who(tmp_path: Path) -> None:
    with RunFolder(tmp_path).lock(), pytest.raises(ValueError, match=r"is in use: process \d+ on .* trains there"):
        train(ALGORITHM, TINY, tmp_path)
    train(ALGORITHM, TINY, tmp_path)
    assert not (tmp_path / ".lock").exists()


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match=r"exists and holds no run, but 'thesis\.tex': choose another folder"):
        train(ALGORITHM, TINY, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_changed_learning_rate_is_recorded_and_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    run = train(ALGORITHM, TINY, tmp_path)
    before = (run.path / "evaluation.json").stat().st_mtime_ns
    train(ALGORITHM, TINY, tmp_path)
    assert (run.path / "evaluation.json").stat().st_mtime_ns == before
    train(ALGORITHM, replace(TINY, steps=900, learning_rate=(0.005,)), tmp_path)
    changes = [change for change in run.config()["made_of"]["changes"] if change["setting"] == "learning_rate"]
    assert changes == [{"setting": "learning_rate", "from": [3e-4, 1e-4], "to": [0.005]}]
    assert json.loads((run.path / "evaluation.json").read_text())["cost"]["decisions"] >= 900


def test_a_finished_run_is_returned_as_it_is_under_a_later_commit_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = train(ALGORITHM, TINY, tmp_path)
    before = {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()}
    monkeypatch.setattr(run_folder, "git_commit", lambda: "0" * 40)
    train(ALGORITHM, replace(TINY, steps=200), tmp_path)
    assert {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()} == before


def test_a_run_that_started_from_another_is_not_continued_without_it(tmp_path: Path) -> None:
    first = train(ALGORITHM, TINY, tmp_path / "first")
    config = replace(TINY, start_from=str(first.path))
    train(ALGORITHM, config, tmp_path / "second")
    with pytest.raises(ValueError, match=r"holds a run with start_from = '.*first', not None"):
        train(ALGORITHM, replace(TINY, steps=600), tmp_path / "second")


def test_folders_with_the_same_last_name_are_told_apart_and_drawn(tmp_path: Path) -> None:
    for name in ("a/best", "b/best"):
        train(ALGORITHM, TINY, tmp_path / name)
    folders = tuple(str(tmp_path / name) for name in ("a/best", "b/best"))
    assert label_opponents(folders) == {folders[0]: "a/best", folders[1]: "b/best"}
    assert label_opponents((folders[0], "random")) == {folders[0]: "best", "random": "random"}
    run = train(ALGORITHM, replace(TINY, panel=folders), tmp_path / "run")
    assert {"v a/best", "v b/best"} <= set(run.metrics()[-1])
    assert (run.path / "curve.png").exists()


def test_a_run_that_is_stopped_during_an_evaluation_keeps_the_agent_after_a_quarter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    config = replace(TINY, steps=1000, evaluation_seconds=1e-9)
    with monkeypatch.context() as patch:
        patch.setattr(Run, "_evaluate", stop)
        with pytest.raises(KeyboardInterrupt):
            train(ALGORITHM, config, tmp_path, progress=False)
    train(ALGORITHM, config, tmp_path, progress=False)
    frozen = sorted(folder.name for folder in (tmp_path / FROZEN).iterdir())
    assert frozen == ["after_1_of_4", "after_2_of_4", "after_3_of_4"]


def test_a_row_of_the_metrics_that_was_cut_off_is_skipped(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    for k in range(2):
        run.log({"seconds": k, "loss": 0.5})
    with (tmp_path / "metrics.csv").open("a") as file:
        file.write("2")
    run.log({"seconds": 3, "loss": 0.25})
    assert run.metrics() == [
        {"seconds": 0.0, "loss": 0.5},
        {"seconds": 1.0, "loss": 0.5},
        {"seconds": 3.0, "loss": 0.25},
    ]


def test_a_run_that_starts_from_another_begins_with_its_weights(tmp_path: Path) -> None:
    first = train(ALGORITHM, TINY, tmp_path / "first")
    begun = ppo.Ppo(replace(TINY, seed=5, learning_rate=(1e-2,)), TINY.game())
    begun.start_from(first)
    weights = load_file(first.path / "policy.safetensors")
    assert all(torch.equal(value, weights[name]) for name, value in begun.network.policy.state_dict().items())
    shared = ppo.Ppo(replace(TINY, shared_layers=1), TINY.game())
    shared.start_from(first)  # its value has another shape, so the policy alone is loaded
    assert all(torch.equal(value, weights[name]) for name, value in shared.network.policy.state_dict().items())
    assert shared.value_updates > 0 and begun.value_updates == 0
    other = ppo.Ppo(replace(TINY, hidden=(8,)), TINY.game())
    with pytest.raises(ValueError, match="are not those of these settings"):
        other.start_from(first)


def test_a_run_that_starts_from_a_policy_alone_first_learns_what_positions_are_worth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ppo, "_VALUE_UPDATES", 2)
    first = train(ALGORITHM, TINY, tmp_path / "first")
    (first.path / "state.safetensors").unlink()
    begun = ppo.Ppo(replace(TINY, seed=5, learning_rate=(1e-2,), average=0.5, shared_layers=1), TINY.game())
    begun.start_from(first)
    weights = load_file(first.path / "policy.safetensors")
    for _ in range(2):
        value = begun.network.value[0].weight.clone()
        begun.update(0.0)
        assert not torch.equal(value, begun.network.value[0].weight)
        for network in (begun.network, begun.playing):
            assert all(torch.equal(value, weights[name]) for name, value in network.policy.state_dict().items())
    begun.save(tmp_path / "state", {})
    begun.load(tmp_path / "state")
    begun.update(0.0)
    assert not any(torch.equal(value, weights[name]) for name, value in begun.network.policy.state_dict().items())


def test_a_run_starts_from_an_agent_of_this_package_by_name() -> None:
    settings = replace(PRESETS["ppo_limit_hu"], device="cpu")
    begun = ppo.Ppo(settings, settings.game())
    begun.start_from(RunFolder(start_folder("ppo_limit_hu")))
    shipped = find_agent("ppo_limit_hu", make_game("limit_holdem-v0"))
    assert all(
        torch.equal(value, shipped.policy.state_dict()[name])
        for name, value in begun.playing.policy.state_dict().items()
    )
    with pytest.raises(ValueError, match=r"start_from 'ppo_limit' is neither a run folder nor .* ppo_limit_hu, "):
        train(ALGORITHM, replace(TINY, start_from="ppo_limit"))


@pytest.mark.parametrize(
    ("words", "preset"),
    [
        ("--env limit_holdem-v0", "ppo_limit_hu"),
        ("--env limit_holdem-v0 --set num_players=6", "ppo_limit_six_max"),
        ("--env no_limit_holdem-v0", "ppo_no_limit_hu"),
        ("--env no_limit_holdem-v0 --set num_players=6", "ppo_no_limit_six_max"),
        ("--env big2-v0", "ppo_big2"),
        ("", "ppo_limit_hu"),
        ("--minutes 10 --device cpu", "ppo_limit_hu"),
        ("--minutes 0 --steps 1000", "ppo_limit_hu"),
    ],
)
def test_a_run_begins_with_the_preset_that_fits(words: str, preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["train", "self_play_ppo", *words.split(), "--epochs", "7", "--dry-run"]) == 0
    printed = capsys.readouterr()
    assert f"settings: preset {preset}\n" in printed.err
    settings = json.loads(printed.out)
    wanted = PRESETS[preset]
    assert settings["epochs"] == 7 and settings["reward_scale"] == wanted.reward_scale
    assert settings["panel"] == list(wanted.panel) and settings["env_args"] == list(wanted.env_args)


@pytest.mark.parametrize(
    ("env", "num_seats", "preset"),
    [
        ("limit_holdem-v0", 2, "ppo_limit_hu"),
        ("limit_holdem-v0", 3, "ppo_limit_six_max"),
        ("no_limit_holdem-v0", 6, "ppo_no_limit_six_max"),
        ("no_limit_holdem-v0", 9, "ppo_no_limit_six_max"),
        ("big2-v0", 4, "ppo_big2"),
        ("another-v0", 2, ""),
    ],
)
def test_the_preset_that_fits_has_the_fewest_seats_that_are_enough(env: str, num_seats: int, preset: str) -> None:
    assert find_preset(PRESETS, env, num_seats) == preset


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("--set num_players=4", ["num_players=4"]),
        ("--set stacks=500", ["encoder=equity", "stacks=500"]),
        ("--preset ppo_limit_six_max --set stacks=100", ["num_players=6", "stacks=100"]),
        ("--preset ppo_limit_six_max --set num_players=3 stacks=100", ["num_players=3", "stacks=100"]),
    ],
)
def test_settings_of_the_game_change_those_of_the_preset_one_by_one(
    words: str, settings: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["train", "self_play_ppo", *words.split(), "--dry-run"]) == 0
    assert json.loads(capsys.readouterr().out)["env_args"] == settings


def test_a_run_of_a_version_that_called_env_args_settings_goes_on(tmp_path: Path) -> None:
    config = replace(TINY, env="limit_holdem-v0", env_args=("num_players=3",))
    run = train(ALGORITHM, config, tmp_path / "run", progress=False)
    written = json.loads((run.path / "config.json").read_text())
    former = {"settings" if key == "env_args" else key: value for key, value in written.items()}
    run.write_json("config.json", former)
    assert run.config() == written
    train(ALGORITHM, replace(config, steps=600), run.path, progress=False)
    assert json.loads((run.path / "config.json").read_text())["env_args"] == ["num_players=3"]
    with pytest.raises(ValueError, match="holds a run with env_args = "):
        train(ALGORITHM, replace(config, env_args=("num_players=2",)), run.path, progress=False)


def test_training_ends_with_results_and_the_next_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--env kuhn_poker-v0 --minutes 0 --steps 300 --num-tables 32 --batch 256 --hidden 16 --final-hands 100"
    words = [*options.split(), "--panel", "random", "--evaluation-hands", "100", "--folder", str(tmp_path)]
    assert cli.main(["train", "self_play_ppo", *words]) == 0
    out = capsys.readouterr().out
    assert "kuhn_poker-v0: what the trained agent wins" in out and f"is in {tmp_path}" in out.replace("\n", "")
    assert f"card-envs match --env kuhn_poker-v0 --agents {tmp_path} random --hands 100000" in out
    row = next(line for line in out.splitlines() if line.startswith("  random"))
    assert re.search(r"[+-]\d\.\d{4} ± \d\.\d{4} +100", row), "of a game in chips, ten-thousandths"


def test_an_interrupted_run_says_how_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(run: Run[Config]) -> RunFolder:
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(ALGORITHM, TINY, tmp_path / "run")
    assert f"the same command with --folder {tmp_path / 'run'} goes on" in capsys.readouterr().err


def test_curves_have_intervals_and_the_local_best_response(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn: list[tuple[Any, Any, Any]] = []
    fill = Axes.fill_between

    def noted(axes: Axes, at: Any, low: Any, high: Any, **style: Any) -> Any:
        drawn.append((at, low, high))
        return fill(axes, at, low, high, **style)

    legends: list[list[str]] = []
    legend = Figure.legend

    def noted_legend(figure: Figure, handles: Any, **style: Any) -> Any:
        legends.append([line.get_label() for line in handles])
        return legend(figure, handles=handles, **style)

    monkeypatch.setattr(Axes, "fill_between", noted)
    monkeypatch.setattr(Figure, "legend", noted_legend)
    options = "--minutes 0 --steps 3000 --num-tables 64 --batch 1024 --hidden 8 --opponents self"
    words = [*options.split(), "--evaluation-hands", "1000", "--final-hands", "2600", "--folder", str(tmp_path)]
    assert cli.main(["train", "self_play_ppo", "--panel", "always_call", "local_best_response", *words]) == 0
    assert f"--agents {tmp_path} always_call --hands" in capsys.readouterr().out.replace("\n", "")
    row = RunFolder(tmp_path).metrics()[-1]
    evaluation = json.loads((tmp_path / "evaluation.json").read_text())
    played = {match["opponent"]: match for match in evaluation["matches"]}
    names = ("always_call", "local_best_response")
    for (at, low, high), name in zip(drawn[-4:-2], names, strict=True):  # before the final matches, in bb/100
        assert at[-1] == row["decisions"]
        assert low[-1] == pytest.approx(100 * (row[f"v {name}"] - row[f"v {name} half_width"]))
        assert high[-1] == pytest.approx(100 * (row[f"v {name}"] + row[f"v {name} half_width"]))
    for (at, low, high), name in zip(drawn[-2:], names, strict=True):  # the curves end with the final matches
        assert at[-1] == row["decisions"] and list(at) == sorted(set(at))
        half_width = (played[name]["ci95"][1] - played[name]["ci95"][0]) / 2
        assert low[-1] == pytest.approx(100 * (played[name]["mean"] - half_width))
        assert high[-1] == pytest.approx(100 * (played[name]["mean"] + half_width))
    assert legends[-1] == sorted(names, key=lambda name: -played[name]["mean"])
    assert (played["always_call"]["hands"], played["local_best_response"]["hands"]) == (2600, 66)
    assert played["local_best_response"]["mean"] < 0, "whoever begins loses to it"


def test_where_there_is_no_terminal_progress_is_lines_with_both_times(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    shown = RunProgress("training x", Budget(2.0, 1000, lambda: 250), "decisions")
    for now in (9.0, 11.0, 70.0, 72.0):
        shown.update(int(10 * now))
        shown.note({"v random": 1.5})
    lines = [line.partition(" ")[2] for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "training x: 2 minutes of processor time; the first update compiles and is not counted",
        "training x: 25 %, 110 decisions, 0 s of processor time, 11 s by the clock, v random +1.5",
        "training x: 25 %, 720 decisions, 0 s of processor time, 72 s by the clock, v random +1.5",
    ]


def test_lines_name_the_matches_of_a_long_evaluation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for seconds in ("_FIRST_LINE_SECONDS", "_LINE_SECONDS"):
        monkeypatch.setattr(progress, seconds, -1.0)  # every line is due
    run = train(ALGORITHM, replace(TINY, panel=("random", "always_call")), tmp_path / "run")
    lines = [line.partition(": ")[2] for line in capsys.readouterr().err.splitlines()]
    opponents = [match["opponent"] for match in json.loads((run.path / "evaluation.json").read_text())["matches"]]
    number = len(opponents)
    assert lines[-number - 1 :] == [
        f"final evaluation: 100 hands against each opponent, {number} in all",
        *(f"match {k + 1} of {number}, v {opponent}" for k, opponent in enumerate(opponents)),
    ]
    assert progress.count_minutes(1) == "1 minute" and progress.count_minutes(2.5) == "2.5 minutes"


@pytest.mark.parametrize(("name", "message"), [("nobody", "agent 'nobody' is not known"), ("chen", "cannot play")])
def test_an_opponent_that_does_not_exist_is_refused_before_anything_is_written(
    name: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        train(ALGORITHM, replace(TINY, panel=("random", name)), tmp_path / "run")
    assert not (tmp_path / "run" / "config.json").exists()
    train(ALGORITHM, TINY, tmp_path / "run")


def test_the_local_best_response_is_for_games_that_have_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"panel: local_best_response is for heads-up games .* with 4 seats"):
        train(ALGORITHM, replace(TINY, env="big2-v0", panel=("local_best_response",)), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_devices_have_pytorchs_names() -> None:
    assert find_device("cpu") == torch.device("cpu")
    assert find_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(ValueError, match=r"device 'cuda:99' is not there: PyTorch sees \d+ GPUs"):
        find_device("cuda:99")
