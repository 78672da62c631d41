"""Files and output do not depend on the locale: files are UTF-8, and every terminal shows every command."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
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


RUN = """
import json, sys
from card_baselines.cli.main import main
for words in json.loads(sys.argv[1]):
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    for stream in (sys.stdout, sys.stderr):
        print("--- returned", code, file=stream, flush=True)
"""


def run_commands(commands: list[list[str]], environment: dict[str, str]) -> list[tuple[int, str, str]]:
    """Run commands in one process; return the exit code of each, and what it printed to both streams, all ASCII."""
    command = [sys.executable, "-c", RUN, json.dumps(commands)]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    printed = [
        re.split(r"^--- returned (\d+)\n", text.decode("ascii"), flags=re.MULTILINE)
        for text in (done.stdout, done.stderr)
    ]
    assert len(printed[0]) == len(printed[1]) == 2 * len(commands) + 1
    return [
        (int(code), out, err)
        for out, code, err in zip(printed[0][::2], printed[0][1::2], printed[1][::2], strict=False)
    ]


def test_commands_end_well_where_the_output_is_closed() -> None:
    """As under a daemon that closes the standard streams."""
    program = "import sys; from card_baselines.cli.main import main; sys.exit(main(sys.argv[1:]))"
    played = ["match", "--env", "kuhn_poker-v0", "--agents", "random", "random", "--hands", "10"]
    for words in (["envs"], ["match", "--help"], played, [*played, "--json"]):
        run = shlex.join([sys.executable, "-c", program, *words])
        done = subprocess.run(["sh", "-c", f"{run} >&-"], capture_output=True, timeout=600)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr.decode()


def test_every_command_shows_its_help_in_every_locale() -> None:
    asked = [[], *([name] for name in COMMANDS), *SUBCOMMANDS]
    for words, (code, shown, _) in zip(
        asked, run_commands([[*words, "--help"] for words in asked], ASCII), strict=True
    ):
        assert code == 0 and "usage: " in shown and len(shown) > 100, (words, shown)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_lists_and_errors_are_printed_in_every_locale(name: str, tmp_path: Path) -> None:
    mine, latin = tmp_path / "mine.py", tmp_path / "latin.py"
    mine.write_text("class Sp\u00efel:\n    pass\n", encoding="utf-8")
    latin.write_bytes("# -*- coding: latin-1 -*-\n# \u00e9\nclass Mine:\n    pass\n".encode("latin-1"))
    agents = ("pl\u00e4yer\u2660", str(mine), str(latin))
    matches = [["match", "leduc_holdem-v0", "--agents", agent, "random"] for agent in agents]
    *listed, wrong, hint, latin_hint = run_commands([["agents"], ["envs"], *matches], ENVIRONMENTS[name])
    assert all(code == 0 and len(shown) > 1000 for code, shown, _ in listed)
    assert all(code == 2 and "Traceback" not in error for code, _, error in (wrong, hint, latin_hint))
    assert wrong[2].startswith("card-envs: ")
    assert "mine.py:Sp\\xefel" in hint[2], hint[2]
    assert "latin.py:Mine" in latin_hint[2], latin_hint[2]
