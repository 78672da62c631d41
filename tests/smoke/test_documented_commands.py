"""Every `card-envs` command of the documentation has a form that the program accepts; none of them is run."""

from __future__ import annotations

import functools
import inspect
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from card_baselines import cli
from card_baselines.cli.forms import FORMS
from card_envs.envs import ENVS

REPO = Path(__file__).parents[2]
PAGES = [REPO / "README.md", REPO / "CONTRIBUTING.md", *sorted((REPO / "docs").rglob("*.md"))]
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)
INLINE = re.compile(r"`(card-envs [^`]+)`")
SHELL = {"|", "&&", ">", "&"}
"""Words after which another command or file follows."""
NAMES = {f"{name} {word}" for name, words in FORMS.items() for word in words}
"""Names of forms of commands: in a sentence they stand without the options that they need."""
PLACEHOLDER = re.compile(r"\.\.\.|->|ALGORITHM|PAPER|.*\$.*|.*my_\w+\.py.*")
"""Words of commands that stand for many, of drawings, and of files that the reader writes."""


class Parsed(BaseException):
    """Raised in place of running a command whose words were parsed."""


def list_commands() -> Iterator[tuple[str, str]]:
    """Yield page and command, each command once."""
    seen = set()
    for page in PAGES:
        if not page.exists() or "_build" in page.parts:
            continue
        text = page.read_text(encoding="utf-8")
        blocks = "\n".join(FENCED.findall(text)).replace("\\\n", " ")
        lines = [line.strip().removeprefix("$ ") for line in blocks.splitlines()]
        inline = [" ".join(found.split()) for found in INLINE.findall(FENCED.sub("", text)) if " --" in found]
        for command in [line for line in lines if line.startswith("card-envs ")] + inline:
            words = words_of(command)
            if command not in seen and " ".join(words) not in NAMES and not any(map(PLACEHOLDER.fullmatch, words)):
                seen.add(command)
                yield str(page.relative_to(REPO)), command


def words_of(command: str) -> list[str]:
    """Return the words of a command after `card-envs`, up to a pipe, redirection or comment."""
    words = shlex.split(command, comments=True)[1:]
    ends = [place for place, word in enumerate(words) if word in SHELL]
    return words[: min(ends, default=len(words))]


def parse_only(parse: Callable[..., Any], command: Callable[..., Any], **options: Any) -> None:
    """Parse as tyro does and raise Parsed; functions are replaced by ones with the same signature."""
    if inspect.isclass(command):
        parse(command, **options)
    else:

        @functools.wraps(command)
        def do_nothing(*_: Any, **__: Any) -> None:
            return None

        parse(do_nothing, **options)
    raise Parsed


COMMANDS = list(list_commands())


PYTHON_FILE = re.compile(r"^```python\n# (?P<name>\w+\.py)\n.*?(?=^```$)", re.M | re.S)


@pytest.fixture
def games_of_page() -> Iterator[None]:
    """Forget the games that the commands of a page register."""
    before = set(ENVS)
    yield
    for env_id in set(ENVS) - before:
        del ENVS[env_id]


@pytest.mark.parametrize("page", sorted({page for page, _ in COMMANDS}))
def test_commands_of_a_page_are_accepted(
    page: str, games_of_page: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks that begin with "# name.py" are files of the working folder."""
    tyro = pytest.importorskip("tyro")
    monkeypatch.setattr(tyro, "cli", functools.partial(parse_only, tyro.cli))
    monkeypatch.chdir(tmp_path)
    for code in PYTHON_FILE.finditer((REPO / page).read_text(encoding="utf-8")):
        Path(code["name"]).write_text(code[0].removeprefix("```python\n"), encoding="utf-8")
    for command in (command for where, command in COMMANDS if where == page):
        try:
            code: object = cli.main(words_of(command))
        except Parsed:
            code = 0
        except SystemExit as error:
            code = error.code
        assert code in (0, None), command
