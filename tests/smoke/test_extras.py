"""What is documented needs no more than the extras that the documentation and the Makefile install for it."""

from __future__ import annotations

import ast
import json
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from card_envs.extras import EXTRA_OF
from tests.helpers.processes import run_python

REPO = Path(__file__).parents[2]
PROJECT = REPO / "pyproject.toml"
PACKAGES = ("card_envs", "wrappers/card_wrappers", "baselines/card_baselines")
CORE = {"gymnasium", "llvmlite", "numba", "numpy", "pettingzoo", "treys"}
"""What is always installed; llvmlite comes with Numba."""
SHORT = {
    "train": "--minutes 0 --steps 1 --batch 1024 --num-tables 32 --evaluation-hands 4 --final-hands 4 --no-progress",
    "match": "--hands 20",
    "exploit": "--hands 2",
    "serve": "--port 0",
    "tournament": "--passes 1 --hands 20 --resamples 10",
}
"""Command -> options that make it short."""

pytestmark = pytest.mark.skipif(not PROJECT.exists(), reason="only a checkout has extras, a Makefile and a README")


def extras_of_make(target: str) -> set[str]:
    """The extras that `make TARGET` installs, with those that they contain."""
    listed = re.search(rf"^EXTRAS_{target} := (.*)$", (REPO / "Makefile").read_text(), re.M)
    return set(contained_extras(listed[1].split(","))) if listed else set()


def table_of_project(*keys: str) -> dict[str, list[str]]:
    """A table of pyproject.toml, found by its keys."""
    table = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    for key in keys:
        table = table[key]
    return table


def shorten(words: list[str]) -> list[str]:
    """Return a command with the options of `SHORT`, in place of its own of the same name."""
    short = SHORT[words[0]].split()
    named = {option for option in short if option.startswith("--")}
    kept = [word for before, word in zip(["", *words], words, strict=False) if not {before, word} & named]
    return [*kept, *short]


def contained_extras(names: list[str]) -> Iterator[str]:
    """Yield extras, and those that their requirements name as card-envs[NAME,...]."""
    requirements = table_of_project("project", "optional-dependencies")
    for name in names:
        yield name
        for requirement in requirements[name]:
            if inner := re.fullmatch(r"card-envs\[(.*)\]", requirement):
                yield from contained_extras(inner[1].split(","))


def commands_of_readme() -> list[list[str]]:
    """Words of the commands of README after `card-envs`, in their order, and of a tournament, which ranks agents."""
    lines = (REPO / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("card-envs ")]
    assert [words[0] for words in commands] == ["train", "match", "exploit", "serve"]
    return [*commands, ["tournament", "chen", "always_call"]]


PROGRAM = """
import contextlib, json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))  # None: an import of it fails as if it were not installed
from card_baselines import cli

for words in json.loads(sys.argv[2]):
    if words[0] == "serve":
        import uvicorn
        uvicorn.Server.run = lambda *_, **__: print("listening")
    with contextlib.redirect_stdout(sys.stderr):
        code = cli.main(words)
    assert code == 0, (words, code)
    print(words[0])
"""


@pytest.mark.slow
def test_after_make_demo_the_commands_of_readme_work(tmp_path: Path) -> None:
    installed = extras_of_make("demo")
    missing = [package for package, extra in EXTRA_OF.items() if extra not in installed]
    commands = [shorten(words) for words in commands_of_readme()]
    done = run_python("-c", PROGRAM, json.dumps(missing), json.dumps(commands), cwd=tmp_path)
    assert done.stdout.split() == [command[0] for command in commands], done.stderr[-2000:]


def test_the_table_of_extras_lists_them_all() -> None:
    guide = (REPO / "docs" / "guides" / "install.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in guide.splitlines() if line.startswith("| ")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert listed == set(table_of_project("project", "optional-dependencies"))


def test_the_lock_has_one_allowed_version_of_all_that_make_installs() -> None:
    """`make lock` writes constraints.txt; whoever changes a requirement has to run it."""
    lock = [
        Requirement(line) for line in (REPO / "constraints.txt").read_text().splitlines() if line[:1] not in ("#", "")
    ]
    here = [pin for pin in lock if pin.marker is None or pin.marker.evaluate()]
    versions = {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in here}
    assert len(versions) == len(here), "two versions of one package"
    extras = table_of_project("project", "optional-dependencies")
    asked = [table_of_project("project")["dependencies"], *table_of_project("dependency-groups").values()]
    asked += [extras[name] for name in ("cuda", *contained_extras(["all"]))]
    for requirement in map(Requirement, chain.from_iterable(asked)):
        if requirement.name != "card-envs":
            assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)]), requirement
    assert versions["torch"] == "2.13.0"  # the version whose build for CPUs satisfies its line, so that pip prefers it


def imported_by(path: Path) -> Iterator[str]:
    """Yield the packages that a module imports when it is imported itself."""
    waiting: list[ast.stmt] = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while waiting:
        statement = waiting.pop()
        match statement:
            case ast.Import():
                yield from (alias.name.partition(".")[0] for alias in statement.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]
            case ast.If() if "TYPE_CHECKING" in ast.unparse(statement.test):
                waiting += statement.orelse
            case ast.If() | ast.Try() | ast.With():
                waiting += [child for child in ast.walk(statement) if isinstance(child, ast.Import | ast.ImportFrom)]


def test_the_reference_is_built_without_extras() -> None:
    """Sphinx imports what it documents; packages of extras are replaced by stand-ins (`docs/conf.py`)."""
    assert not extras_of_make("docs")
    settings = runpy.run_path(str(REPO / "docs" / "conf.py"))
    known = {
        *CORE,
        *settings["autodoc_mock_imports"],
        *sys.stdlib_module_names,
        *(Path(name).name for name in PACKAGES),
    }
    found = {
        (package, path.name)
        for folder in PACKAGES
        for path in (REPO / folder).rglob("*.py")
        for package in imported_by(path)
        if package not in known
    }
    assert not found, "imported by a module, and neither mocked in docs/conf.py nor always installed"


@pytest.mark.parametrize(
    ("package", "wrapper", "extra"),
    [("stable_baselines3", "sb3", "sb3"), ("rlcard", "rlcard", "rlcard"), ("ray", "rllib", "rllib"),
     ("pyspiel", "openspiel", "openspiel"), ("textarena", "textarena", "textarena"), ("fastapi", "openenv", "openenv")],
)  # fmt: skip
def test_a_wrapper_without_its_package_names_the_extra(package: str, wrapper: str, extra: str) -> None:
    result = run_python("-c", f"import sys; sys.modules[{package!r}] = None; import card_wrappers.{wrapper}")
    assert result.returncode == 1 and f"pip install 'card-envs[{extra}]'" in result.stderr.splitlines()[-1]
