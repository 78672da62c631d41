"""The `card-envs` command: every subcommand, as text and as JSON, and what it says to wrong input."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from card_baselines import cli, registry
from card_baselines.cli.commands import train
from card_baselines.cli.commands.exploit import describe_exploitability
from card_baselines.cli.console import make_table
from card_baselines.exploitability.methods import ExploitSettings, list_unused
from card_baselines.run_folder import RunFolder
from card_baselines.runs.config import GameRunConfig
from card_baselines.settings import parse_settings
from card_envs.envs import ENVS
from card_envs.history.errors import SUFFIXES
from tests.helpers.processes import PATHS, run_python
from tests.helpers.shell import Shell

MATCH = ("match", "leduc_holdem-v0", "--agents", "random", "always_call", "--hands", "50", "--seed", "3")
HAND = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [3, 6]
min_bet = 6
starting_stacks = [200, 200]
actions = ["d dh p1 AcAd", "d dh p2 7h2s", "p2 cbr 18", "p1 cc", "d db 3c4d5h", "p1 cc", "p2 cbr 10", "p1 f"]
finishing_stacks = [182, 218]
"""
"""Heads-up in PHH: the second player has the button, raises, and wins with a bet on the flop."""


# --- envs and agents --------------------------------------------------------------------------------------------------


def test_envs(shell: Shell) -> None:
    out = shell.prints("envs")
    for env_id in ENVS:
        assert env_id in out
    assert "rlcard" in out and "charlesworth2018" in out


def test_envs_as_json(shell: Shell) -> None:
    reports = {report["id"]: report for report in shell.reports("envs")}
    assert set(reports) == set(ENVS)
    limit, kuhn = reports["limit_holdem-v0"], reports["kuhn_poker-v0"]
    assert limit["num_actions"] == 3
    assert {"standard", "acpc", "rlcard", "pokerstars"} == set(limit["rules"])
    assert {"default", "rlcard", "kaminsky404"} <= set(limit["encoders"])
    assert limit["encoders"]["rlcard"]["size"] == 72
    assert limit["settings"]["num_players"] == 2
    assert kuhn["rules"] == []
    assert "kaminsky404" not in kuhn["encoders"]


def test_agents(shell: Shell) -> None:
    out = shell.prints("agents", "--all")
    for name in ("random", *registry.AGENTS):
        assert name in out
    reports = {report["name"]: report for report in shell.reports("agents")}
    assert reports["random"]["plays"] == list(ENVS)
    assert "big2-v0" not in reports["always_call"]["plays"]
    assert reports["always_raise"]["from"] == "card_baselines.agents.scripted.simple:AlwaysRaise"
    assert reports["ppo_limit_six_max"]["plays"] == ["limit_holdem-v0 num_players=6"]
    assert [reports[name]["chooses"] for name in ("ppo_limit_six_max", "always_call")] == ["sampling", ""]
    assert all(report["summary"] for report in reports.values())


def test_ids_are_never_broken() -> None:
    rows = [["no_limit_holdem-v0", "words " * 30, "words " * 30]]
    shown = io.StringIO()
    Console(width=60, file=shown).print(make_table(["id", "one", "two"], rows))
    assert "no_limit_holdem-v0" in shown.getvalue()


# --- match ------------------------------------------------------------------------------------------------------------


def test_match(shell: Shell) -> None:
    code, out, err = shell.run(*MATCH)
    assert (code, err) == (0, "")
    assert "chips/hand (± 95 %)" in out
    assert "always_call" in out and "hands/s" in out


def test_match_in_big_and_small_blinds(shell: Shell) -> None:
    out = shell.prints("match", "limit_holdem", "--agents", "random", "always_raise", "--hands", "20", "--duplicate")
    assert "bb/100" in out and "sb/hand" in out and "20 hands, 10 deals" in out


