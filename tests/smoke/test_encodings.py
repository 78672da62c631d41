"""Files and output do not depend on the locale: files are UTF-8, and every terminal shows every command."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from card_baselines.cli.forms import COMMANDS, FORMS

REPO = Path(__file__).parents[2]
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""Environment in which Python reads files and prints as ASCII unless told otherwise."""
ENVIRONMENTS = {"C locale": ASCII, "ascii output": ASCII | {"PYTHONIOENCODING": "ascii"}}
SUBCOMMANDS = [["train", "self_play_ppo"], ["reproduce", "shi2022"]]
SUBCOMMANDS += [[name, word] for name, words in FORMS.items() for word in words]


def opens_text(call: ast.Call) -> bool:
    """Return whether a call reads or writes text of a file or a process."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in ("read_text", "write_text"):
        return True
    if name in ("run", "Popen", "check_output"):
        return "text" in keywords or "universal_newlines" in keywords
    if name not in ("open", "fdopen") or any(key not in ("mode", "encoding", "newline", "errors") for key in keywords):
        return False  # another method of this name
    of_module = isinstance(call.func, ast.Name)
    mode = keywords.get("mode") or next(iter(call.args[of_module:]), ast.Constant("r"))
    is_mode = isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) <= set("rwxab+t")
    return is_mode and "b" not in mode.value


def names_encoding(call: ast.Call) -> bool:
    return any(keyword.arg == "encoding" for keyword in call.keywords)


def lines_without_encoding(source: str) -> list[int]:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [call.lineno for call in calls if opens_text(call) and not names_encoding(call)]


def test_no_file_is_read_or_written_in_the_encoding_of_the_locale() -> None:
    sources = [
        path for top in ("card_envs", "wrappers", "baselines", "benchmarks") for path in (REPO / top).rglob("*.py")
    ]
    assert len(sources) > 300
    found = [f"{path}:{line}" for path in sources for line in lines_without_encoding(path.read_text(encoding="utf-8"))]
    assert not found


@pytest.mark.parametrize(
    "source",
    ["p.read_text()", "p.write_text(x)", "open(p)", "open(p, 'w')", "p.open()", "p.open(mode='a', newline='')",
     "subprocess.run(x, text=True)"],
)  # fmt: skip
def test_the_search_finds_calls_without_an_encoding(source: str) -> None:
    assert lines_without_encoding(source) == [1]
    comma = "" if source.endswith("()") else ", "
    assert not lines_without_encoding(f"{source[:-1]}{comma}encoding='utf-8')")


RUN = "import sys; from card_baselines.cli.main import main; sys.exit(main())"
HELP_OF_ALL = """
import sys
from card_baselines.cli.main import main
for words in {asked}:
    try:
        code = main([*words, "--help"])
    except SystemExit as end:
        code = end.code
    print(f"--- {{words}} returned {{code}}")
"""


def card_envs(*words: str, environment: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", RUN, *words]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, timeout=300)


def test_every_command_shows_its_help_in_every_locale() -> None:
    asked = [[], *([name] for name in COMMANDS), *SUBCOMMANDS]
    command = [sys.executable, "-c", HELP_OF_ALL.format(asked=asked)]
    done = subprocess.run(command, env=os.environ | ASCII, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    shown = done.stdout.decode("ascii")
    for words in asked:
        part, _, shown = shown.partition(f"--- {words} returned 0")
        assert "usage: " in part and len(part) > 100, (words, part)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_lists_and_errors_are_printed_in_every_locale(name: str, tmp_path: Path) -> None:
    environment = ENVIRONMENTS[name]
    for command in ("agents", "envs"):
        listed = card_envs(command, environment=environment)
        assert listed.returncode == 0 and listed.stdout.isascii() and len(listed.stdout) > 1000, listed.stderr.decode()
    wrong = card_envs("match", "leduc_holdem-v0", "--agents", "pl\u00e4yer\u2660", "random", environment=environment)
    assert wrong.returncode == 2 and wrong.stderr.startswith(b"card-envs: ") and b"Traceback" not in wrong.stderr
    mine = tmp_path / "mine.py"
    mine.write_text("class Sp\u00efel:\n    pass\n", encoding="utf-8")
    hint = card_envs("match", "leduc_holdem-v0", "--agents", str(mine), "random", environment=environment)
    assert hint.returncode == 2 and b"mine.py:Sp\\xefel" in hint.stderr, hint.stderr.decode()


def test_the_classes_of_a_file_in_another_encoding_are_named(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_bytes("# -*- coding: latin-1 -*-\n# \u00e9\nclass Mine:\n    pass\n".encode("latin-1"))
    hint = card_envs("match", "leduc_holdem-v0", "--agents", str(mine), "random", environment=ASCII)
    assert b"mine.py:Mine" in hint.stderr, hint.stderr.decode()
