"""Further forms of commands, what replaced former commands, and how commands name an environment."""

from __future__ import annotations

import shlex

import pytest

from card_baselines import cli
from card_baselines.cli import forms
from tests.helpers.shell import Shell


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        ("panel --quick", "match --panel --quick"),
        ("hands-needed --difference 0.1 --sd 4", "match --hands-needed --difference 0.1 --sd 4"),
        ("adapt limit_holdem-v0 --agent brennus", "match --adapt --env limit_holdem-v0 --agent brennus"),
        ("report chen --hands 10", "match --report --agent chen --hands 10"),
        ("report --help", "match --report --help"),
        ("acpc two.game --agents chen", "play --acpc two.game --agents chen"),
        ("slumbot --agent chen", "play --slumbot --agent chen"),
        ("serve-openenv leduc_holdem-v0", "serve --openenv --env leduc_holdem-v0"),
        ("benchmark-learners --games kuhn", "bench learners --games kuhn"),
        ("big2-benchmark my_player.py:Player", "bench big2 --agent my_player.py:Player"),
        ("warmup", "envs --warmup"),
        ("warmup big2-v0 kuhn_poker-v0", "envs --warmup --env big2-v0 kuhn_poker-v0"),
        ("export 'my run' --onnx a.onnx", "agents --export --agent 'my run' --onnx a.onnx"),
    ],
)
def test_a_former_command_ends_with_the_line_to_type(typed: str, instead: str, shell: Shell) -> None:
    assert shell.refuses(*shlex.split(typed)).endswith(f": card-envs {instead}\n")
    name, word = shlex.split(instead)[:2]
    assert forms.find_form(shlex.split(instead))[0] == f"{name} {word}"


def test_there_are_sixteen_commands_and_each_former_one_has_a_form() -> None:
    assert len(cli.COMMANDS) == len(set(cli.COMMANDS)) == 16
    replacing = [words.split() for words, _ in forms._FORMER.values()]
    assert all(word in forms.FORMS[name] for name, word in replacing)
    assert not set(forms._FORMER) & set(cli.COMMANDS)


@pytest.mark.parametrize("name", forms.FORMS)
def test_help_of_a_command_lists_its_forms(name: str, shell: Shell) -> None:
    lines = shell.prints(name, "--help").splitlines()
    for word in forms.FORMS[name]:
        assert any(line.startswith(f"  {word} ") and len(line.split()) > 3 for line in lines), word


def test_the_word_of_a_form_may_stand_anywhere(shell: Shell) -> None:
    for words in ("match --hands-needed --difference 1 --sd 2", "match --difference 1 --sd 2 --hands-needed"):
        assert "32" in shell.prints(*words.split())
    assert forms.find_form(["match", "--panel", "chen", "--report"])[0] == "match --report"
    assert forms.find_form(["bench", "--json", "big2"])[0] == "bench"


@pytest.mark.parametrize("command", ["match --agents random random --hands 4", "exploit --agent random"])
@pytest.mark.parametrize("place", ["{0} --env {1} {2}", "{0} {1} {2}", "{0} {2} --env {1}"])
def test_environments_are_named_in_one_way_and_may_stand_first(command: str, place: str, shell: Shell) -> None:
    name, _, options = command.partition(" ")
    assert "kuhn_poker-v0" in shell.prints(*place.format(name, "kuhn_poker-v0", options).split())


def test_an_environment_is_named_once(shell: Shell) -> None:
    err = shell.refuses("match", "kuhn_poker-v0", "--env", "leduc_holdem-v0", "--agents", "random", "random")
    assert "'kuhn_poker-v0' and --env name the same thing" in err and "`card-envs match --help`" in err


def test_errors_of_a_form_name_its_help(shell: Shell) -> None:
    err = shell.refuses("match", "--hands-needed", "--difference", "0.1")
    assert "`card-envs match --hands-needed --help` describes its options" in err