def test_match_as_json(shell: Shell) -> None:
    out = shell.prints(*MATCH, "--json")
    result = json.loads(out)
    assert {key: result[key] for key in ("env", "settings", "hands", "seed", "unit")} == {
        "env": "leduc_holdem-v0",
        "settings": {"num_players": 2},
        "hands": 50,
        "seed": 3,
        "unit": "chips",
    }
    first, second = result["agents"]
    assert (first["name"], second["name"]) == ("random", "always_call")
    assert first["mean"] == -second["mean"]
    assert first["ci95"][0] < first["mean"] < first["ci95"][1]
    assert shell.prints(*MATCH, "--json") == out


def test_match_for_as_many_seats_as_agents(shell: Shell) -> None:
    names = ["always_call", "always_raise", "random", "random"]
    arguments = ["match", "no_limit_holdem", "--agents", *names, "--hands", "8"]
    result = shell.reports(*arguments, "--set", "bet_menu=fcpa", "--set", "stacks=20,30,40,50")
    assert result["settings"] == {"num_players": 4, "bet_menu": "fcpa", "stacks": [20, 30, 40, 50]}
    assert [agent["name"] for agent in result["agents"]] == names


def test_match_with_an_agent_from_a_file(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import numpy as np\n"
        "class Folder:\n"
        "    name = 'folder'\n"
        "    def act(self, decisions, rng):\n"
        "        return 1 - decisions.action_mask[:, 0].astype(np.int64)\n"
    )
    arguments = ["--agents", f"{path}:Folder", "always_raise", "--hands", "100", "--duplicate"]
    result = shell.reports("match", "limit_holdem-v0", *arguments)
    folder = result["agents"][0]
    assert (folder["name"], folder["mean"], folder["ci95"]) == ("folder", -0.75, [-0.75, -0.75])


def test_match_with_everything(shell: Shell, tmp_path: Path) -> None:
    options = ["--hands", "60", "--duplicate", "--control-variates", "--statistics", "--plot", str(tmp_path / "w.png")]
    out = shell.prints("match", "limit_holdem", "--agents", "random", "always_call", *options)
    for word in ("by position", "BTN", "control variates", "worth plain hands", "VPIP", "tightness"):
        assert word in out
    assert (tmp_path / "w.png").read_bytes()[1:4] == b"PNG"
    assert len(list(tmp_path.iterdir())) == 1
    report = shell.reports("match", "limit_holdem", "--agents", "random", "always_call", *options)
    assert [agent["name"] for agent in report["control_variates"]] == ["random", "always_call"]
    assert report["statistics"][1]["PFR"]["value"] == 0.0
    lucky = ["--agents", "always_call", "always_call", "--hands", "2", "--duplicate", "--control-variates", "--json"]
    assert "Infinity" not in shell.prints("match", "limit_holdem", *lucky)


def test_match_of_agents_with_memory_takes_chance_off(shell: Shell) -> None:
    options = ["--hands", "200", "--hands-per-table", "20", "--control-variates"]
    report = shell.reports("match", "limit_holdem", "--agents", "chen", "always_call", *options)
    (low, high), (plain_low, plain_high) = (report[key][0]["ci95"] for key in ("control_variates", "agents"))
    assert low < report["control_variates"][0]["mean"] < high and high - low < plain_high - plain_low


@pytest.mark.parametrize("ways", [(), ("--duplicate",)])
def test_a_forecast_of_hands_is_right_when_they_are_played(shell: Shell, ways: tuple[str, ...]) -> None:
    """The interval of as many hands as the forecast names is as wide as was wanted, within a third."""
    match = ["match", "leduc_holdem", "--agents", "cfr", "random", *ways]
    wanted = 0.3
    out = shell.prints(*match, "--hands", "2", "--within", str(wanted))
    (hands,) = re.findall(r"takes about ([\d,]+) hands", out)
    report = shell.reports(*match, "--hands", hands.replace(",", ""))
    low, high = report["agents"][0]["ci95"]
    assert (high - low) / 2 == pytest.approx(wanted, rel=1 / 3)
    assert f"type --hands {hands.replace(',', '')}" in out


def test_a_forecast_needs_a_width_and_single_deals(shell: Shell) -> None:
    assert "must be above 0, such as" in shell.refuses(*MATCH, "--within", "0")
    assert "leave --hands-per-table away" in shell.refuses(*MATCH, "--within", "1", "--hands-per-table", "5")


