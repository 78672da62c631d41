"""The modules `card_envs.<id>_v<n>` show their arguments: editors complete them, type checkers refuse typos."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from mypy import api

from card_envs.envs import ENVS

REPO = Path(__file__).parents[2]
MADE = [(env_id, name) for env_id in ENVS for name in ("env", "raw_env")]


def maker(env_id: str, name: str) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(importlib.import_module(f"card_envs.{env_id.replace('-', '_')}"), name)
    return made


@pytest.mark.parametrize(("env_id", "name"), MADE)
def test_arguments_are_those_of_the_game_render_mode_and_dtype(env_id: str, name: str) -> None:
    shown = inspect.signature(maker(env_id, name)).parameters
    of_game = inspect.signature(ENVS[env_id].factory).parameters
    facts = {p.name: (p.annotation, p.default) for p in shown.values()}
    assert (facts.pop("render_mode"), facts.pop("dtype")) == (("RenderMode | None", None), ("NumberType | None", None))
    assert facts == {p.name: (p.annotation, p.default) for p in of_game.values()}
    assert {p.kind for p in shown.values()} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize(("env_id", "name"), MADE)
def test_type_checkers_know_the_same_arguments(env_id: str, name: str) -> None:
    typed = get_args(get_type_hints(maker(env_id, name), include_extras=True)["settings"])[0]
    known = {key: annotation.__forward_arg__ for key, annotation in typed.__annotations__.items()}
    assert (known.pop("render_mode"), known.pop("dtype")) == ("RenderMode | None", "NumberType | None")
    assert known == {p.name: p.annotation for p in inspect.signature(ENVS[env_id].factory).parameters.values()}


@pytest.mark.parametrize(("env_id", "name"), MADE)
def test_arguments_reach_the_environment(env_id: str, name: str) -> None:
    env = maker(env_id, name)(render_mode="ansi", dtype="float32")
    assert (env.metadata["name"], env.render_mode) == (env_id.replace("-", "_"), "ansi")
    with pytest.raises(ValueError, match="encoder 'colours'"):
        maker(env_id, name)(encoder="colours")


def mypy_errors(script: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the lines of a script that mypy refuses, each with its message."""
    monkeypatch.setenv("MYPYPATH", str(REPO))
    settings = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports", "--python-version=3.11"]
    report, _, _ = api.run([*settings, f"--cache-dir={script.parent}", str(script)])
    return [line.partition(f"{script.name}:")[2] for line in report.splitlines() if ": error: " in line]


@pytest.mark.slow
def test_mypy_refuses_mistyped_arguments_and_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from card_envs import no_limit_holdem_v0\n"
        "from card_envs.games.big2 import state as big2\n"
        "from card_envs.games.holdem import state as holdem\n"
        "no_limit_holdem_v0.env(num_players=3, bet_menu='fcpa', stacks=[50, 60, 70], dtype='float32')\n"
        "no_limit_holdem_v0.env(num_playrs=3)\n"
        "no_limit_holdem_v0.raw_env(small_blind='1')\n"
        "def use(t: holdem.Table, other: big2.Table) -> str:\n"
        "    other.held[0] |= t.pot + t.stack[t.actor]\n"
        "    t.stak[0] = 7\n"
        "    t.stack = 7\n"
        "    other.pot = 1\n"
        "    return t.pot\n"
    )
    wrong = {int(line.partition(":")[0]): line for line in mypy_errors(script, monkeypatch)}
    assert list(wrong) == [5, 6, 9, 10, 11, 12]
    assert '"Table" has no attribute "stak"; maybe "stack"?' in wrong[9]
    assert '"Table" has no attribute "pot"' in wrong[11]
    assert 'got "int", expected "str"' in wrong[12]
