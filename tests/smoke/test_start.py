"""What is imported to list names: no compiler, no network, no game, whatever the machine is doing."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import card_envs
from card_baselines import registry
from card_baselines.cli import listing
from card_envs import plugins
from card_envs.envs import ENVS
from tests.helpers.processes import run_python
from tests.helpers.shell import Shell

HEAVY = ("numba", "llvmlite", "torch", "scipy", "matplotlib", "PIL", "stable_baselines3", "onnx", "ray", "pyspiel")
GAMES = "card_envs.games"


def imported(program: str) -> set[str]:
    """The heavy packages, and modules of games, that a program imports in a process of its own."""
    program += "; import sys; print(*sys.modules, file=sys.stderr)"
    modules = set(run_python("-c", program).stderr.split())
    assert "sys" in modules
    return {package for package in HEAVY if package in modules} | {name for name in modules if name.startswith(GAMES)}


@pytest.mark.parametrize(
    "program",
    [
        "import card_envs; card_envs.ENVS",
        "from card_baselines.cli import main; main(['--help'])",
        "from card_baselines.cli import main; main(['envs'])",
        "from card_baselines.cli import main; main(['agents'])",
        "from card_baselines.cli import main; main(['agents', '--json'])",
    ],
)
def test_names_are_listed_without_compiler_networks_and_games(program: str) -> None:
    assert imported(program) == set()


def test_the_compiler_is_imported_by_what_needs_it() -> None:
    found = imported("import card_envs; card_envs.make_game('kuhn_poker-v0')")
    assert {"numba", "card_envs.games.holdem"} <= found and "torch" not in found


def test_an_environment_loads_the_rules_and_no_more() -> None:
    """Features of the game are imported when they are asked for."""
    program = (
        "from card_envs import no_limit_holdem_v0; env = no_limit_holdem_v0.env(); env.reset(seed=7); env.step(1);"
        "import sys;"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('card_') and m.__file__), sep='\\n')"
    )
    files = [Path(name) for name in run_python("-c", program).stdout.splitlines()]
    assert 10 < len(files) <= 48
    assert sum(len(file.read_text().splitlines()) for file in files) <= 6200


@pytest.mark.parametrize("name", ["IllegalActionError", "agent", "game", "match", "observation", "vector", "aec"])
def test_the_package_still_has_its_modules_and_its_error(name: str) -> None:
    assert name in run_python("-c", f"import card_envs; print(card_envs.{name})").stdout


def test_what_the_package_does_not_have_is_an_attribute_error() -> None:
    for name in ("nothing", "_nothing"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(card_envs, name)


def test_the_kept_listing_has_every_game_and_every_agent() -> None:
    """If this fails, run `python -m card_baselines.cli.listing`."""
    kept = json.loads(listing.FILE.read_text())
    own = {env_id for env_id, entry in ENVS.items() if entry.make_game.startswith("card_envs.games.")}
    assert set(kept["envs"]) == own
    assert {name: each["from"] for name, each in kept["agents"].items()} == plugins.OWN_AGENTS | registry.AGENTS


@pytest.mark.slow
def test_the_kept_listing_is_what_games_and_agents_say() -> None:
    """If this fails, run `python -m card_baselines.cli.listing` and look at the difference."""
    assert json.loads(json.dumps(listing.make_listing())) == json.loads(listing.FILE.read_text())


def test_an_agent_without_its_packages_says_what_to_install(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr(listing, "find_spec", lambda name: None)
    reports = {report["name"]: report for report in shell.reports("agents")}
    assert reports["ppo_big2"]["needs"] == "torch is not installed: pip install 'card-envs[train]'"
    assert reports["ppo_big2"]["plays"] == []
    assert reports["chen"]["needs"] == "" and reports["chen"]["plays"]


def test_games_and_agents_of_others_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "others.py").write_text(
        "from card_envs.agent import RandomAgent\nfrom card_envs.games.holdem.presets import kuhn_poker as game\n"
        'class Other(RandomAgent):\n    """Plays anything."""\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(plugins._registered[plugins.AGENTS], "other", "others:Other")
    monkeypatch.setitem(plugins._registered[plugins.AGENTS], "chen", "others:Other")  # another one of that name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the entry point of the first chen is left out
        card_envs.register_env("others-v0", "others:game", "another game")
        try:
            reports = {report["name"]: report for report in listing.list_agents()}
            envs = {report["id"]: report for report in listing.list_envs()}
        finally:
            del ENVS["others-v0"]
    assert "others-v0" in reports["random"]["plays"] and "others-v0" in reports["always_call"]["plays"]
    assert reports["other"] == reports["chen"] | {"name": "other"}
    assert reports["other"]["summary"] == "Plays anything."
    assert envs["others-v0"]["num_actions"] == envs["kuhn_poker-v0"]["num_actions"]