def test_an_option_that_needs_another_one_is_refused_alone(shell: Shell) -> None:
    assert "add --until-decided" in shell.refuses(*MATCH, "--margin", "5")


def test_one_hand_has_no_table_by_position(shell: Shell) -> None:
    words = ("match", "kuhn_poker", "--agents", "random", "random", "--hands")
    assert "by position" not in shell.prints(*words, "1") and "by position" in shell.prints(*words, "2")


def test_match_until_decided(shell: Shell) -> None:
    arguments = ["match", "kuhn_poker", "--agents", "always_call", "always_raise", "--until-decided", "--margin", "0.5"]
    out = shell.prints(*arguments, "--hands", "5000")
    assert "500 hands" in out and "decided" in out


def test_a_match_is_decided_by_what_is_left_without_chance(shell: Shell) -> None:
    options = ["--agents", "random", "tight_aggressive", "--until-decided", "--control-variates"]
    report = shell.reports("match", "limit_holdem", *options, "--hands", "3000")
    assert report["until_decided"]["decided"] and report["hands"] < 1500
    assert report["control_variates"][0]["ci95"][1] < 0 < report["control_variates"][1]["ci95"][0]


def test_what_was_played_before_an_agent_failed_is_printed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "tired.py").write_text(
        "import numpy as np\n"
        "class Tired:\n"
        "    name = 'tired'\n"
        "    def act(self, decisions, rng):\n"
        "        return np.where(decisions.table_ids < 5000, 1, 9)\n"
    )
    arguments = ["match", "kuhn_poker", "--agents", f"{tmp_path / 'tired.py'}:Tired", "always_call", "--hands", "9000"]
    code, out, err = shell.run(*arguments)
    assert (code, "4,096 hands" in out, "'tired' chose an illegal action" in err) == (2, True, True)
    code, out, err = shell.run(*arguments, "--on-error", "forfeit")
    assert (code, "9,000 hands" in out, "tired failed in 4,000 decisions" in out, err) == (0, True, True, "")


# --- hands-needed, exploit, report ------------------------------------------------------------------------------------


def test_warmup(shell: Shell) -> None:
    first, second = shell.prints("envs", "--warmup", "--env", "leduc_holdem", "kuhn_poker-v0").splitlines()
    assert first.startswith("1 of 2: leduc_holdem-v0, ") and second.startswith("2 of 2: kuhn_poker-v0, ")


