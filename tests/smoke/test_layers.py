"""The layers in pyproject.toml hold, cover every module, and each contract fails when it is broken."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
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
PARTS = {"card_envs.games.*": ["holdem", "big2"], "card_baselines.papers.*": ["zheng2022"]}
"""Containers of contracts for many packages -> the packages that the tests look at."""


def modules_of(layer: str) -> list[str]:
    """Names in one line of a layers contract: `(a.b) | c` stands for a.b and c."""
    return [name.strip("() ") for name in re.split(r"[|:]", layer)]


LINT = """
import json, pathlib, sys
from importlinter.cli import lint_imports
config, cases = json.loads(sys.argv[1])
for imports, contracts in cases:
    for module, imported in imports.items():
        pathlib.Path(*module.split("."), "__init__.py").write_text(f"import {imported}\\n")
    code = lint_imports(config_filename=config, limit_to_contracts=tuple(contracts), no_cache=True, no_logo=True)
    for module in imports:
        pathlib.Path(*module.split("."), "__init__.py").write_text("")
    print("--- returned", code, flush=True)
"""
Case = tuple[dict[str, str], list[str]]
"""Module -> what it imports, and the contracts to check, all without any."""


def lint(tree: Path, cases: list[Case]) -> list[tuple[int, str]]:
    """Check a tree in which some modules import others, for each case alone; return exit codes and what is printed."""
    command = [sys.executable, "-c", LINT, json.dumps([str(REPO / "pyproject.toml"), cases])]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    result = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    *reports, end = re.split(r"^--- returned (\d)\n", result.stdout, flags=re.MULTILINE)
    assert result.returncode == 0 and not end, result.stdout + result.stderr
    return [(int(code), report) for report, code in zip(reports[::2], reports[1::2], strict=True)]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages in which every module that a contract names exists and is empty."""
    folder = tmp_path_factory.mktemp("tree")
    names = [*ALLOWED, *(f"card_wrappers.{name}" for name in WRAPPERS)]
    for contract in CONTRACTS.values():
        containers = [
            f"{each.replace('*', one)}." for each in contract.get("containers", []) for one in PARTS.get(each, [""])
        ]
        layers = [name for layer in contract.get("layers", []) for name in modules_of(layer)]
        names += [f"{container}{name}" for container in containers or [""] for name in layers]
    for name in names:
        folder.joinpath(*name.split(".")).mkdir(parents=True, exist_ok=True)
    for package in [path for path in folder.rglob("*") if path.is_dir()]:
        (package / "__init__.py").touch()
    return folder


BREAKS = [
    ("layers", "card_envs.compiler", "card_envs.cards"),
    ("layers", "card_envs.cards", "card_envs.rng"),
    ("layers", "card_envs.game", "card_envs.games.holdem"),
    ("layers", "card_envs.aec", "card_envs.envs"),
    ("layers", "card_envs.vector", "card_envs.aec"),
    ("layers", "card_envs.match", "card_wrappers.gymnasium"),
    ("layers", "card_envs.envs", "card_envs.gymnasium_env"),
    ("layers", "card_wrappers.gymnasium", "card_baselines.registry"),
    ("layers", "card_baselines.neural", "card_baselines.registry"),
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
    ("paper-layers", "card_baselines.papers.zheng2022.paper", "card_baselines.papers.zheng2022.claims"),
    ("paper-layers", "card_baselines.papers.zheng2022.claims", "card_baselines.papers.zheng2022.reproduction"),
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


ALLOWED = {
    "card_wrappers.sb3": "stable_baselines3, sb3_contrib",
    "card_wrappers.openspiel": "pyspiel",
    "card_wrappers.rllib": "ray.rllib",
    "card_wrappers.rlcard": "rlcard",
    "card_baselines.agents.learned.network": "torch",
    "card_baselines.sb3.script": "torch, stable_baselines3, sb3_contrib, card_wrappers.sb3",
    "card_baselines.cli": "card_baselines.ppo, card_envs.match",
}


def test_contracts_allow_what_they_should_and_each_bites(tree: Path) -> None:
    breaks: list[Case] = [({importer: imported}, [contract]) for contract, importer, imported in BREAKS]
    empty, allowed, *broken = lint(tree, [({}, []), (ALLOWED, []), *breaks])
    for code, report in (empty, allowed):
        assert code == 0 and f"{len(CONTRACTS)} kept, 0 broken" in report, report
    for case, (code, report) in zip(breaks, broken, strict=True):
        assert code == 1 and "0 kept, 1 broken" in report, (case, report)


def test_every_contract_is_broken_once() -> None:
    assert {contract for contract, _, _ in BREAKS} == set(CONTRACTS)


def test_every_module_has_a_layer() -> None:
    layers = {name for layer in CONTRACTS["layers"]["layers"] for name in modules_of(layer)}
    inside_a_game = {name for layer in CONTRACTS["game-layers"]["layers"] for name in modules_of(layer)}
    for root in ("card_envs", "card_baselines"):
        missing = {f"{root}.{name}" for name in modules_in(ROOTS[root] / root)} - layers
        assert not missing, f"give these a layer in pyproject.toml: {sorted(missing)}"
    for game in GAMES:
        missing = set(modules_in(REPO.joinpath(*game.split(".")))) - inside_a_game
        assert not missing, f"give these a layer inside {game} in pyproject.toml: {sorted(missing)}"


def modules_in(package: Path) -> list[str]:
    """Names of the modules and packages directly inside `package`."""
    modules = [path.stem for path in package.glob("*.py") if path.stem != "__init__"]
    return modules + [path.parent.name for path in package.glob("*/__init__.py")]


NAME = re.compile(r"(card_\w+(?:\.\w+)+):[A-Za-z_]\w*")
"""A string that names an object: "module:NAME"."""


@cache
def sources() -> dict[str, ast.Module]:
    """Every module of the three packages, parsed, by its name."""
    found = {}
    for root, folder in ROOTS.items():
        for path in (folder / root).rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text())
    return found


