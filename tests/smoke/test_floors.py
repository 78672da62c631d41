"""The floors in pyproject.toml hold, cover every module, and each contract fails when it is broken."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
ROOTS = {"card_envs": REPO, "card_wrappers": REPO / "wrappers", "card_baselines": REPO / "baselines"}
CONTRACTS = {
    contract["id"]: contract
    for contract in tomllib.loads((REPO / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
WRAPPERS = ["gymnasium", "sb3", "openspiel", "rllib", "rlcard"]
GAMES = ["card_envs.games.holdem", "card_envs.games.big2"]


def modules_of(layer: str) -> list[str]:
    """Names in one line of a layers contract: `(a.b) | c` stands for a.b and c."""
    return [name.strip("() ") for name in re.split(r"[|:]", layer)]


def lint(house: Path, *options: str) -> subprocess.CompletedProcess[str]:
    script = str(Path(sys.executable).with_name("lint-imports"))
    command = [script, "--no-cache", "--no-logo", "--config", str(REPO / "pyproject.toml"), *options]
    environment = os.environ | {"PYTHONPATH": str(house)}
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the house in which every room that a contract names exists and is empty."""
    names = [name for layer in CONTRACTS["floors"]["layers"] for name in modules_of(layer)]
    names += [f"card_wrappers.{name}" for name in WRAPPERS]
    names += [
        f"{game}.{name}" for game in GAMES for layer in CONTRACTS["game-floors"]["layers"] for name in modules_of(layer)
    ]
    for name in names:
        tmp_path.joinpath(*name.split(".")).mkdir(parents=True, exist_ok=True)
    for package in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        (package / "__init__.py").touch()
    return tmp_path


def test_an_empty_house_keeps_every_contract(house: Path) -> None:
    result = lint(house)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{len(CONTRACTS)} kept, 0 broken" in result.stdout


BREAKS = [
    ("floors", "card_envs.jit", "card_envs.cards"),
    ("floors", "card_envs.cards", "card_envs.rng"),
    ("floors", "card_envs.game", "card_envs.games.holdem"),
    ("floors", "card_envs.aec", "card_envs.envs"),
    ("floors", "card_envs.vector", "card_envs.aec"),
    ("floors", "card_envs.match", "card_wrappers.gymnasium"),
    ("floors", "card_wrappers.gymnasium", "card_baselines.registry"),
    ("floors", "card_baselines.scripted", "card_baselines.search"),
    ("floors", "card_baselines.training", "card_baselines.cli"),
    ("game-floors", "card_envs.games.holdem.state", "card_envs.games.holdem.actions"),
    ("game-floors", "card_envs.games.holdem.showdown", "card_envs.games.holdem.betting"),
    ("game-floors", "card_envs.games.big2.combos", "card_envs.games.big2.tricks"),
    ("game-floors", "card_envs.games.big2.kernels", "card_envs.games.big2.view"),
    ("games", "card_envs.games.big2.actions", "card_envs.games.holdem.state"),
    ("wrappers", "card_wrappers.rllib", "card_wrappers.gymnasium"),
    ("torch", "card_envs.agent", "torch"),
    ("torch", "card_baselines.search", "torch.nn"),
    ("sb3", "card_wrappers.gymnasium", "stable_baselines3"),
    ("sb3", "card_baselines.learned", "sb3_contrib"),
    ("openspiel", "card_baselines.search", "pyspiel"),
    ("openspiel", "card_wrappers.rlcard", "open_spiel.python"),
    ("rllib", "card_baselines.training", "ray"),
    ("rlcard", "card_envs.games.holdem.encoders", "rlcard"),
]


@pytest.mark.parametrize(("contract", "importer", "imported"), BREAKS)
def test_a_contract_bites(house: Path, contract: str, importer: str, imported: str) -> None:
    house.joinpath(*importer.split("."), "__init__.py").write_text(f"import {imported}\n")
    result = lint(house, "--contract", contract)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "0 kept, 1 broken" in result.stdout


def test_what_the_floors_allow(house: Path) -> None:
    allowed = {
        "card_wrappers/sb3": "stable_baselines3, sb3_contrib",
        "card_wrappers/openspiel": "pyspiel",
        "card_wrappers/rllib": "ray.rllib",
        "card_wrappers/rlcard": "rlcard",
        "card_baselines/learned/paper": "torch",
        "card_baselines/training/script": "torch, stable_baselines3, sb3_contrib, card_wrappers.sb3",
        "card_baselines/cli": "card_baselines.training, card_envs.match",
    }
    for importer, imported in allowed.items():
        (house / importer).mkdir(exist_ok=True)
        (house / importer / "__init__.py").write_text(f"import {imported}\n")
    result = lint(house)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_contract_is_broken_once() -> None:
    assert {contract for contract, _, _ in BREAKS} == set(CONTRACTS)


def test_every_module_stands_on_a_floor() -> None:
    floors = {name for layer in CONTRACTS["floors"]["layers"] for name in modules_of(layer)}
    inside_a_game = {name for layer in CONTRACTS["game-floors"]["layers"] for name in modules_of(layer)}
    for root in ("card_envs", "card_baselines"):
        homeless = {f"{root}.{name}" for name in rooms(ROOTS[root] / root) if not name.endswith("_v0")} - floors
        assert not homeless, f"give these a floor in pyproject.toml: {sorted(homeless)}"
    for game in GAMES:
        homeless = set(rooms(REPO.joinpath(*game.split(".")))) - inside_a_game
        assert not homeless, f"give these a floor inside {game} in pyproject.toml: {sorted(homeless)}"


def rooms(package: Path) -> list[str]:
    """Names of the modules and packages directly inside `package`."""
    modules = [path.stem for path in package.glob("*.py") if path.stem != "__init__"]
    return modules + [path.parent.name for path in package.glob("*/__init__.py")]
