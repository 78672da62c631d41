"""`card-envs train FILE.py:ALGORITHM`: an algorithm of the user's own, which is that of the guide."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from card_baselines.kit import Collector, GameRunConfig
from card_baselines.league import League
from card_baselines.runs.checkpoint import load_state
from card_baselines.runs.ranges import AT_LEAST_1
from card_envs import make_vector
from card_envs.agent import find_agent
from card_envs.envs import make_game
from card_envs.locations import UntrustedNameError
from tests.helpers.shell import Shell

if TYPE_CHECKING:
    from decimal import Decimal

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "write_an_algorithm.md"
SHORT = ("--minutes", "0", "--evaluation-hands", "50", "--final-hands", "50", "--panel", "random", "--no-progress")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the guide, in the working directory."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    [text] = [block for block in blocks if block.startswith("# my_reinforce.py\n")]
    path = tmp_path / "my_reinforce.py"
    path.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])  # which the command extends
    return path


def train(shell: Shell, *words: str) -> str:
    return shell.prints("train", *words, *SHORT)


def refuses(shell: Shell, *words: str) -> str:
    return shell.refuses("train", *words, *SHORT)


def test_it_is_trained_and_its_folder_plays(file: Path, shell: Shell) -> None:
    out = train(shell, "my_reinforce.py:ALGORITHM", "--steps", "3000", "--learning-rate", "0.01", "--folder", "run")
    config = json.loads(Path("run/config.json").read_text())
    assert (config["algorithm"], config["agent"], config["learning_rate"]) == ("my_reinforce", "onnx", 0.01)
    assert "my_reinforce.py" not in Path("run/config.json").read_text()  # a file never names code
    assert find_agent("run", make_game("leduc_holdem-v0")).name == "run"
    assert Path("run/evaluation.json").exists() and "Let it play: card-envs match --env" in out


def test_a_league_trains_it(file: Path, shell: Shell) -> None:
    shell.prints("league", "new", "population", "--env", "leduc_holdem-v0")
    words = "--division learn --kind random --students my_reinforce.py:ALGORITHM --teachers random --set hands=300"
    shell.prints("league", "add", "population", *words.split())
    with League.open("population") as league, pytest.raises(UntrustedNameError):
        league.run({"learn": 1})
    allowed = "--rounds learn=2 --allow my_reinforce.py:ALGORITHM"
    shell.prints("league", "run", "population", *allowed.split())
    with League.open("population") as league:
        measures = [json.loads(text) for (text,) in league.store.rows("SELECT measures FROM outcomes")]
    assert len(measures) == 2 and all("loss" in of_student for each in measures for of_student in each.values())


def test_a_continued_run_is_the_run_that_was_not_interrupted(file: Path, shell: Shell) -> None:
    for steps in ("2500", "6000"):  # a module of the working directory is the same as its file
        train(shell, "my_reinforce:ALGORITHM", "--steps", steps, "--folder", "continued")
    train(shell, f"{file}:ALGORITHM", "--steps", "6000", "--folder", "whole")
    (first, facts), (second, _) = (load_state(Path(run) / "state.safetensors") for run in ("continued", "whole"))
    assert facts["num_steps"] >= 6000 and first.keys() == second.keys() and any("adam." in name for name in first)
    for name, tensor in first.items():
        np.testing.assert_array_equal(tensor.numpy(), second[name].numpy(), err_msg=name)


def test_other_settings_do_not_continue_a_run(file: Path, shell: Shell) -> None:
    words = ("my_reinforce.py:ALGORITHM", "--steps", "2000", "--folder", "run")
    train(shell, *words)
    assert "learning_rate = 0.003, not 0.5" in refuses(shell, *words, "--learning-rate", "0.5")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "my_reinforce.py",
            "names no algorithm: add the name of an Algorithm in it, such as my_reinforce.py:",
        ),
        ("my_reinforce.py:NOTHING", "'my_reinforce.py:NOTHING' is no algorithm: my_reinforce.py has no 'NOTHING'"),
        ("my_reinforce.py:Config", "is no algorithm: it must name a `card_baselines.runs.algorithm.Algorithm`"),
        ("no.py:ALGORITHM", "'no.py:ALGORITHM' is no algorithm: there is no file"),
        ("no_such_module:ALGORITHM", "is no algorithm: No module named 'no_such_module'"),
        ("my_reinforce", "algorithm 'my_reinforce' is not known"),
    ],
)
def test_a_wrong_name_is_explained(file: Path, name: str, message: str, shell: Shell) -> None:
    assert message in refuses(shell, name)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('return {"loss": loss.item()}', "return None", "learn returned None: a dict of numbers is needed"),
        ('return {"loss": loss.item()}', 'return {"loss": "x"}', "learn returned {'loss': 'x'}: a dict of numbers"),
        ('"adam": self.optimiser', '"adam": config', "part 'adam' is a Config, which has no state_dict"),
        ("self.batch = game, 2000", "self.batch = game, 0", "decisions 0 must be a whole number, at least 1"),
        ("return choose(policy.numpy(),", "return policy.numpy().argmax(1) - 0.5 + choose(policy.numpy(),",
         "128 integers are needed"),
    ],
)  # fmt: skip
def test_what_a_learner_gets_wrong_is_told_in_one_line(
    file: Path, before: str, after: str, message: str, shell: Shell
) -> None:
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))
    assert message in refuses(shell, "my_reinforce.py:ALGORITHM", "--steps", "1000", "--folder", "run")


def test_errors_of_the_code_itself_are_shown_as_they_are(file: Path, shell: Shell) -> None:
    (file.parent / "broken.py").write_text("import math\nmath.nothing\n")
    with pytest.raises(AttributeError, match="nothing"):
        train(shell, "broken.py:ALGORITHM")


def test_help_lists_its_settings(file: Path, shell: Shell) -> None:
    out = shell.prints("train", "my_reinforce.py:ALGORITHM", "--help")
    assert "usage: card-envs train my_reinforce.py:ALGORITHM" in out and "--learning-rate FLOAT" in out
    assert "Step size of Adam." in out


def test_a_run_folder_cannot_name_its_code(file: Path, shell: Shell) -> None:
    train(shell, "my_reinforce.py:ALGORITHM", "--steps", "1000", "--folder", "run")
    config = json.loads(Path("run/config.json").read_text())
    Path("run/config.json").write_text(json.dumps(config | {"agent": "my_reinforce.py:Reinforce"}))
    with pytest.raises(UntrustedNameError, match="names code for its agent"):
        find_agent("run", make_game("leduc_holdem-v0"))


def test_tables_of_somebody_elses_checkpoint_are_checked() -> None:
    collector = Collector(make_vector("leduc_holdem-v0", 8, seed=0), lambda step: (step.action_mask.argmax(axis=1), {}))
    state = {name: array.copy() for name, array in collector.state_dict().items()}
    before = collector.tables.tables.copy()
    records = state["tables"].view(before.dtype)
    records["actor"] = 100
    with pytest.raises(ValueError, match="actor"):
        collector.load_state_dict(state)
    np.testing.assert_array_equal(collector.tables.tables, before)


@dataclass(frozen=True, kw_only=True)
class OwnConfig(GameRunConfig):
    """Settings with a range, and with a type whose name only type checkers know."""

    width: Annotated[tuple[int, ...], AT_LEAST_1] = (16,)
    share: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class WideConfig(OwnConfig):
    """Another default, no range of its own."""

    width: tuple[int, ...] = (64, 64)


@pytest.mark.parametrize("kind", [OwnConfig, WideConfig])
def test_own_settings_are_in_their_ranges(kind: type[OwnConfig]) -> None:
    assert kind(width=(1, 2)).width == (1, 2)
    with pytest.raises(ValueError, match="width 0 must be at least 1"):
        kind(width=(3, 0))
    with pytest.raises(ValueError, match="minutes nan must be at least 0"):
        kind(minutes=float("nan"))
