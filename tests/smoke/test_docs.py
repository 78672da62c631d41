"""The documentation is true: its Python runs and prints what it says, tables are fresh, links lead somewhere."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from card_envs.cuda.device import CudaUnavailableError
from card_envs.envs import ENVS

REPO = Path(__file__).parents[2]
DOCS = REPO / "docs"
PAGES = [
    *(path for path in (REPO / "README.md", REPO / "CONTRIBUTING.md") if path.exists()),
    *sorted(path for path in DOCS.rglob("*.md") if not path.name.startswith("_") and "_build" not in path.parts),
]
SECTIONS = ("envs/index.md", "api/index.md", "frameworks/index.md")
REFERENCE = sorted((DOCS / "api").glob("*.md"))
OPTIONAL = {
    "torchrl",
    "torch",
    "onnx",
    "onnxruntime",
    "sb3_contrib",
    "stable_baselines3",
    "PIL",
    "tyro",
    "rich",
    "tqdm",
    "pyspiel",
    "ray",
    "rlcard",
    "supersuit",
    "tianshou",
    "agilerl",
    "optuna",
}

BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.M | re.S)
FILE_NAME = re.compile(r"# (\w+\.py)\n")
FENCED = re.compile(r"^(`{3,}).*?^\1", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(REPO))


def generated() -> dict[Path, str]:
    """The pages as `docs/generate.py` would write them; it imports the modules beside it, as scripts do."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("generate").pages()
    finally:
        sys.path.remove(str(DOCS))


GENERATED = generated()


BLOCKS = [(page, block) for page in PAGES for block in BLOCK.finditer(page.read_text())]


def place_of(case: object) -> str | None:
    """Page and line of a block, as the name of its test."""
    if isinstance(case, Path):
        return name_of(case)
    return f"line{line_of(case)}" if isinstance(case, re.Match) else None


def line_of(block: re.Match[str]) -> int:
    return block.string[: block.start("code")].count("\n")


@pytest.mark.parametrize(("page", "block"), BLOCKS, ids=place_of)
def test_python_runs_alone_and_twice_and_prints_what_the_page_says(
    page: Path, block: re.Match[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block that begins with "# name.py" is also a file of the working folder, for all blocks of its page."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for other in BLOCK.finditer(block.string):
        if file_name := FILE_NAME.match(other["code"]):
            Path(file_name[1]).write_text(other["code"])
    code = compile("\n" * line_of(block) + block["code"], str(page), "exec")
    for _ in range(2):
        printed = io.StringIO()
        module = ModuleType("page")
        monkeypatch.setitem(sys.modules, module.__name__, module)  # where dataclasses look for their names
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, vars(module))
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in OPTIONAL:
                raise
            pytest.skip(f"{error.name} is not installed")
        except CudaUnavailableError as error:
            pytest.skip(str(error))
        if block["printed"] is not None:
            assert printed.getvalue() == block["printed"], f"{name_of(page)}, line {line_of(block)}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_marks_of_an_unresolved_merge(page: Path) -> None:
    assert not re.search(r"^(<<<<<<< |>>>>>>> )", page.read_text(), re.M)


@pytest.mark.parametrize("page", GENERATED, ids=name_of)
def test_generated_pages_are_fresh(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == GENERATED[page], "run `python docs/generate.py`"


@pytest.mark.parametrize("env_id", ENVS)
def test_every_argument_and_reset_option_is_on_the_page(env_id: str) -> None:
    page = (DOCS / "envs" / f"{env_id.rpartition('-v')[0]}.md").read_text()
    entry = ENVS[env_id]
    for name in [*inspect.signature(entry.factory).parameters, *entry.factory().option_names, "render_mode"]:
        assert f"| `{name}` |" in page


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text())):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = page if not path else (page.parent / path).resolve()
        assert target.exists(), f"{link}: there is no {target}"
        if anchor:
            assert anchor in anchors(target), f"{link}: {target.name} has {sorted(anchors(target))}"


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub and MyST give to headings."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_reached_from_the_index() -> None:
    lists = "\n".join((DOCS / name).read_text() for name in ("index.md", *SECTIONS))
    listed = {
        line.strip() for toctree in re.findall(r"```\{toctree\}(.*?)```", lists, re.S) for line in toctree.split("\n")
    }
    for page in PAGES:
        if page.is_relative_to(DOCS) and page != DOCS / "index.md":
            name = str(page.relative_to(DOCS).with_suffix(""))
            assert {name, name.rpartition("/")[2]} & listed, f"{name} is in no toctree"


def test_the_reference_holds_everything_public() -> None:
    """Sphinx documents what `automodule` names, whole; -W fails for what does not exist."""
    described = set(re.findall(r"^\.\. automodule:: (\S+)$", "".join(p.read_text() for p in REFERENCE), re.M))
    modules = {f"card_envs.{env_id.replace('-', '_')}" for env_id in ENVS}
    packages = {
        "card_envs",
        "card_envs.agent",
        "card_envs.match",
        "card_envs.history",
        "card_envs.testing",
        "card_wrappers.openspiel",
    }
    wrappers = {f"card_wrappers.{file.stem}" for file in (REPO / "wrappers" / "card_wrappers").glob("[!_]*.py")}
    assert modules | packages | wrappers <= described
    assert all(importlib.util.find_spec(name) for name in described)


DESCRIBED = {
    module: [name for name in members.split(", ") if name]
    for page in REFERENCE
    for module, members in re.findall(r"^\.\. automodule:: (\S+)\n   :members: ?(.*)$", page.read_text(), re.M)
}
"""Public module -> the members that the reference lists; none stand for all names of `__all__`."""


def import_or_skip(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("module", DESCRIBED)
def test_the_reference_describes_each_public_name(module: str) -> None:
    """A name of `__all__` is described below its module, or below the public package that exports it."""
    public = import_or_skip(module).__all__
    assert set(DESCRIBED[module]) <= set(public)
    missing = set(public) - set(DESCRIBED[module]) if DESCRIBED[module] else set()
    package = module.split(".")[0]
    assert missing <= {"ENVS", "__version__", *DESCRIBED.get(package, [])}


def test_the_package_shows_its_public_names_alone() -> None:
    assert sorted(dir(importlib.import_module("card_envs"))) == sorted(importlib.import_module("card_envs").__all__)


IMPORT = re.compile(r"^(?:from|import) (card_[\w.]+)", re.M)


@pytest.mark.parametrize("folder", ["guides", "frameworks", "envs"])
def test_the_reference_holds_everything_that_examples_import(folder: str) -> None:
    described = set(re.findall(r"^## (card_\S+)$", "".join(page.read_text() for page in REFERENCE), re.M))
    for page, block in BLOCKS:
        if page.is_relative_to(DOCS / folder):
            assert set(IMPORT.findall(block["code"])) <= described, name_of(page)
