"""No generic module knows a game: neither by import, nor by a name in its code. Docstrings may give examples."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
GAMES = re.compile(r"holdem|big_?2|kuhn|leduc|texas", re.IGNORECASE)
ENV_ID = re.compile(r"[a-z0-9_]+-v\d+")
ABOUT_ONE_GAME = (
    # the games, the registry and the modules of the ids
    "card_envs/games/", "card_envs/envs.py", "card_envs/*_v0.py",
    # features of a game, each in the package of its job
    "card_envs/*/holdem*.py", "card_envs/*/big2.py", "card_envs/analysis/*/holdem.py", "card_envs/analysis/*/big2.py",
    "card_envs/analysis/variance/holdem/", "card_envs/analysis/exploitability/range_equity.py",
    "card_envs/chance/contested.py",
    # formats of recorded hands, each of one game; what those of hold'em share; their names in the public package
    "card_envs/history/phh/", "card_envs/history/acpc/", "card_envs/history/pokerstars/",
    "card_envs/history/big2/", "card_envs/history/holdem_", "card_envs/history/hand_record.py",
    "card_envs/history/settle.py", "card_envs/history/errors.py", "card_envs/history/formats.py",
    "card_envs/history/__init__.py",
    # another library's interface to its own hold'em
    "wrappers/card_wrappers/rlcard.py", "wrappers/card_wrappers/acpc/",
    "wrappers/card_wrappers/slumbot/", "wrappers/card_wrappers/openspiel/universal_poker.py",
    "wrappers/card_wrappers/openspiel/policies.py",
    # agents, papers, and what shows or trains certain games by their ids
    "baselines/card_baselines/agents/", "baselines/card_baselines/papers/", "baselines/card_baselines/registry.py",
    "baselines/card_baselines/cli/commands/panel.py", "baselines/card_baselines/cli/strengths.py",
    "baselines/card_baselines/cli/examples.py",
    "baselines/card_baselines/ppo/presets.py",
    "baselines/card_baselines/situations.py",
    "baselines/card_baselines/big2_benchmark/", "baselines/card_baselines/six_max_benchmark/",
    "baselines/card_baselines/cli/commands/fixed_deals.py",
    "baselines/card_baselines/neural/", "baselines/card_baselines/cli/forms.py",
    "baselines/card_baselines/pretrained.py",
    "baselines/card_baselines/solvers/",
    "baselines/card_baselines/exploitability/flops/", "baselines/card_baselines/exploitability/ranges.py",
    "baselines/card_baselines/exploitability/methods.py",
)  # fmt: skip


def generic_modules() -> Iterator[Path]:
    for root in ("card_envs", "wrappers/card_wrappers", "baselines/card_baselines"):
        for path in sorted((REPO / root).rglob("*.py")):
            name = path.relative_to(REPO).as_posix()
            if not any(name.startswith(part) or path.match(part) for part in ABOUT_ONE_GAME):
                yield path


def names_of_games(source: str, ids_are_allowed: bool) -> list[str]:
    """Return the lines of code, docstrings aside, in which a name, an import or a string names a game."""
    tree = ast.parse(source)
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    found = []
    for node in ast.walk(tree):
        words: list[str] = []
        if isinstance(node, ast.Name):
            words = [node.id]
        elif isinstance(node, ast.Attribute):
            words = [node.attr]
        elif isinstance(node, ast.Import):
            words = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            words = [node.module or "", *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            words = [ENV_ID.sub("", node.value) if ids_are_allowed else node.value]
        found += [f"line {node.lineno}: {word!r}" for word in words if GAMES.search(word)]  # type: ignore[attr-defined]
    return found


def comparisons_with_units(source: str) -> list[str]:
    """Return the comparisons of a unit of results with a literal: `game.info.units` says how results are read."""
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Compare)
        and any(map(_is_unit, (node.left, *node.comparators)))
        and any(map(_holds_text, (node.left, *node.comparators)))
    ]


def _is_unit(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=name)):
            return name in {"unit", "units"}
    return False


def _holds_text(node: ast.expr) -> bool:
    entries = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return any(isinstance(entry, ast.Constant) and isinstance(entry.value, str) for entry in entries)


@pytest.mark.parametrize("path", list(generic_modules()), ids=lambda path: path.relative_to(REPO).as_posix())
def test_a_generic_module_names_no_game(path: Path) -> None:
    found = names_of_games(path.read_text(encoding="utf-8"), ids_are_allowed="card_baselines" in path.parts)
    assert not found, f"{path.relative_to(REPO)}: ask the game (`game.info`, its features) instead: {found}"
    compared = comparisons_with_units(path.read_text(encoding="utf-8"))
    assert not compared, f"{path.relative_to(REPO)}: ask `game.info.units` instead: {compared}"


def test_the_search_finds_names() -> None:
    source = (
        '"""hold\'em"""\nfrom card_envs.games.big2 import state\nif unit == "kuhn_poker-v0":\n    HoldemConfig.x()\n'
    )
    assert len(names_of_games(source, ids_are_allowed=False)) == 3
    assert len(names_of_games(source, ids_are_allowed=True)) == 2
    assert not names_of_games('"""Of hold\'em and big2."""\n', ids_are_allowed=False)


@pytest.mark.parametrize(
    "test", ['unit == "bb"', 'game.unit != "points"', 'page["unit"] in ("bb", "chips")', '{"bb"} == units']
)
def test_the_search_finds_comparisons_with_units(test: str) -> None:
    assert comparisons_with_units(f"if {test}:\n    pass\n") == [f"line 1: {ast.unparse(ast.parse(test))}"]
    assert not comparisons_with_units('if a.unit == b.unit and name == "bb" and units["bb"] > 1:\n    pass\n')
