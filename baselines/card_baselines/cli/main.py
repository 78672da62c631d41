"""The `card-envs` command: finds the subcommand, runs it, and turns errors into messages and exit codes."""

from __future__ import annotations

import ast
import io
import os
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from card_baselines.cli.arguments import WRONG_USE, call_command, register_typed_games, require_known
from card_baselines.cli.examples import describe_with_example
from card_baselines.cli.forms import COMMANDS, FORMS, GROUPS, TOPICS, find_form, name_environment, require_current
from card_envs import __version__
from card_envs.extras import how_to_install
from card_envs.locations import UnknownNameError, load_object

_TAKE_ARGUMENTS = ("train", "reproduce")
"""Commands whose options depend on their first word: functions of the words of the command line."""

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

_WIDTH = 100
"""Maximum width of the help, in characters."""

_TOO_LARGE = (
    "Maximum allowed dimension exceeded", "array is too big",
    "can't allocate memory", "Storage size calculation overflowed",
)  # fmt: skip
"""Messages of NumPy and PyTorch about arrays that are larger than the memory."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the command line) names; return its exit code."""
    _prepare_output()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_usage())
        return 0 if arguments else WRONG_USE
    if arguments[0] == "--version":
        print(f"card-envs {__version__}")
        return 0
    try:
        code = _run(arguments)
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
        print(f"card-envs: {_add_next_step(_explain(error), arguments)}", file=sys.stderr)
        return WRONG_USE


def _prepare_output() -> None:
    """Print characters that the encoding of the output lacks as escapes, and nothing where the output is closed."""
    sys.stdout, sys.stderr = (
        stream or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  open until the program ends, as the streams are
        for stream in (sys.stdout, sys.stderr)
    )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: list[str]) -> int:
    require_current(arguments)
    require_known("command", arguments[0], COMMANDS)
    name, location, rest = find_form(arguments)
    if name in GROUPS:
        return _describe_group(name, rest)
    command = _load_command(location)
    rest = name_environment(name, rest)
    if name != "check":  # which takes functions that need no id
        rest = register_typed_games(rest)
    if name in _TAKE_ARGUMENTS:
        return int(command(rest))
    return call_command(command, name, rest, _describe_forms(name)) or 0


def _describe_group(name: str, arguments: list[str]) -> int:
    """Print the help of a command that has forms only; raise ValueError for a word that is none of them."""
    if arguments and arguments[0] not in ("-h", "--help"):
        require_known(name, arguments[0], FORMS[name])
    first = next(iter(FORMS[name]))
    print(f"usage: card-envs {name} COMMAND [options]\n")
    print(describe_with_example(f"{name} {first}", _describe_forms(name)))
    return 0 if arguments else WRONG_USE


def _describe_forms(name: str) -> str:
    """Return a paragraph about the further forms of a command, "" if it has none."""
    forms = FORMS.get(name, {})
    lines = [f"  {word:15} {_summary(location)}" for word, location in forms.items()]
    kind = "Commands" if name in GROUPS else "Further forms"
    return "\n".join([f"{kind}, each with a --help of its own:", *lines]) if forms else ""


def _load_command(location: str) -> Callable[..., Any]:
    command: Callable[..., Any] = load_object(f"card_baselines.cli.commands.{location}")
    return command


def _is_expected(error: Exception) -> bool:
    """Return True for errors that users cause: wrong words, missing files and packages, agents that fail."""
    from card_envs.match import AgentError  # here: most commands end without an error, and some without the compiler

    expected = (ValueError, OverflowError, MemoryError, AgentError, OSError, ModuleNotFoundError)
    return isinstance(error, expected) or _is_too_large(error)


def _is_too_large(error: Exception) -> bool:
    """Return True if arrays do not fit into memory; of PyTorch such an error is a RuntimeError."""
    return isinstance(error, (MemoryError, OverflowError)) or any(words in str(error) for words in _TOO_LARGE)


def _explain(error: Exception) -> str:
    """Return the message of an error: of the operating system without its number, about memory in our words."""
    if isinstance(error, ModuleNotFoundError):
        return how_to_install(error)
    if _is_too_large(error):
        return (
            "a number asks for more than the memory of this machine holds: choose a smaller one, such as fewer --hands"
        )
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) + _next_step(error)


def _add_next_step(message: str, arguments: list[str]) -> str:
    """Return an error message that ends with a command to type next: the help of the command if it names no other."""
    ends_with_step = message.endswith(tuple(_NEXT_STEPS.values())) or _COMMAND.search(message)
    if arguments[0] not in COMMANDS or ends_with_step:
        return message
    return f"{message}; `card-envs {find_form(arguments)[0]} --help` describes its options"


def _next_step(error: BaseException | None) -> str:
    """Return the end of a message about a name that is not known, "" for other errors."""
    while error is not None and not isinstance(error, UnknownNameError):
        error = error.__cause__
    step = "" if error is None else _NEXT_STEPS.get(error.kind, "")
    return f"; {step}" if step else ""


def _usage() -> str:
    lines = ["usage: card-envs COMMAND [options]; `card-envs COMMAND --help` shows them"]
    for topic, names in TOPICS.items():
        lines += [f"{topic}:", *(f"  {name:10} {_summary(f'{name}:{name}')}" for name in names)]
    forms = [f"{name}\xa0{'|'.join(FORMS[name])}" for name in COMMANDS if name in FORMS and name not in GROUPS]
    further = textwrap.wrap(f"Further forms: {', '.join(forms)}.", _WIDTH, break_on_hyphens=False)
    return "\n".join([*lines, *further]).replace("\xa0", " ")


def _summary(location: str) -> str:
    """Return the summary of a command, or of a form of it, read from its source, since its packages may be missing."""
    module, _, name = location.partition(":")
    tree = ast.parse((Path(__file__).parent / "commands" / f"{module}.py").read_bytes())
    described: list[ast.Module | ast.FunctionDef] = [tree]
    described += [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    return (ast.get_docstring(described[-1]) or "").partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
