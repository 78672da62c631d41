"""From the words of a command line to options, games and agents."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_baselines.cli.examples import EXAMPLES, describe_with_example
from card_envs.envs import ENVS, find_entry, make_game, register_env
from card_envs.locations import UnknownNameError, list_choices, load_object, suggest_name

if TYPE_CHECKING:
    from card_envs.game import Game

WRONG_USE = 2
"""Exit code for unknown ids, agents, settings, options."""
MAX_NUMBER = 2**63 - 1
"""Largest whole number on the command line: the largest of NumPy's int64."""
_WHOLE_NUMBER = re.compile(r"(?<![\w./:-])-?\d[\d_]{18,}(?![\w./:-])")
"""Nineteen digits or more that are no part of a name or a path."""
_MAY_BE_EMPTY = "--host"
"""The option whose empty text is explained by its command."""


# --- options ---


def call_command(command: Callable[..., Any], name: str, arguments: list[str], more: str = "", **default: Any) -> Any:
    """Call a function or class with its arguments from the command line.

    Args:
        command: The function, whose parameters are the options. For --help and wrong options, it is not called: the
            help or an error is printed, and the program exits.
        name: Name of the command.
        arguments: Words of the command line.
        more: Last paragraph of the help, after the docstring of the function.
        **default: `default`, an object from which options are taken that the words do not name.

    Returns:
        The result of the call.
    """
    import tyro

    require_values(arguments)
    require_numbers_in_range(arguments)
    config = (tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone)
    text = "\n\n".join(filter(None, [(inspect.getdoc(command) or "").partition("\n\nArgs:")[0], more]))
    if name in EXAMPLES or more:
        default["description"] = describe_with_example(name, text)
    return tyro.cli(command, args=group_options(arguments), prog=f"card-envs {name}", config=config, **default)


def require_values(arguments: Iterable[str]) -> None:
    """Raise ValueError, naming the option, for an empty text: as a path it would be the working directory."""
    option = ""
    for argument in arguments:
        if argument.startswith("--"):
            option, is_assigned, value = argument.partition("=")
            is_empty = is_assigned and not value
        else:
            is_empty = not argument
        if is_empty and option != _MAY_BE_EMPTY:
            raise ValueError(f"{option or 'an argument'} is an empty text: write a value, or leave it out")


def require_numbers_in_range(arguments: Iterable[str]) -> None:
    """Raise ValueError, naming the option, for a whole number that no array and no seed can hold."""
    option = ""
    for argument in arguments:
        if argument.startswith("--"):
            option = argument.partition("=")[0] + " "
        for number in _WHOLE_NUMBER.findall(argument):
            if len(number) > 2 * len(str(MAX_NUMBER)) or abs(int(number)) > MAX_NUMBER:
                raise ValueError(f"{option}{number:.40} is too large: whole numbers go up to {MAX_NUMBER:,}")


def group_options(arguments: list[str]) -> list[str]:
    """Return the arguments with the words of a repeated option at its first occurrence: `--a 1 --b --a 2` as one --a.

    People repeat options of several words, such as `--panel random chen`, of which tyro would take the last occurrence
    alone. `--a=1` counts as `--a 1`.
    """
    groups: dict[str, list[str]] = {}
    option = ""
    for argument in arguments:
        if argument.startswith("--"):
            option, sign, value = argument.partition("=")
            words = groups.setdefault(option, [option])
            words += [value] if sign else []
        else:
            groups.setdefault(option, []).append(argument)
    return [argument for group in groups.values() for argument in group]


def require_known(kind: str, name: str, known: Iterable[str]) -> None:
    """Raise ValueError with the nearest name, and with all names if they are few, unless a name is a known one."""
    names = list(known)
    if name not in names:
        raise UnknownNameError(f"{kind} {name!r} is not known{suggest_name(name, names)}{list_choices(names)}", kind)


def load_typed(spec: str, kind: str) -> Any:
    """Return the object at a "module:NAME" or "path/to/file.py:NAME" that the user typed; ValueError if there is none.

    Modules are also found in the working directory, as by `python -m`. Errors of their code are raised as they are.
    """
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    source, _, name = spec.rpartition(":")
    try:
        return load_object(spec)
    except (ImportError, FileNotFoundError) as error:
        raise ValueError(f"{spec!r} is no {kind}: {error}") from error
    except AttributeError as error:
        if error.name != name:
            raise
        raise ValueError(f"{spec!r} is no {kind}: {source} has no {name!r}") from error


# --- games ---


_typed_games: dict[str, str] = {}
"""Id of a game that was named by its code -> what the user typed."""


def find_typed_name(env_id: str) -> str:
    """Return what names an environment on a command line: its id, or the code that the user typed in its place."""
    return _typed_games.get(env_id, env_id)


def register_typed_games(arguments: Iterable[str]) -> list[str]:
    """Return the words of a command line with ids in place of games that `--env` names by their code.

    "three_cards.py:three_cards" is registered as "three_cards-v0". Run folders and other files may
    name registered games only.
    """
    words, option = [], ""
    for word in arguments:
        if word.startswith("--"):
            option, sign, spec = word.partition("=")
            words.append(f"{option}={_register_typed_game(spec)}" if sign and option == "--env" else word)
        else:
            words.append(_register_typed_game(word) if option == "--env" else word)
    return words


def _register_typed_game(spec: str) -> str:
    """Return the id of a "file.py:function" or "module:function" that returns a game, registered; ids as they are."""
    if ":" not in spec:
        return spec
    load_typed(spec, "game")
    source, _, name = spec.rpartition(":")
    location = f"{Path(source).resolve()}:{name}" if source.endswith(".py") else spec
    env_id = f"{name}-v0"
    if env_id not in ENVS or ENVS[env_id].make_game != location:
        register_env(env_id, location, f"the game {spec}")
    _typed_games[env_id] = spec
    return env_id


def may_choose_seats(env: str) -> bool:
    """Return True if the number of seats is a setting of the environment."""
    return "num_players" in inspect.signature(find_entry(env).factory).parameters


def game_for(env: str, settings: dict[str, Any], num_agents: int) -> tuple[Game, dict[str, Any]]:
    """Return the game with one seat per agent.

    Args:
        env: Environment id.
        settings: Settings of the environment. Without num_players, it is the number of agents, where it is a setting.
        num_agents: Number of agents that are named.

    Returns:
        The game, and the settings that made it.

    Raises:
        ValueError: The game has another number of seats.
    """
    may_choose = may_choose_seats(env)
    if may_choose and "num_players" not in settings and num_agents > 1:
        settings = {"num_players": num_agents, **settings}
    game = make_game(env, **settings)
    if num_agents != game.num_seats:
        hint = f", or --set num_players={num_agents}" if may_choose and num_agents > 1 else ""
        raise ValueError(
            f"{find_entry(env).id} has {game.num_seats} seats here, but {num_agents} agents are named: name "
            f"{game.num_seats} (one may be named more than once, as in --agents "
            f"{' '.join(['A', *'B' * (game.num_seats - 1)])}){hint}"
        )
    return game, settings
