"""The modules `card_envs.<id>_v<n>` show their arguments: editors complete them, type checkers refuse typos."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mypy import api

from card_envs.envs import ENVS

REPO = Path(__file__).parents[2]
MADE = [(env_id, name) for env_id in ENVS for name in ("env", "raw_env")]


def maker(env_id: str, name: str) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(importlib.import_module(f"card_envs.{env_id.replace('-', '_')}"), name)
    return made


@pytest.mark.parametrize(("env_id", "name"), MADE)
def test_arguments_are_those_of_the_game_and_render_mode(env_id: str, name: str) -> None:
    shown = inspect.signature(maker(env_id, name)).parameters
    of_game = inspect.signature(ENVS[env_id].factory).parameters
    facts = {p.name: (p.annotation, p.default) for p in shown.values()}
    assert facts.pop("render_mode") == ("str | None", None)
    assert facts == {p.name: (p.annotation, p.default) for p in of_game.values()}
    assert {p.kind for p in shown.values()} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize(("env_id", "name"), MADE)
def test_arguments_reach_the_environment(env_id: str, name: str) -> None:
    env = maker(env_id, name)(render_mode="ansi")
    assert (env.metadata["name"], env.render_mode) == (env_id.replace("-", "_"), "ansi")
    with pytest.raises(ValueError, match="encoder 'colours'"):
        maker(env_id, name)(encoder="colours")


@pytest.mark.parametrize(("env_id", "name"), MADE)
def test_a_mistyped_argument_is_refused(env_id: str, name: str) -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'num_playrs'"):
        maker(env_id, name)(num_playrs=3)


@pytest.mark.slow
def test_mypy_refuses_a_mistyped_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from card_envs import no_limit_holdem_v0\n\n"
        "no_limit_holdem_v0.env(num_players=3, bet_menu='fcpa', stacks=[50, 60, 70])\n"
        "no_limit_holdem_v0.env(num_playrs=3)\n"
        "no_limit_holdem_v0.raw_env(small_blind='1')\n"
    )
    monkeypatch.setenv("MYPYPATH", str(REPO))
    settings = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports", "--python-version=3.11"]
    report, _, status = api.run([*settings, f"--cache-dir={tmp_path}", str(script)])
    wrong = [line.split(": ", 1)[0].rpartition(":")[2] for line in report.splitlines() if ": error: " in line]
    assert (status, wrong) == (1, ["4", "5"]), report
