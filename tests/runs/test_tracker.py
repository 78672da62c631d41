"""`--tracker`: TensorBoard, and packages with the interface of Weights & Biases."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("torch")

from card_baselines import cli
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.runs.run import train
from tests.runs.test_run import TINY


@pytest.fixture(params=["trackio", "wandb"])
def tracker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A stand-in for the package that records its calls."""
    module = ModuleType(request.param)
    module.calls = []
    for name in ("init", "log", "finish"):
        setattr(module, name, lambda *args, _name=name, **options: module.calls.append((_name, args, options)))
    monkeypatch.setitem(sys.modules, request.param, module)
    return module


def calls_of(tracker: Any, name: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    return [(args, options) for called, args, options in tracker.calls if called == name]


def test_a_tracker_gets_settings_measures_and_the_end_and_a_continued_run_goes_on(tracker: Any, tmp_path: Path) -> None:
    run = train(ALGORITHM, TINY, tmp_path / "kuhn" / "first", progress=False, tracker=tracker.__name__)
    [(_, options)] = calls_of(tracker, "init")
    assert (options["project"], options["name"], options["resume"]) == ("card-envs", "kuhn_first", "allow")
    assert options["config"]["env"] == "kuhn_poker-v0"
    steps = [logged["step"] for _, logged in calls_of(tracker, "log")]
    assert steps == sorted(steps) and len(steps) >= 2
    names = {name for (measures,), _ in calls_of(tracker, "log") for name in measures}
    assert {"loss/policy", "entropy"} & names and all(isinstance(name, str) and " " not in name for name in names)
    assert tracker.calls[-1][0] == "finish"
    train(ALGORITHM, replace(TINY, steps=900), run.path, progress=False, tracker=tracker.__name__)
    assert [options["name"] for _, options in calls_of(tracker, "init")] == ["kuhn_first"] * 2


def test_tensorboard_reads_the_measures_from_the_run_folder(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run = train(ALGORITHM, TINY, tmp_path, progress=False, tracker="tensorboard")
    events = EventAccumulator(str(run.path / "tensorboard")).Reload()
    tags = events.Tags()["scalars"]
    assert tags and all(event.step > 0 for event in events.Scalars(tags[0]))


def test_unknown_and_missing_trackers_are_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    for name, message in (("mlflow", "choose one of"), ("wandb", "pip install wandb")):
        folder = tmp_path / name
        words = ["train", "self_play_ppo", "--env", "kuhn_poker-v0", "--steps", "10", "--folder", str(folder)]
        assert cli.main([*words, "--tracker", name]) != 0
        assert message in capsys.readouterr().err
        assert not (folder / "config.json").exists()
