"""The help of every command begins with an example: it is typed as it stands, and the quick ones are run."""

from __future__ import annotations

import functools
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from card_baselines import cli
from card_baselines.cli.examples import EXAMPLES
from card_baselines.cli.forms import FORMS, GROUPS, find_form
from tests.helpers.shell import Shell

QUICK = ("envs", "agents", "match --hands-needed", "replay", "agents --export")
TAKE_ARGUMENTS = ("train", "reproduce")


def test_every_command_has_an_example_of_its_own() -> None:
    forms = {f"{name} {word}" for name, words in FORMS.items() for word in words}
    assert set(EXAMPLES) == (set(cli.COMMANDS) - set(GROUPS)) | forms
    assert all(example.words.startswith(f"{name} ") or example.words == name for name, example in EXAMPLES.items())


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_begins_with_the_example_its_unit_and_its_cost(name: str, shell: Shell) -> None:
    out = shell.prints(*name.split(), "--help")
    example = EXAMPLES[name]
    assert f"\n\nExample: card-envs {example.words}\n({example.about})\n\n" in out
    assert out.index("Example: ") < out.index("\n\n", out.index("\n\n") + 2)


@pytest.mark.parametrize(
    ("name", "option", "cost"),
    [
        ("match", "--control-variates", "Cost with networks in hold'em: about 1 processor ms a hand in 5,000 hands"),
        ("exploit", "--method", "Cost: local takes about half a processor minute per 1,000 hands against a network"),
    ],
)
def test_help_of_a_slow_option_says_what_it_costs(name: str, option: str, cost: str, shell: Shell) -> None:
    lines = [line.strip("│ ") for line in shell.prints(name, "--help").splitlines()]
    text = " ".join(lines[next(k for k, line in enumerate(lines) if line.startswith(option)) :])
    assert "".join(cost.split()) in "".join(text.split())  # a line may break within a number


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in TAKE_ARGUMENTS])
def test_examples_are_words_that_the_command_understands(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = sys.modules[cli.main.__module__]  # the package has a function of that name
    command, called = program._load_command(find_form(name.split())[1]), list[Any]()

    @functools.wraps(command)
    def stand_in(*words: Any, **options: Any) -> int:
        called.append((words, options))
        return 0

    monkeypatch.setattr(program, "_load_command", lambda location: stand_in)
    assert cli.main(shlex.split(EXAMPLES[name].words)) == 0
    assert len(called) == 1


def test_the_example_of_training_trains_by_these_settings(shell: Shell) -> None:
    assert '"env": "leduc_holdem-v0"' in shell.prints(*shlex.split(EXAMPLES["train"].words), "--dry-run")


def test_quick_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hands = "match limit_holdem-v0 --agents chen always_call --hands 20 --save hands.phhs"
    for words in (hands, *(EXAMPLES[name].words for name in QUICK)):
        assert cli.main(shlex.split(words)) == 0, words
    assert (tmp_path / "ppo_big2.onnx").exists()


@pytest.mark.parametrize("rounds", ["2", pytest.param("30", marks=pytest.mark.slow)])
def test_the_examples_of_a_league_run_one_after_the_other(
    rounds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("league new", "league add", "league run", "league rank"):
        words = shlex.split(EXAMPLES[name].words)
        if name == "league run":
            words[words.index("--rounds") + 1] = rounds
        assert cli.main(words) == 0, words
