"""From words on the command line to games, agents and settings, with messages where that fails."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_baselines.cli.examples import EXAMPLES, describe_with_example
from card_envs.envs import EnvEntry, make_game
from card_envs.locations import UnknownNameError, load_module, suggest_name

if TYPE_CHECKING:
    from card_envs.agent import Agent
    from card_envs.game import Game

WRONG_USE = 2
"""Exit code for unknown ids, agents, settings, options."""
MAX_NUMBER = 2**63 - 1
"""Largest whole number on the command line: the largest of NumPy's int64."""
_WHOLE_NUMBER = re.compile(r"(?<![\w./:-])-?\d[\d_]{18,}(?![\w./:-])")
"""Nineteen digits or more that are no part of a name or a path."""


def may_choose_seats(entry: EnvEntry) -> bool:
    """Return True if the number of seats is a setting of the environment."""
    return "num_players" in inspect.signature(entry.factory).parameters


def seats_of(entry: EnvEntry, settings: dict[str, Any]) -> int:
    """Return how many seats the game has with these settings, or by default."""
    return make_game(entry.id, **settings).num_seats


def with_num_players(settings: dict[str, Any], num_players: int | None) -> dict[str, Any]:
    """Return the settings with what --num-players says, which may not say something else than --set num_players=."""
    if num_players is None:
        return settings
    if settings.get("num_players", num_players) != num_players:
        raise ValueError(
            f"--num-players {num_players} contradicts --set num_players={settings['num_players']}: give one of them"
        )
    return {"num_players": num_players, **settings}


def game_for(entry: EnvEntry, settings: dict[str, Any], num_agents: int) -> tuple[Game, dict[str, Any]]:
    """Return the game with one seat per agent, where it can have that many, and the settings that made it."""
    may_choose = may_choose_seats(entry)
    if may_choose and "num_players" not in settings and num_agents > 1:
        settings = {"num_players": num_agents, **settings}
    game = make_game(entry.id, **settings)
    if num_agents != game.num_seats:
        hint = f", or --set num_players={num_agents}" if may_choose and num_agents > 1 else ""
        raise ValueError(
            f"{entry.id} has {game.num_seats} seats here, but {num_agents} agents are named: name {game.num_seats} "
            f"(one may be named more than once, as in --agents {' '.join(['A', *'B' * (game.num_seats - 1)])}){hint}"
        )
    return game, settings


def load_agent(spec: str, game: Game, device: str = "cpu") -> Agent:
    """Return the agent that `spec` names, see `find_agent`; whatever its code raises becomes a ValueError."""
    from card_envs.agent import find_agent  # needs the compiler, which commands that list names do without

    try:
        return find_agent(spec, game, device)
    except (ValueError, ModuleNotFoundError):
        raise
    except Exception as error:  # whatever the code of an agent does when it is imported and made
        last = traceback.extract_tb(error.__traceback__)[-1]
        line = f"{Path(last.filename).name}:{last.lineno}"
        raise ValueError(f"agent {spec!r} cannot be made: {type(error).__name__} at {line}: {error}") from error


def run_script(module_name: str, command: str, arguments: list[str]) -> int:
    """Run the `main` of a training script with the settings that the arguments make of its `Config`."""
    script = load_module(module_name)
    script.main(parse_options(script.Config, command, arguments))
    return 0


def parse_options(made: Callable[..., Any], command: str, arguments: list[str], default: Any = None) -> Any:
    """Return the object that `made` makes of the arguments; for --help and wrong ones, print and exit.

    Settings that the arguments do not name come from `default`, if there is one.
    """
    return call_command(made, command, group_options(arguments), **({} if default is None else {"default": default}))


def call_command(command: Callable[..., Any], name: str, arguments: list[str], **default: Any) -> Any:
    """Run a command with the arguments and return its result; for --help and wrong arguments, print and exit."""
    import tyro

    require_numbers_in_range(arguments)
    config = (tyro.conf.FlagCreatePairsOff, tyro.conf.DisallowNone)
    text = (inspect.getdoc(command) or "").partition("\n\nArgs:")[0]
    if name in EXAMPLES:
        default["description"] = describe_with_example(name, text)
    return tyro.cli(command, args=arguments, prog=f"card-envs {name}", config=config, **default)


def require_numbers_in_range(arguments: Iterable[str]) -> None:
    """Raise ValueError, naming the option, for a whole number that no array and no seed can hold."""
    option = ""
    for argument in arguments:
        if argument.startswith("--"):
            option = argument.partition("=")[0] + " "
        for number in _WHOLE_NUMBER.findall(argument):
            if abs(int(number)) > MAX_NUMBER:
                raise ValueError(f"{option}{number} is too large: whole numbers go up to {MAX_NUMBER:,}")


def group_options(arguments: list[str]) -> list[str]:
    """Return the arguments with those of a repeated --option behind its first occurrence: `--a 1 --b --a 2` as one --a.

    Settings are tuples of words, `--panel random chen`, and people also repeat the option. tyro knows either way, not
    both: the last occurrence wins, or with its append action each may hold one word. `--a=1` counts as `--a 1`.
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
    """Raise ValueError with the nearest name and all names unless a name is among the known ones."""
    names = list(known)
    if name not in names:
        choices = ", ".join(names) or "(there is none)"
        raise UnknownNameError(
            f"{kind} {name!r} is not known{suggest_name(name, names)}: choose one of {choices}", kind
        )
