"""The layers in pyproject.toml hold, cover every module, and each contract fails when it is broken."""

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


def lint(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    script = str(Path(sys.executable).with_name("lint-imports"))
    command = [script, "--no-cache", "--no-logo", "--config", str(REPO / "pyproject.toml"), *options]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the packages in which every module that a contract names exists and is empty."""
    names = [name for layer in CONTRACTS["layers"]["layers"] for name in modules_of(layer)]
    names += [f"card_wrappers.{name}" for name in WRAPPERS]
    names += [
        f"{game}.{name}" for game in GAMES for layer in CONTRACTS["game-layers"]["layers"] for name in modules_of(layer)
    ]
    names += [
        f"card_envs.analysis.variance.holdem.{name}"
        for layer in CONTRACTS["control-term-layers"]["layers"]
        for name in modules_of(layer)
    ]
    papers = [name for layer in CONTRACTS["paper-layers"]["layers"] for name in modules_of(layer)]
    names += [f"card_baselines.papers.zheng2022.{name}" for name in papers]
    agents = [name for layer in CONTRACTS["agent-layers"]["layers"] for name in modules_of(layer)]
    names += [f"card_baselines.agents.{name}" for name in agents]
    for name in names:
        tmp_path.joinpath(*name.split(".")).mkdir(parents=True, exist_ok=True)
    for package in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        (package / "__init__.py").touch()
    return tmp_path


def test_an_empty_tree_keeps_every_contract(tree: Path) -> None:
    result = lint(tree)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{len(CONTRACTS)} kept, 0 broken" in result.stdout


BREAKS = [
    ("layers", "card_envs.compiler", "card_envs.cards"),
    ("layers", "card_envs.cards", "card_envs.rng"),
    ("layers", "card_envs.game", "card_envs.games.holdem"),
    ("layers", "card_envs.aec", "card_envs.envs"),
    ("layers", "card_envs.vector", "card_envs.aec"),
    ("layers", "card_envs.match", "card_wrappers.gymnasium"),
    ("layers", "card_wrappers.gymnasium", "card_baselines.registry"),
    ("layers", "card_baselines.agents", "card_baselines.ppo"),
    ("layers", "card_baselines.ppo", "card_baselines.cli.main"),
    ("game-layers", "card_envs.games.holdem.state", "card_envs.games.holdem.actions"),
    ("game-layers", "card_envs.games.holdem.showdown", "card_envs.games.holdem.betting"),
    ("game-layers", "card_envs.games.big2.combos", "card_envs.games.big2.tricks"),
    ("game-layers", "card_envs.games.big2.view", "card_envs.games.big2.kernels"),
    (
        "control-term-layers",
        "card_envs.analysis.variance.holdem.chance_terms",
        "card_envs.analysis.variance.holdem.counterfactual_terms",
    ),
    ("agent-layers", "card_baselines.agents.scripted", "card_baselines.agents.search"),
    ("paper-layers", "card_baselines.papers.zheng2022.tables", "card_baselines.papers.zheng2022.reproduction"),
    ("paper-layers", "card_baselines.papers.zheng2022.reproduction", "card_baselines.papers.zheng2022.paper"),
    ("games", "card_envs.games.big2.actions", "card_envs.games.holdem.state"),
    ("generic", "card_envs.match", "card_envs.games.holdem"),
    ("generic", "card_wrappers.openspiel", "card_envs.games.big2"),
    ("wrappers", "card_wrappers.rllib", "card_wrappers.gymnasium"),
    ("torch", "card_envs.agent", "torch"),
    ("torch", "card_baselines.agents.search", "torch.nn"),
    ("sb3", "card_wrappers.gymnasium", "stable_baselines3"),
    ("sb3", "card_baselines.agents.learned", "sb3_contrib"),
    ("openspiel", "card_baselines.agents.search", "pyspiel"),
    ("openspiel", "card_wrappers.rlcard", "open_spiel.python"),
    ("rllib", "card_baselines.ppo", "ray"),
    ("rlcard", "card_envs.games.holdem.encoders", "rlcard"),
]


@pytest.mark.parametrize(("contract", "importer", "imported"), BREAKS)
def test_a_contract_bites(tree: Path, contract: str, importer: str, imported: str) -> None:
    tree.joinpath(*importer.split("."), "__init__.py").write_text(f"import {imported}\n")
    result = lint(tree, "--contract", contract)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "0 kept, 1 broken" in result.stdout


def test_what_the_layers_allow(tree: Path) -> None:
    allowed = {
        "card_wrappers/sb3": "stable_baselines3, sb3_contrib",
        "card_wrappers/openspiel": "pyspiel",
        "card_wrappers/rllib": "ray.rllib",
        "card_wrappers/rlcard": "rlcard",
        "card_baselines/agents/learned/network": "torch",
        "card_baselines/sb3/script": "torch, stable_baselines3, sb3_contrib, card_wrappers.sb3",
        "card_baselines/cli": "card_baselines.ppo, card_envs.match",
    }
    for importer, imported in allowed.items():
        (tree / importer).mkdir(exist_ok=True)
        (tree / importer / "__init__.py").write_text(f"import {imported}\n")
    result = lint(tree)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_contract_is_broken_once() -> None:
    assert {contract for contract, _, _ in BREAKS} == set(CONTRACTS)


def test_every_module_has_a_layer() -> None:
    layers = {name for layer in CONTRACTS["layers"]["layers"] for name in modules_of(layer)}
    inside_a_game = {name for layer in CONTRACTS["game-layers"]["layers"] for name in modules_of(layer)}
    for root in ("card_envs", "card_baselines"):
        missing = {f"{root}.{name}" for name in modules_in(ROOTS[root] / root) if not name.endswith("_v0")} - layers
        assert not missing, f"give these a layer in pyproject.toml: {sorted(missing)}"
    for game in GAMES:
        missing = set(modules_in(REPO.joinpath(*game.split(".")))) - inside_a_game
        assert not missing, f"give these a layer inside {game} in pyproject.toml: {sorted(missing)}"


def modules_in(package: Path) -> list[str]:
    """Names of the modules and packages directly inside `package`."""
    modules = [path.stem for path in package.glob("*.py") if path.stem != "__init__"]
    return modules + [path.parent.name for path in package.glob("*/__init__.py")]
