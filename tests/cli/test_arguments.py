"""Options of training and reproduction scripts that are repeated on the command line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("tyro")

from card_baselines.cli.arguments import call_command, group_options, require_numbers_in_range
from tests.helpers.shell import Shell

KUHN = "kuhn_poker-v0"


@dataclass(frozen=True)
class Config:
    """Settings."""

    panel: tuple[str, ...] = ("random",)
    set: tuple[str, ...] = ()
    dry: bool = False
    rate: float = 1.0


@pytest.mark.parametrize(
    ("words", "config"),
    [
        ("", Config()),
        ("--panel a b", Config(("a", "b"))),
        ("--panel a --panel b", Config(("a", "b"))),
        ("--panel a --dry --panel b c", Config(("a", "b", "c"), dry=True)),
        ("--panel=a --panel=b", Config(("a", "b"))),
        ("--set x=1 --rate=2 --set y=2", Config(set=("x=1", "y=2"), rate=2.0)),
        ("--set=x=1 --rate -2", Config(set=("x=1",), rate=-2.0)),
    ],
)
def test_a_repeated_option_adds_to_the_first(words: str, config: Config) -> None:
    assert call_command(Config, "train test", words.split()) == config


def test_words_before_the_first_option_stay_there() -> None:
    assert group_options(["a", "b", "--x", "1", "--y", "--x", "2"]) == ["a", "b", "--x", "1", "2", "--y"]


HUGE = "99999999999999999999"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (f"match {KUHN} --agents random random --hands {HUGE}", "--hands"),
        (f"match {KUHN} --agents random random --hands={HUGE}", "--hands"),
        (f"match {KUHN} --agents random random --hands 99_999_999_999_999_999_999", "--hands"),
        (f"match {KUHN} --agents random random --seed {HUGE}", "--seed"),
        (f"match {KUHN} --agents random random --seed -{HUGE}", "--seed"),
        (f"match {KUHN} --agents random random --hands-per-table {HUGE}", "--hands-per-table"),
        (f"match no_limit_holdem-v0 --agents random random --set stacks={HUGE}", "--set"),
        (f"match no_limit_holdem-v0 --agents random random --set stacks=50,{HUGE}", "--set"),
        (f"play {KUHN} --hands {HUGE}", "--hands"),
        (f"exploit {KUHN} --agent random --draws {HUGE}", "--draws"),
        (f"match --adapt --env {KUHN} --agent random --styles random --sessions {HUGE}", "--sessions"),
        (f"match --report --agent random --env {KUHN} --hands {HUGE}", "--hands"),
        (f"match --panel --seed {HUGE}", "--seed"),
        (f"match {KUHN} --agents random random --set stacks={'9' * 5000}", "--set"),
        (f"match --hands-needed --difference 1 --sd 2 --pilot-hands {HUGE}", "--pilot-hands"),
        (f"tournament random chen --workers {HUGE}", "--workers"),
        (f"league run somewhere --rounds climb={HUGE}", "--rounds"),
        (f"league new somewhere --env {KUHN} --seed {HUGE}", "--seed"),
        (f"check {KUHN} --deals {HUGE}", "--deals"),
        (f"serve --port {HUGE}", "--port"),
        (f"train maskable_ppo --num-tables {HUGE}", "--num-tables"),
        (f"train self_play_ppo --num-tables {HUGE}", "--num-tables"),
        (f"reproduce shi2022 --seed {HUGE}", "--seed"),
    ],
)
def test_numbers_that_nothing_can_hold_are_refused_in_our_words(words: str, option: str, shell: Shell) -> None:
    code, _, error = shell.run(*words.split())
    assert code == 2
    assert f"{option} " in error and "is too large: whole numbers go up to 9,223,372,036,854,775,807" in error


@pytest.mark.parametrize(
    ("words", "lowest"),
    [
        ("serve --no-open --port -1", 0),
        ("serve --no-open --port 65536", 0),
        (f"serve --openenv --env {KUHN} --port 65536", 1),
        ("play --acpc holdem.limit.2p.reverse_blinds.game --agents random --connect 127.0.0.1:0", 1),
        ("play --acpc holdem.limit.2p.reverse_blinds.game --agents random --connect 127.0.0.1:65536", 1),
        ("play --acpc holdem.limit.2p.reverse_blinds.game --agents random bot:65536 --hands 1", 1),
    ],
)
def test_ports_that_do_not_exist_are_refused(words: str, lowest: int, shell: Shell) -> None:
    port = re.findall(r"-?\d+", words.removesuffix(" --hands 1"))[-1]
    assert f"card-envs: port {port} must be in {lowest} .. 65535; " in shell.refuses(*words.split())


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "1e10"])
@pytest.mark.parametrize(
    "words",
    [
        "play --acpc holdem.limit.2p.reverse_blinds.game --agents random bot:34567 --timeout",
        "play --slumbot --agent random --timeout",
        "league watch nowhere --every",
    ],
)
def test_a_time_to_wait_is_one_that_ends(words: str, seconds: str, shell: Shell) -> None:
    wanted = f" {float(seconds):g} must be above 0 and at most 1,000,000 seconds"
    assert wanted in shell.refuses(*words.split(), seconds)


@pytest.mark.parametrize("words", ["serve --no-open --port 0", f"serve --openenv --env {KUHN}"])
def test_an_empty_address_does_not_listen_to_every_machine(words: str, shell: Shell) -> None:
    assert "card-envs: host '' must be an address, such as 127.0.0.1" in shell.refuses(*words.split(), "--host", "")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("match", KUHN, "--agents", "random", "random", "--hands", "4", "--save", ""), "--save"),
        (("match", KUHN, "--agents", "random", "random", "--hands", "4", "--save="), "--save"),
        (("tournament", "random", "always_call", "--env", KUHN, "--passes", "1", "--folder", ""), "--folder"),
        (("train", "self_play_ppo", "--env", KUHN, "--folder", ""), "--folder"),
        (("replay", ""), "an argument"),
    ],
)
def test_an_empty_text_is_no_path(words: tuple[str, ...], option: str, shell: Shell) -> None:
    code, _, error = shell.run(*words)
    assert code == 2
    assert f"card-envs: {option} is an empty text: write a value, or leave it out" in error


@pytest.mark.parametrize("hands", [str(2**63 - 1), str(2**62), str(10**15)])
def test_matches_that_memory_cannot_hold_are_refused_with_their_size(hands: str, shell: Shell) -> None:
    error = shell.refuses("match", KUHN, "--agents", "random", "random", "--hands", hands)
    assert f"payoffs and positions of {int(hands):,} hands take " in error
    assert "that are free: play fewer; `card-envs match --help`" in error


@pytest.mark.parametrize("option", ["--num-tables", "--hidden"])
def test_numbers_that_memory_cannot_hold_are_refused_in_our_words(option: str, shell: Shell, tmp_path: Path) -> None:
    words = ["train", "self_play_ppo", "--env", KUHN, "--minutes", "0.01", "--folder", str(tmp_path / "run")]
    code, _, error = shell.run(*words, option, str(10**14))
    assert code == 2
    assert "card-envs: a number asks for more than the memory of this machine holds: choose a smaller one" in error
    assert not (tmp_path / "run").exists()


def test_names_and_paths_may_have_many_digits() -> None:
    require_numbers_in_range(["--folder", "runs/99999999999999999999/s0", f"--agents=agent{HUGE}", "--hands", "9" * 18])


@pytest.mark.parametrize(
    "words",
    [
        "exploit limit_holdem-v0 --agent chen --method local --hands 1",
        f"match --adapt --env {KUHN} --agent random --styles random always_call --sessions 1 --hands-per-style 1",
        f"tournament random always_call --env {KUHN} --passes 1 --hands 1 --by low --folder {{folder}}",
    ],
)
def test_one_sample_has_no_interval_and_json_says_null(words: str, tmp_path: Path, shell: Shell) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    printed = shell.prints(*words.format(folder=tmp_path / "folder").split(), "--json")
    json.loads(printed, parse_constant=refuse)
    assert "null" in printed