def test_warmup_of_everything_is_hold_em_for_two_sizes_and_the_rest(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("card_envs.precompile.warmup", lambda env_id, **settings: 0.26)
    rows = shell.reports("envs", "--warmup")
    assert all(row["seconds"] == 0.3 for row in rows)
    assert [row["settings"] for row in rows if row["env"] == "limit_holdem-v0"] == [
        {"num_players": 2},
        {"num_players": 6},
    ]
    assert {row["env"] for row in rows} == set(ENVS)
    rows = shell.reports("envs", "--warmup", "--env", "limit_holdem-v0", "--set", "num_players=3", "encoder=rlcard")
    assert [row["settings"] for row in rows] == [{"num_players": 3, "encoder": "rlcard"}]


def test_warmup_with_a_setting_that_does_not_exist(shell: Shell) -> None:
    assert "big2-v0 has no setting 'num_players'" in shell.refuses(
        "envs", "--warmup", "--env", "big2-v0", "--set", "num_players=3"
    )


def test_hands_needed(shell: Shell) -> None:
    out = shell.prints("match", "--hands-needed", "--difference", "0.05", "--sd", "4")
    wanted = ("match", "--hands-needed", "--difference", "0.1")
    assert "50,233" in out and "24,586" in out
    out = shell.prints(*wanted, "--sd", "5", "--power", "0.9", "--confidence", "0.99")
    assert "37,199" in out and "16,588" in out and "power 90%, confidence 99%" in out
    pilot = ["--env", "leduc_holdem-v0", "--agents", "random", "always_call", "--pilot-hands"]
    plays = shell.reports(*wanted, *pilot, "200")["plays"]
    assert [play["play"] for play in plays] == ["plain", "duplicate deals", "duplicate deals, control variates"]
    match = shell.reports("match", *pilot[1:-1], "--hands", "200", "--duplicate")["agents"][0]
    assert [play["sd"] for play in plays[:2]] == [match["sd_of_hand"], match["sd_of_sample"]]
    assert "give either" in shell.refuses(*wanted)
    assert "give either" in shell.refuses(*wanted, "--sd", "5", *pilot, "200")


def test_exploit(shell: Shell) -> None:
    out = shell.prints("exploit", "kuhn_poker", "--agent", "random")
    assert "exact" in out and "0.4583" in out
    report = shell.reports("exploit", "kuhn_poker", "--agent", "always_call")
    assert report["exploitability"] == pytest.approx(1 / 3)
    arguments = ["exploit", "limit_holdem", "--agent", "always_call", "--hands", "20", "--draws", "1"]
    out = shell.prints(*arguments)
    assert "local" in out and "at least" in out and "mbb/hand" in out
    assert "method 'best' is not known" in shell.refuses(*arguments, "--method", "best")
    assert "are for at most 50,000" in shell.refuses(*arguments, "--method", "exact")
    report = shell.reports(*arguments, "--control-variates")
    assert report["plain"]["ci95"][0] < report["plain"]["mean"] and report["ci95"][0] < report["exploitability"]
    assert "plays none" in shell.refuses("exploit", "kuhn_poker", "--agent", "random", "--control-variates")


def test_options_that_a_method_does_not_use_are_named(shell: Shell) -> None:
    words = ("exploit", "kuhn_poker", "--agent", "random", "--seed", "3", "--draws", "2")
    code, out, errors = shell.run(*words, "--json", "--hands", "100", "--menu", "fc", "--raises-from", "river")
    assert (code, json.loads(out)["method"]) == (0, "exact")
    assert errors == "not used by method exact: --hands, --menu, --raises-from\n"
    assert shell.run(*words)[2] == ""


@pytest.mark.parametrize(
    ("method", "unused"),
    [
        ("exact", "--hands, --minutes, --seeds, --folder, --threads, --menu, --raises-from"),
        ("exact-flops", "--hands, --minutes, --seeds, --menu, --raises-from"),
        ("local", "--minutes, --seeds, --flops, --folder, --threads"),
        ("learned", "--flops, --folder, --threads, --menu, --raises-from"),
    ],
)
def test_each_method_uses_some_options(method: str, unused: str) -> None:
    changed = ExploitSettings(
        hands=5, seed=1, draws=2, minutes=1.0, seeds=1, flops=30, folder="x", threads=2, menu=("fc",),
        raises_from=("river",), control_variates=True,
    )  # fmt: skip
    assert ", ".join(list_unused(method, changed)) == unused


def test_a_response_that_finds_nothing_is_no_lower_bound() -> None:
    report = {"method": "learned", "exploitability": 0.003, "ci95": [-0.017, 0.023]}
    assert describe_exploitability(report, 100, 1) == "nothing found (0.3 ± 2.0)"
    assert describe_exploitability(report | {"ci95": [0.001, 0.005]}, 100, 1) == "at least 0.3 ± 0.2"
    assert describe_exploitability({"method": "exact", "exploitability": 0.003}, 100, 1) == "0.3"


def test_report(shell: Shell, tmp_path: Path) -> None:
    options = ["--env", "leduc_holdem", "--hands", "60", "--picture", str(tmp_path / "page.svg")]
    out = shell.prints("match", "--report", "--agent", "random", *options)
    for word in ("v always_raise", "chips/hand", "VPIP", "exact", "2.3736", "seed 0, commit "):
        assert word in out
    assert "<svg" in (tmp_path / "page.svg").read_text()
    report = shell.reports("match", "--report", "--agent", "always_call", *options)
    assert [match["opponent"] for match in report["matches"]] == ["random", "always_call", "always_raise"]
    assert report["exploitability"]["method"] == "exact"


def test_a_report_without_chance(shell: Shell) -> None:
    options = ["--hands", "600", "--panel", "tight_aggressive", "--exploit-hands", "0"]
    (plain_low, plain_high), (low, high) = (
        shell.reports("match", "--report", "--agent", "random", *options, *more)["matches"][0]["ci95"]
        for more in ([], ["--control-variates"])
    )
    assert high - low < 0.9 * (plain_high - plain_low)


def test_a_broken_agent_is_named_in_one_line(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "class Raises:\n    name = 'raises'\n    def act(self, decisions, rng):\n        return decisions.nothing\n"
        "class NeedsMore(Raises):\n    def __init__(self, more): pass\n"
    )
    (tmp_path / "unreadable.py").write_text("class A:\n    def act(self:\n")
    versus = ["random", "--hands", "4"]
    error = shell.refuses("match", "kuhn_poker", "--agents", f"{tmp_path / 'bad.py'}:Raises", *versus)
    assert "agent 'raises'" in error and "bad.py:4" in error
    error = shell.refuses("match", "kuhn_poker", "--agents", f"{tmp_path / 'bad.py'}:NeedsMore", *versus)
    assert "NeedsMore" in error and "more" in error
    error = shell.refuses("match", "kuhn_poker", "--agents", f"{tmp_path / 'unreadable.py'}:A", *versus)
    assert "SyntaxError" in error


TWO = ("--agents", "random", "random")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("match", "leduc_holdm", *TWO), ["'leduc_holdm'", "did you mean 'leduc_holdem-v0'"]),
        (("match", "leduc_holdem", "--agents", "random", "allways_call"), ["did you mean 'always_call'"]),
        (("match", "leduc_holdem", "--agents", "random", "x.py:A"), ["there is no file", "x.py"]),
        (("match", "leduc_holdem", *TWO, "--hands", "0"), ["hands 0", "at least 1"]),
        (("match", "leduc_holdem", *TWO, "--set", "num_player=3"), ["no setting 'num_player'", "'num_players'"]),
        (("match", "leduc_holdem", *TWO, "--set", "encoder=x"), ["encoder 'x'", "'default'"]),
        (("match", "limit_holdem", *TWO, "--set", "stacks=abc"), ["stacks"]),
        (("match", "limit_holdem", *TWO, "--set", "num_players=x"), ["num_players 'x'"]),
        (("match", "limit_holdem", *TWO, "--set", "rules"), ["'rules'", "name=value"]),
        (
            ("match", "limit_holdem", *TWO, "--set", "num_players=6"),
            ["has 6 seats here, but 2 agents", "--agents A B B B B B", "--set num_players=2"],
        ),
        (("match", "big2", *TWO), ["has 4 seats here, but 2 agents"]),
        (("match", "big2", "--agents", *["always_call"] * 4), ["'always_call' cannot play big2"]),
        (("match", "limit_holdem", *TWO, "--plot", "x.foo"), ["x.foo names no kind of picture: end it in .png"]),
        (("match", "limit_holdem", *TWO, "--plot", "no/x.png"), ["no/x.png cannot be written: there is no folder"]),
        (("match", "--report", "--agent", "random", "--picture", "x.foo"), ["x.foo names no kind of picture"]),
        (("replay", "no_such_folder"), ["no_such_folder", "no such file or folder"]),
        (("replay",), ["name at least one file or folder"]),
        (("train", "maskabel_ppo"), ["did you mean 'maskable_ppo'"]),
        (("train", "maskable_ppo", "--set", "seats=3"), ["no setting 'seats'", "'num_players'"]),
        (("check", "kuhn_poker", "--set", "seats=3"), ["no setting 'seats'", "'num_players'"]),
        (("check", "os:system"), ["os:system: system cannot make a game: missing", "'command'"]),
        (("check", "pathlib:PurePosixPath"), ["PurePosixPath returned a PurePosixPath, not a card_envs.game.Game"]),
        (("match", "limit_holdem", "--agents", "random"), ["has 2 seats here, but 1 agents are named"]),
        (("match", "leduc_holdem", "--agents", "random", "runs/none"), ["there is no folder", "runs/none"]),
        (
            ("match", "leduc_holdem", "--agents", "random", "os:path"),
            ["no class with a method act; `card-envs match --help` describes its options\n"],
        ),
        (("mach",), ["did you mean 'match'", "; `card-envs --help` describes them\n"]),
        (("match", "limit_holden", *TWO), ["did you mean 'limit_holdem-v0'", "; `card-envs envs` lists them\n"]),
        (("match", "limit_holdem", "--agents", "nobody", "chen"), ["; `card-envs agents` lists agents by name\n"]),
        (("exploit", "kuhn_poker", "--agent", "runs/none"), ["; `card-envs agents` lists agents by name\n"]),
        (("match", "limit_holdem", *TWO, "--set", "encoder=x"), ["; `card-envs envs` lists those of each game\n"]),
        (("match", "limit_holdem", *TWO, "--set", "seats=2"), ["; write --set NAME=VALUE with one of these\n"]),
        (("reproduce", "shi2021"), ["; `card-envs reproduce --help` describes them\n"]),
    ],
)
def test_wrong_use_is_explained_in_one_line(shell: Shell, arguments: tuple[str, ...], parts: list[str]) -> None:
    error = shell.refuses(*arguments)
    for part in parts:
        assert part in error


