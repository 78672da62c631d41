"""Examples in docstrings do what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]
FOLDERS = (REPO, REPO / "wrappers", REPO / "baselines")
MODULES = [
    ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
    for folder in FOLDERS
    for path in sorted(folder.glob("card_*/**/*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
PACKAGE_OF = {
    "card_wrappers.openenv": "openenv",
    "card_wrappers.rlcard": "rlcard",
    "card_wrappers.rllib": "ray",
    "card_wrappers.sb3": "stable_baselines3",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    if name in PACKAGE_OF:
        pytest.importorskip(PACKAGE_OF[name])
    module = import_module(name)
    assert any(found.examples for found in doctest.DocTestFinder().find(module)), "the examples are in no docstring"
    assert doctest.testmod(module).failed == 0


def test_examples_are_found_in_all_packages() -> None:
    assert {name.partition(".")[0] for name in MODULES} == {"card_envs", "card_wrappers", "card_baselines"}
