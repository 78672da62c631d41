"""The `card-envs` command: finds the subcommand, runs it, and turns errors into messages and exit codes."""

from __future__ import annotations

import ast
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from card_baselines.cli.arguments import WRONG_USE, call_command, require_known
from card_envs import __version__
from card_envs.extras import how_to_install
from card_envs.locations import UnknownNameError, load_object

COMMANDS = (
    "envs", "agents", "play", "match", "panel", "hands-needed", "exploit", "adapt", "report", "replay", "train", "demo",
    "bench", "reproduce", "check", "warmup", "serve", "results", "tournament", "league", "export", "acpc", "advise",
    "slumbot", "serve-openenv", "big2-benchmark", "benchmark-learners",
)  # fmt: skip
"""Names of the commands. Each is a function in the module of its name in `cli.commands`, imported when it is needed."""

_TAKE_ARGUMENTS = ("train", "reproduce", "league")
"""Commands with subcommands: functions of the words of the command line."""

_NEXT_STEPS = {
    "command": "`card-envs --help` describes them",
    "environment": "`card-envs envs` lists them",
    "encoder": "`card-envs envs` lists those of each game",
    "setting": "write --set NAME=VALUE with one of these",
    "agent": "`card-envs agents` lists agents by name",
    "algorithm": "`card-envs train --help` describes them",
    "paper": "`card-envs reproduce --help` describes them",
}
"""Kind of an unknown name -> what the user can do next."""

INTERRUPTED, BROKEN_PIPE = 130, 141
"""Exit codes after Ctrl-C, and when the output is no longer read: those of shells."""

_COMMAND = re.compile(r"\b(card-envs|pip install) ")
"""A command in a message of an error."""

_TOO_LARGE = ("Maximum allowed dimension exceeded", "array is too big")
"""Messages of NumPy about arrays that are larger than any memory."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the command line) names; return its exit code."""
    _print_any_character()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_usage())
        return 0 if arguments else WRONG_USE
    if arguments[0] == "--version":
        print(f"card-envs {__version__}")
        return 0
    try:
        code = _run(arguments[0], arguments[1:])
        sys.stdout.flush()
        return code
    except KeyboardInterrupt as error:
        return int(getattr(error, "exit_code", INTERRUPTED))  # `runs.interruption.Terminated` has another
    except BrokenPipeError:  # the program that reads the output, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it once more when it ends
        return BROKEN_PIPE
    except Exception as error:
        if not _is_expected(error):
            raise
        print(f"card-envs: {_add_next_step(_explain(error), arguments[0])}", file=sys.stderr)
        return WRONG_USE


def _print_any_character() -> None:
    """Let the output print characters that its encoding lacks as escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(name: str, arguments: list[str]) -> int:
    require_known("command", name, COMMANDS)
    command = _command(name)
    code: int = command(arguments) if name in _TAKE_ARGUMENTS else call_command(command, name, arguments)
    return code


def _command(name: str) -> Callable[..., Any]:
    word = name.replace("-", "_")
    command: Callable[..., Any] = load_object(f"card_baselines.cli.commands.{word}:{word}")
    return command


def _is_expected(error: Exception) -> bool:
    """Return True for errors that users cause: wrong words, missing files and packages, agents that fail."""
    from card_envs.match import AgentError  # here: most commands end without an error, and some without the compiler

    expected = (ValueError, OverflowError, MemoryError, AgentError, OSError, ModuleNotFoundError)
    return isinstance(error, expected)


def _explain(error: Exception) -> str:
    """Return the message of an error: of the operating system without its number, of NumPy about memory in words."""
    if isinstance(error, ModuleNotFoundError):
        return how_to_install(error)
    if isinstance(error, (MemoryError, OverflowError)) or any(words in str(error) for words in _TOO_LARGE):
        return (
            "a number asks for more than the memory of this machine holds: choose a smaller one, such as fewer --hands"
        )
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) + _next_step(error)


def _add_next_step(message: str, name: str) -> str:
    """Return an error message that ends with a command to type next: the help of the command if it names no other."""
    if name not in COMMANDS or message.endswith(tuple(_NEXT_STEPS.values())) or _COMMAND.search(message):
        return message
    return f"{message}; `card-envs {name} --help` describes its options"


def _next_step(error: BaseException | None) -> str:
    """Return the end of a message about a name that is not known, "" for other errors."""
    while error is not None and not isinstance(error, UnknownNameError):
        error = error.__cause__
    step = "" if error is None else _NEXT_STEPS.get(error.kind, "")
    return f"; {step}" if step else ""


def _usage() -> str:
    lines = [f"  {name:12} {_summary(name)}" for name in COMMANDS]
    return "\n".join(
        ["usage: card-envs COMMAND [options]", "", *lines, "", "`card-envs COMMAND --help` shows its options."]
    )


def _summary(name: str) -> str:
    """Return the summary of a command, read from its source, since its packages may be missing."""
    word = name.replace("-", "_")
    source = Path(__file__).parent / "commands" / f"{word}.py"
    functions = (node for node in ast.parse(source.read_bytes()).body if isinstance(node, ast.FunctionDef))
    command = next(function for function in functions if function.name == word)
    return (ast.get_docstring(command) or "").partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