@pytest.mark.parametrize(
    "settings",
    [("--set", "num_players=3", "stacks=50"), ("--set", "num_players=3", "--set", "stacks=50")],
    ids=["one option", "two"],
)
def test_options_may_be_repeated(shell: Shell, settings: tuple[str, ...]) -> None:
    agents = ("--agents", "random", "always_call", "--agents", "chen")
    report = shell.reports("match", "limit_holdem", *agents, *settings, "--hands", "30")
    assert report["settings"] == {"num_players": 3, "stacks": 50}
    assert [agent["name"] for agent in report["agents"]] == ["random", "always_call", "chen_strict"]


def test_an_exploit_is_for_any_number_of_seats(shell: Shell) -> None:
    asked = ("exploit", "kuhn_poker", "--agent", "random", "--set", "num_players=3")
    assert shell.reports(*asked)["settings"] == {"num_players": 3}


def test_unknown_options_exit_with_2(shell: Shell) -> None:
    code, _, err = shell.run(*MATCH, "--hand", "3")
    assert code == 2 and "--hand" in err


def test_a_match_is_saved_and_replayed(shell: Shell, tmp_path: Path) -> None:
    out = shell.prints(*MATCH, "--duplicate", "--save", str(tmp_path / "new" / "match.acpc"))
    assert out.splitlines()[-1] == f"saved 50 hands in {tmp_path / 'new' / 'match.acpc'}"
    shell.prints(*MATCH, "--save", str(tmp_path / "new"), "--json")
    out = shell.prints("replay", str(tmp_path))
    assert out.splitlines()[-1] == "replayed 100 hands: 100 matched, 0 mismatched, 0 skipped"
    assert "exists already" in shell.refuses(*MATCH, "--save", str(tmp_path / "new" / "match.acpc"))
    assert "matches are saved as" in shell.refuses(*MATCH, "--save", str(tmp_path / "match.csv"))