@cache
def nodes_of(tree: ast.Module) -> list[ast.AST]:
    """Strings and imports of a file."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.Import | ast.ImportFrom)]


def named_by(tree: ast.Module) -> set[str]:
    """Modules in the strings "module:NAME" of a file."""
    texts = [node.value for node in nodes_of(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {match[1] for text in texts if (match := NAME.fullmatch(text))}


def imported_by(tree: ast.Module) -> set[str]:
    """Modules that a file imports, inside functions too."""
    found, known = set(), sources()
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {name if (name := f"{node.module}.{alias.name}") in known else node.module for alias in node.names}
    return found & known.keys()


def layer_of(module: str) -> tuple[int, str]:
    """Place of a module's layer, 0 for the highest, and the component of that layer that it belongs to."""
    for place, layer in enumerate(CONTRACTS["layers"]["layers"]):
        for component in modules_of(layer):
            if module == component or module.startswith(f"{component}."):
                return place, component
    return -1, module  # the roots, which are above all


def breaks_layers(module: str, named: str) -> bool:
    (above, one), (below, other) = layer_of(module), layer_of(named)
    return above >= below and one != other


def is_own_paper(module: str, named: str) -> bool:
    """A paper names its experiments, which read what the paper declares, and are imported when they run."""
    return module.startswith("card_baselines.papers.") and named.startswith(module.rpartition(".")[0])


def test_strings_that_name_objects_keep_the_layers() -> None:
    found = {(module, named) for module, tree in sources().items() for named in named_by(tree)}
    assert ("card_envs.registration", "card_envs.gymnasium_env") in found
    assert not {edge for edge in found if breaks_layers(*edge)}


def test_a_string_that_breaks_the_layers_is_found() -> None:
    tree = ast.parse('FACTORY = "card_envs.match.play:play_match"\n"""Text about card_envs.match.play:play_match."""')
    assert named_by(tree) == {"card_envs.match.play"}
    assert breaks_layers("card_envs.game", "card_envs.match.play")
    assert breaks_layers("card_envs.analysis.exploitability.deals", "card_envs.history.formats")
    assert not breaks_layers("card_envs.match.power", "card_envs.match.play")
    assert breaks_layers("card_envs.big2_v0", "card_envs.envs")
    assert not breaks_layers("card_envs.envs", "card_envs.big2_v0")


def test_no_modules_import_or_name_each_other_in_a_circle() -> None:
    trees = sources()
    uses = {
        module: (imported_by(tree) | {each for each in named_by(tree) if not is_own_paper(module, each)}) - {module}
        for module, tree in trees.items()
    }
    circles, finished = [], set[str]()

    def visit(module: str, path: tuple[str, ...]) -> None:
        if module in path:
            circles.append(path[path.index(module) :])
        elif module not in finished:
            for used in sorted(uses.get(module, ())):
                visit(used, (*path, module))
            finished.add(module)

    for module in uses:
        visit(module, ())
    assert not circles


def test_the_kernel_cache_names_no_game_and_only_the_compiler_uses_it() -> None:
    for path in (REPO / "card_envs" / "kernel_cache").glob("*.py"):
        text = path.read_text(encoding="utf-8").replace("card_envs.kernel_cache", "").replace("card_envs.files", "")
        assert not re.search(r"card_|\b(game|card|seat|poker|holdem|big2)s?\b", text, re.I), path
    trees = sources()
    users = {module for module, tree in trees.items() if any("kernel_cache" in used for used in imported_by(tree))}
    outside = {module for module in users if not module.startswith("card_envs.kernel_cache.")}
    assert outside == {"card_envs.compiler", "card_envs.compiler.jit", "card_envs.cuda.compiled"}, "two compilers"
