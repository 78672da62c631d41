"""What a new user meets first: the list of agents, names that are not known, help, and the path of the program."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from card_baselines import cli, registry
from card_baselines.cli import console, strengths
from card_baselines.cli.commands import train
from card_envs import make_game, plugins
from tests.helpers.shell import Shell

TWO = ("--agents", "random", "random")
PAPERS = ("card_baselines.papers.", "card_baselines/papers/")


def test_agents_of_a_game_have_a_line_each_at_80_columns(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_PIPED_WIDTH", 80)
    out = shell.prints("agents", "limit_holdem")
    heads_up, six = out.split("limit_holdem-v0 num_players=6")
    listed = {line.split()[0]: line for line in heads_up.splitlines() if line.startswith("  ") and line.strip()}
    assert "ppo_limit_hu" in listed and "ppo_limit_six_max" in six and "big2_greedy" not in out
    assert not {"chen_strict", "sklansky_strict", "brennus", "zheng2022_dqn"} & set(listed)
    for name, line in listed.items():
        assert name == "agent" or line.rstrip().endswith(registry.STYLES[name]), "no line is broken"
    measured = strengths.read_strengths()["limit_holdem-v0"]["agents"]
    order = [measured[name]["mean"] for name in listed if name in measured]
    assert order == sorted(order, reverse=True) and len(order) > 15
    assert "--all: 18 more" in out and shell.reports("agents", "limit_holdem")


def test_styles_are_short_and_those_without_are_second_names_and_papers() -> None:
    known = plugins.OWN_AGENTS | registry.AGENTS
    without = set(known) - set(registry.STYLES)
    assert set(registry.STYLES) <= set(known) and max(map(len, registry.STYLES.values())) <= 42
    locations = [known[name] for name in registry.STYLES]
    assert len(set(locations)) == len(locations), "an agent has a style under one name"
    assert all(known[name] in locations or known[name].startswith(PAPERS) for name in without)


def test_every_strength_was_measured_for_an_agent_with_a_style() -> None:
    for env, made in strengths.read_strengths().items():
        assert made["reference"] == strengths.REFERENCES[env] and made["hands"] >= strengths.HANDS
        assert set(made["agents"]) <= set(registry.STYLES) - {made["reference"]}
        for name, result in made["agents"].items():
            low, high = result["ci95"]
            assert low <= result["mean"] <= high, name


def test_far_names_are_not_suggested_and_messages_stay_short(shell: Shell) -> None:
    for name in ("nobody", "nope", "foo", "player"):
        err = shell.refuses("match", "limit_holdem", "--agents", name, "chen")
        assert "did you mean" not in err and len(err) < 300, err
    err = shell.refuses("nope")
    assert "did you mean" not in err and ", ".join(cli.COMMANDS) in err and len(err) < 250


def test_only_encoders_that_fit_are_offered(shell: Shell) -> None:
    offered = {}
    for env in ("limit_holdem-v0", "no_limit_holdem-v0"):
        message = shell.refuses("match", env, *TWO, "--set", "encoder=x")
        offered[env] = set(re.findall(r"'(\w+)'", message)) - {"x"}
    assert "bits" in offered["limit_holdem-v0"] - offered["no_limit_holdem-v0"]
    for env, encoders in offered.items():
        assert {make_game(env, encoder=name).encoder.name for name in encoders} == encoders


def test_help_shows_no_empty_defaults_and_no_python(shell: Shell) -> None:
    for name in cli.COMMANDS:
        if name in ("train", "reproduce", "league"):
            continue
        out = " ".join(shell.prints(name, "--help").replace("\u2502", " ").split())
        assert "(default: )" not in out and "appends to" not in out, name


def test_a_file_that_cannot_be_written_is_named_itself(tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "hands.phhs", Path("/proc/hands.phhs")):
        err = shell.refuses("match", "limit_holdem", *TWO, "--hands", "2", "--save", str(path))
        assert f"{path}: " in err and "tmp" not in err.replace(str(tmp_path), "")


def test_a_program_that_the_shell_does_not_find_is_named_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program, activate = tmp_path / "bin" / "card-envs", tmp_path / "bin" / "activate"
    program.parent.mkdir()
    for file in (program, activate):
        file.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(program), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert console.find_program() == str(program)
    train.print_how_to_activate()
    assert capsys.readouterr().out == f"So that the shell finds `card-envs`: . {activate}\n"
    monkeypatch.setenv("PATH", str(program.parent))
    assert console.find_program() == "card-envs"
    train.print_how_to_activate()
    assert capsys.readouterr().out == ""