# --- replay -----------------------------------------------------------------------------------------------------------


def test_replay(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "good.phh").write_text(HAND)
    out = shell.prints("replay", str(tmp_path))
    assert out.splitlines()[-1] == "replayed 1 hands: 1 matched, 0 mismatched, 0 skipped"


def test_replay_shows_and_draws_a_hand(shell: Shell, tmp_path: Path) -> None:
    file, picture = tmp_path / "good.phh", tmp_path / "hand.png"
    file.write_text(HAND)
    out = shell.prints("replay", str(file), "--show", "1", "--picture", str(picture))
    assert "--> player_1: p2 cbr 18" in out
    assert out.splitlines()[-1] == f"drawn in {picture}"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "must be a new file" in shell.refuses("replay", str(file), "--show", "1", "--picture", str(picture))
    assert "there is no hand 2" in shell.refuses("replay", str(file), "--show", "2")
    assert "one hand of one file" in shell.refuses("replay", str(file), "--picture", str(tmp_path / "b.png"))
    assert "--json prints counts" in shell.refuses("replay", str(file), "--show", "1", "--json")
    nowhere = tmp_path / "none" / "b.png"
    assert f"no folder {nowhere.parent}" in shell.refuses("replay", str(file), "--show", "1", "--picture", str(nowhere))


