from __future__ import annotations

import json

import pytest

from card_baselines.cli import main

LINE = ["advise", "no_limit_holdem-v0", "--hole", "AhKd", "--agent"]


def test_probabilities_and_equity_of_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LINE, "random", "--board", "7c8c2s", "--history", "r4 c / k r8", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    names = [action["name"] for action in report["actions"]]
    assert names[:2] == ["fold", "call 8"] and report["seat"] == 1
    assert sum(action["probability"] for action in report["actions"]) == pytest.approx(1.0)
    assert 0.3 < report["equity"] < 0.8
    assert main([*LINE, "always_call"]) == 0
    printed = capsys.readouterr().out
    assert "Ah Kd" in printed and "100.0%" in printed


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--board", "7c8c2s"], "leads to a board of 0 cards, but 3 are named"),
        (["--board", "7c8cAh"], "all different"),
        (["--history", "f"], "the hand is over"),
        (["--history", "c / k"], "does not stand on the street"),
        (["--history", "r5000"], "outside"),
        (["--history", "dance"], "not an action"),
    ],
)
def test_situations_that_do_not_fit_are_refused(
    capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert main([*LINE, "random", *more]) == 2
    assert message in capsys.readouterr().err
