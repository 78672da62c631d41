"""`card-envs match --panel`: what is played, and that its file keeps what is not played again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from card_baselines.cli.commands import panel as command
from card_baselines.cli.commands.panel import BIG2, HOLDEM, SECTIONS, Section
from card_envs.agent import known_agents
from card_envs.analysis.variance.control_variates import play_and_summarise
from tests.helpers.shell import Shell

SMALL = (
    Section("heads_up", "leduc_holdem-v0", 2, ("random", "always_call", "always_raise"), 400, 400),
    Section("three", "limit_holdem-v0", 3, ("random", "always_call"), 300, 300),
)


def test_everybody_with_a_name_is_in_the_panel() -> None:
    aliases = {"sklansky", "chen", "shi_rules"}
    players = {name for name, place in known_agents().items() if ".scripted." in place or ".search." in place}
    assert players - aliases <= {*HOLDEM, *BIG2}


def test_one_of_each_row_against_all_of_each_column() -> None:
    heads_up, six_max, big2 = SECTIONS
    assert len(list(heads_up.matches())) == 19 * 18 / 2
    assert len(list(six_max.matches())) == 17 * 16
    assert len(list(big2.matches())) == 7 * 6
    assert heads_up.hands_of("random", "equity") > heads_up.hands_of("random", "mcts") > 1000
    assert heads_up.hands_of("random", "equity") > heads_up.hands_of("random", "equity", control_variates=True)
    assert six_max.hands_of("mcts", "random") > six_max.hands_of("random", "mcts")
    assert all(section.hands_of("mcts", "random") % section.num_players == 0 for section in SECTIONS)


def test_results(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "SECTIONS", SMALL)
    output = tmp_path / "panel.json"
    report = shell.reports("match", "--panel", "--seed", "3", "--output", str(output))
    assert json.loads(output.read_text()) == report
    heads_up = report["heads_up"]["results"]
    assert heads_up["random"]["always_call"]["mean"] == -heads_up["always_call"]["random"]["mean"]
    assert heads_up["random"]["always_call"]["hands"] == 400
    assert "random" not in heads_up["random"]
    assert report["three"]["unit"] == "bb"
    assert set(report["three"]["results"]["random"]) == {"always_call"}
    again = shell.reports("match", "--panel", "--seed", "4", "--quick", "--sections", "three", "--output", str(output))
    assert list(again) == ["three"]
    assert json.loads(output.read_text()) == {"heads_up": report["heads_up"], "three": again["three"]}
    assert again == shell.reports(
        "match", "--panel", "--seed", "4", "--quick", "--sections", "three", "--output", str(output)
    ), "results of so few hands that there is no interval are read again"


def test_matches_that_the_file_holds_are_not_played_again(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "SECTIONS", SMALL[:1])
    output, played_now = tmp_path / "panel.json", []

    def play(game: Any, agents: Any, *rest: Any, **options: Any) -> Any:
        played_now.append([agent.name for agent in agents])
        if len(played_now) == 3:
            raise KeyboardInterrupt
        return play_and_summarise(game, agents, *rest, **options)

    monkeypatch.setattr(command, "play_and_summarise", play)
    assert shell.run("match", "--panel", "--output", str(output))[0] == 130
    halted = json.loads(output.read_text())["heads_up"]["results"]
    assert set(halted["random"]) == {"always_call", "always_raise"} and set(halted["always_raise"]) == {"random"}
    report = shell.reports("match", "--panel", "--output", str(output))
    assert played_now[2:] == [["always_call", "always_raise"]] * 2
    assert report == shell.reports("match", "--panel")
    shell.reports("match", "--panel", "--output", str(output), "--seed", "1")
    assert len(played_now) == 4 + 3 + 3


def test_chance_is_taken_off(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SECTIONS", SMALL[1:])
    (plain_low, plain_high), (low, high) = (
        shell.reports("match", "--panel", *more)["three"]["results"]["random"]["always_call"]["ci95"]
        for more in ([], ["--control-variates"])
    )
    assert high - low < 0.9 * (plain_high - plain_low)


def test_tables(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SECTIONS", SMALL)
    out = " ".join(shell.prints("match", "--panel", "--quick").split())  # titles are wrapped to their tables
    assert "always_raise" in out and "±" in out and "2 of a kind" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sections", "tarot"], "section 'tarot' is not known"),
        (["--output", "no/where/x.json"], "there is no folder"),
    ],
)
def test_wrong_use(shell: Shell, arguments: list[str], said: str) -> None:
    assert said in shell.refuses("match", "--panel", *arguments)