def test_replay_exits_with_1_on_a_mismatch(shell: Shell, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.phh", tmp_path / "bad.phh"
    good.write_text(HAND)
    bad.write_text(HAND.replace("cbr 18", "cbr 11"))
    code, out, _ = shell.run("replay", str(good), str(bad))
    assert code == 1
    assert out.splitlines()[-1] == "replayed 2 hands: 1 matched, 1 mismatched, 0 skipped"
    code, out, _ = shell.run("replay", str(bad), "--json")
    report = json.loads(out)
    assert code == 1
    assert (report["hands"], report["matched"], report["mismatched"], report["skipped"]) == (1, 0, 1, 0)
    assert "p2 cbr 11" in report["mismatches"][0]["reason"]


# --- train ------------------------------------------------------------------------------------------------------------


def test_train_runs_the_script_of_the_algorithm(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from card_baselines.runs import run as runs
    from card_baselines.runs.algorithm import Algorithm

    @dataclass(frozen=True, kw_only=True)
    class Config(GameRunConfig):
        steps: int = 10

    trained: list[Any] = []
    script: Any = types.ModuleType("other_players.nothing")
    script.NOTHING = Algorithm(name="nothing", config=Config, make_learner=None, describe=vars)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, script.__name__, script)
    monkeypatch.setitem(registry.ALGORITHMS, "nothing", "other_players.nothing:NOTHING")
    monkeypatch.setattr(runs, "train", lambda algorithm, config, folder, **options: trained.append((algorithm, config)))
    monkeypatch.setattr(train, "print_results", lambda folder: None)
    assert cli.main(["train", "nothing", "--env", "kuhn_poker-v0", "--set", "a=1", "--set", "b=2"]) == 0
    assert trained == [(script.NOTHING, Config(env="kuhn_poker-v0", env_args=("a=1", "b=2")))]
    monkeypatch.setitem(registry.ALGORITHMS, "nothing", "other_players.nothing")
    assert "'other_players.nothing' is no algorithm" in shell.refuses("train", "nothing")
    out = shell.prints("train", "--help")
    assert "nothing" in out and "maskable_ppo" in out


def test_a_missing_package_says_which_extra_to_install(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.ALGORITHMS, "nothing", "torch.nothing:ALGORITHM")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "pip install 'card-envs[train]'" in shell.refuses("train", "nothing")
    monkeypatch.setitem(sys.modules, "tyro", None)
    assert "pip install 'card-envs[cli]'" in shell.refuses("envs")


# --- the program ------------------------------------------------------------------------------------------------------


def test_help_and_version(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as without:  # all packages that a plain installation does not have
        without.setattr("importlib.import_module", lambda name: pytest.fail(f"help imports {name}"))
        out = shell.prints("--help")
    assert len(out.splitlines()) <= 24 and max(map(len, out.splitlines())) <= 100
    for name in cli.COMMANDS:
        assert re.search(rf"^  {name} +[A-Z].*\.$", out, re.MULTILINE)
    assert shell.run()[0] == 2
    assert shell.prints("--version").startswith("card-envs ")
    assert "--duplicate" in shell.prints("match", "--help")
    assert "minutes 0.0 must be above 0" in shell.refuses("demo", "--minutes", "0")


def test_help_of_options_that_are_on_by_default_is_true_of_their_negation(shell: Shell) -> None:
    text = " ".join(shell.prints("train", "self_play_ppo", "--help").replace("│", " ").split())
    assert "--no-progress Progress bar, shown by default." in text
    assert re.search(r"--no-skip-forced Let the engine play .*; --no-skip-forced leaves them to the learner\.", text)


def test_help_of_replay_names_the_endings_of_all_formats(shell: Shell) -> None:
    words = re.findall(r"\.\w+", shell.prints("replay", "--help"))
    assert set(SUFFIXES) <= set(words)


def test_as_a_program(tmp_path: Path) -> None:
    program = ("-m", "card_baselines.cli.main")
    result = run_python(*program, *MATCH, "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["hands"] == 50
    assert run_python(*program, "match", "nothing", *TWO, cwd=tmp_path).returncode == 2
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": os.environ | {"PYTHONPATH": PATHS}}
    with subprocess.Popen([sys.executable, *program, "envs", "--json"], cwd=tmp_path, **pipes) as unread:
        assert unread.stdout is not None and unread.stderr is not None
        unread.stdout.close()
        assert b"Broken pipe" not in unread.stderr.read()
    assert unread.returncode == 141


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (["num_players=6", "rules=rlcard"], {"num_players": 6, "rules": "rlcard"}),
        (["stacks=50,100"], {"stacks": (50, 100)}),
        (["max_raises=[3, 4, 4, 4]"], {"max_raises": [3, 4, 4, 4]}),
        (["max_raises=none", "opening-decision=true"], {"max_raises": None, "opening_decision": True}),
        (["bet_menu=0.5,1.0", "name=a=b"], {"bet_menu": (0.5, 1.0), "name": "a=b"}),
    ],
)
def test_settings(words: list[str], settings: dict[str, Any]) -> None:
    assert parse_settings(words) == settings


@pytest.mark.parametrize("words", [["rules"], ["=3"], ["a b=3"], ["a=1", "a=2"]])
def test_settings_that_are_none(words: list[str]) -> None:
    with pytest.raises(ValueError, match="setting"):
        parse_settings(words)


def test_an_interrupted_match_prints_the_result_so_far(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from card_envs.agent import RandomAgent\n"
        "class Interrupted(RandomAgent):\n"
        "    def act(self, decisions, rng):\n"
        "        if decisions.table_ids.max() >= 4096:\n"
        "            raise KeyboardInterrupt\n"
        "        return super().act(decisions, rng)\n"
    )
    agents = ["--agents", f"{tmp_path}/mine.py:Interrupted", "random"]
    code, out, _ = shell.run("match", "kuhn_poker", *agents, "--hands", "9000")
    assert code == 130
    assert "4,096 hands" in out


def test_adapt_measures_sessions_and_draws_them(shell: Shell, tmp_path: Path) -> None:
    picture = tmp_path / "adapt.png"
    report = shell.reports(
        "match", "--adapt", "--env", "limit_holdem-v0", "--agent", "always_raise",
        "--styles", "always_call", "chen", "--hands-per-style", "20", "--sessions", "3", "--window", "5",
        "--responses", "equity", "--plot", str(picture),
    )  # fmt: skip
    assert [style["name"] for style in report["by_style"]] == ["always_call", "chen_strict"]
    assert report["sessions"] == 3 and report["regret"]["sessions"] == 3
    assert [change["style"] for change in report["recovery"]] == ["chen_strict"]
    assert picture.stat().st_size > 5_000


@pytest.mark.parametrize(("env", "env_args"), [("limit_holdem-v0", []), ("no_limit_holdem-v0", ["num_players=3"])])
def test_the_match_that_is_proposed_after_a_training_can_be_played(
    env: str, env_args: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], shell: Shell
) -> None:
    """The config.json of some learners does not say how many seats the game has."""
    config = {"agent": "mlp", "env": env, "env_args": env_args, "panel": ["random"]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "evaluation.json").write_text(json.dumps({"env": env, "matches": []}))
    train.print_results(RunFolder(tmp_path))
    words = capsys.readouterr().out.split("card-envs match ")[1].split()
    assert words[-1] == "100000"
    words = ["chen" if word == str(tmp_path) else word for word in words[:-1]]
    shell.prints("match", *words, "12")
