"""Agents by name: registered ones, classes in modules and files, folders of training runs."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any
from urllib.parse import parse_qsl

from card_envs import plugins
from card_envs.agent.base import Agent, DuckTypedAgent, SupportsAct, as_agent
from card_envs.damaged_files import explain_damage
from card_envs.extras import how_to_install
from card_envs.game import Game
from card_envs.locations import (
    UnknownNameError,
    UntrustedNameError,
    find_package_folder,
    list_choices,
    load_file,
    load_module,
    registered_names_only,
    require_allowed,
    suggest_name,
)
from card_envs.observation import find_encoder

_CONFIG = "config.json"
CHOICES = _GREEDY, _ = "greedy", "sampling"
"""Suffixes of agent names, as in "ppo_big2:greedy": take the most probable action, or sample one."""
_DEVICE = re.compile(r"auto|cpu|cuda(?::[0-9]+)?")
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_FORMS = '"module:Class", "path/to/file.py:Class" or the folder of a training run'


def find_agent(spec: str | os.PathLike[str], game: Game, device: str = "cpu") -> Agent:
    """Return an agent by name, class or run folder.

    Its class is called with `game`, `folder`, `device` and `policy`, as far as its parameters have these names.

    Args:
        spec: A registered name (`known_agents`), "module:Class", "path/to/file.py:Class", or the folder of a training
            run. Code may be followed by arguments of the class, as strings: "file.py:Class?path=a.pt". The suffix
            ":greedy" or ":sampling" sets how the agent picks its actions. "a:b" makes agent a the policy of the
            registered agent b ("ppo_big2:rollout"). "scheme:ARGUMENT" passes an argument to a registered scheme
            ("llm:MODEL").
        game: The game that the agent is to play.
        device: Device of the agent's networks: auto, cpu, cuda or cuda:N.

    Raises:
        ValueError: If there is no such agent (the message suggests the nearest name), or it cannot play the game.
        ModuleNotFoundError: If a package is missing; the message names the extra of card-envs that installs it.

    Example:
        >>> from card_envs import make_game
        >>> find_agent("random", make_game("kuhn_poker-v0")).name
        'random'
    """
    if isinstance(spec, os.PathLike):
        spec = os.fspath(spec)
    if not isinstance(spec, str):
        raise TypeError(f"{spec!r} is no name of an agent: pass a text such as 'random', or the path of a run folder")
    if not _DEVICE.fullmatch(device):
        raise ValueError(f"device {device!r} is not known: choose auto, cpu, cuda or cuda:N")
    try:
        scheme, _, argument = spec.partition(":")
        if argument and (location := plugins.list_plugins(plugins.SCHEMES).get(scheme)) is not None:
            require_allowed("agent", spec)  # files may not name it: the agent may use the network
            made = _make(class_at(spec, location), {"game": game, "device": device, "argument": argument})
            return require_playable(made, game)
        whole, (spec, choice) = spec, split_choice(spec)
        policy, spec = split_policy(spec)
        offered: dict[str, Any] = {"game": game, "folder": Path(spec), "device": device}
        if policy:
            offered["policy"] = find_agent(policy, game, device)
        agent = _load_saved(Path(spec), offered) if _is_run_folder(spec) else _load_named(spec, offered)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"agent {spec!r}: {how_to_install(error)}", name=error.name) from error
    if choice:
        if agent.greedy is None:
            raise ValueError(f'agent {whole!r}: {agent.name!r} has one way to choose its actions; omit ":{choice}"')
        agent.greedy, agent.name = choice == _GREEDY, f"{agent.name}:{choice}"
    require_playable(agent, game)
    return agent


def split_choice(spec: str) -> tuple[str, str]:
    """Split ":greedy" or ":sampling" off a spec: "cfr:greedy" -> ("cfr", "greedy"), "cfr" -> ("cfr", "")."""
    rest, _, word = spec.rpartition(":")
    return (rest, word) if word in CHOICES else (spec, "")


def split_policy(spec: str) -> tuple[str, str]:
    """Split the policy off a spec: "a:b" -> ("a", "b") if b is a registered agent with a policy, else ("", spec)."""
    policy, _, name = spec.rpartition(":")
    location = plugins.known_agents().get(name, "") if policy else ""
    takes_one = ":" in location and "policy" in inspect.signature(class_at(name, location)).parameters
    return (policy, name) if takes_one else ("", spec)


def _split_arguments(spec: str) -> tuple[str, dict[str, str]]:
    """Split the arguments off code: "a.py:A?path=b&size=3" -> ("a.py:A", {"path": "b", "size": "3"})."""
    code, mark, text = spec.partition("?")
    if ":" not in code or not mark:
        return spec, {}
    try:
        return code, dict(parse_qsl(text, keep_blank_values=True, strict_parsing=True))
    except ValueError as error:
        raise ValueError(f'agent {spec!r}: arguments are written "{code}?name=value&name=value"') from error


def _make(make: Any, offered: Mapping[str, Any], arguments: Mapping[str, str] = MappingProxyType({})) -> Agent:
    """Return an instance of an agent class, made with those of the offered arguments that its signature names.

    Raises ValueError if the user gave `arguments` that the signature does not name, or not those that it needs.
    """
    parameters = inspect.signature(make).parameters
    if unknown := [name for name in arguments if name not in parameters]:
        raise ValueError(f"{make.__name__} has no argument {unknown[0]!r}: choose among {list(parameters)}")
    chosen = {name: value for name, value in {**offered, **arguments}.items() if name in parameters}
    needed = [each.name for each in parameters.values() if each.default is each.empty and each.kind not in _VARIADIC]
    if missing := [name for name in needed if name not in chosen]:
        raise ValueError(f'{make.__name__} needs the argument {missing[0]!r}: add "?{missing[0]}=VALUE" to its name')
    return as_agent(make(**chosen))


def _load_named(spec: str, offered: Mapping[str, Any]) -> Agent:
    """Return the agent of a registered name, or of code."""
    code, arguments = _split_arguments(spec)
    location = _find_location(code)
    if (folder := find_package_folder(location)) is None:
        return _make(class_at(spec, location), offered, arguments)
    try:
        return _load_saved(folder, offered, spec)
    except UntrustedNameError:
        raise
    except ValueError as error:  # which names the folder
        raise ValueError(f"agent {spec!r}: {error}") from error


def _load_saved(folder: Path, offered: Mapping[str, Any], name: str = "") -> Agent:
    """Return the agent that was saved in a folder, with its registered name, if it has one.

    The names in its files must be registered ones.
    """
    config, game = folder / _CONFIG, offered["game"]
    with registered_names_only(config), explain_damage(folder):
        make = class_at(str(folder), _parse_location(config))
        agent = _make(make, {**offered, "folder": folder})
        agent.name = name or agent.name
        require_playable(agent, game)
        if isinstance(agent.encoder, str):
            find_encoder(game.encoders, agent.encoder)  # checked here, where names from a file are restricted
    return agent


def _is_run_folder(spec: str) -> bool:
    return (Path(spec) / _CONFIG).is_file()


def code_in(spec: str) -> str:
    """Return the "module:Class" or "path/to/file.py:Class" in a spec of `find_agent`, "" if it names no code."""
    policy, rest = split_policy(split_choice(spec)[0])
    if policy:
        return code_in(policy)
    return rest if ":" in rest and not _is_run_folder(rest) else ""


def require_playable(player: SupportsAct, game: Game) -> Agent:
    """Return the player as an agent that can play the game.

    Raises:
        ValueError: If it cannot play the game.
        TypeError: If it is no agent.
    """
    agent = as_agent(player)
    if not agent.can_play(game):
        raise ValueError(f"agent {agent.name!r} cannot play {game.name}")
    return agent


def to_agent(agent: SupportsAct | str, game: Game) -> Agent:
    """Return the agent of a name (`find_agent`), or an agent itself, if it can play the game.

    Raises:
        ValueError: If it cannot play the game, and for an unknown name.
        TypeError: If it is no agent.
    """
    return find_agent(agent, game) if isinstance(agent, str) else require_playable(agent, game)


def _find_location(spec: str) -> str:
    """Return the "module:Class" of a spec; ValueError if it cannot be found."""
    path = Path(spec)
    if not spec:
        _fail("agent '' is not known", spec, plugins.known_agents())
    if ":" in spec:
        require_allowed("agent", spec)
        return spec
    if path.is_dir():
        raise ValueError(f"agent {spec!r}: the folder has no {_CONFIG}, so it is not that of a training run")
    if path.suffix == ".py":
        raise ValueError(f"agent {spec!r} names no class: pass {_list_classes(path)}")
    if len(path.parts) > 1:
        raise UnknownNameError(f"agent {spec!r}: there is no folder {path.absolute()}", "agent")
    known = plugins.known_agents()
    return known.get(spec) or _fail(f"agent {spec!r} is not known", spec, known)


def _list_classes(path: Path) -> str:
    """Return the specs of the classes in a file as text; the file is parsed, not run."""
    try:
        classes = [node.name for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.ClassDef)]
    except (OSError, SyntaxError, ValueError):
        classes = []
    return " or ".join(f'"{path}:{name}"' for name in classes) or f'"{path}:Class"'


def _parse_location(config: Path) -> str:
    """Return the "module:Class" that plays the run with this configuration.

    Run folders are shared, so the class must be registered. The file names a kind of saved agents, or, for packages
    that register no kind, the location of a registered agent.
    """
    try:
        named = str(json.loads(config.read_text(encoding="utf-8"))["agent"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"{config} names no agent: it is not the configuration of a run") from error
    kinds = plugins.list_plugins(plugins.SAVED_AGENTS)
    if named in kinds:
        return kinds[named]
    if named in (*kinds.values(), *plugins.list_plugins(plugins.AGENTS).values()):
        return named
    known = sorted(kind for kind in kinds if ":" not in kind)
    raise UntrustedNameError(
        f"{config} names code for its agent: {named!r}. A run folder may only name one of {known}, or the location of "
        'a registered agent. If you trust the code, name it yourself: "module:Class" or "path/to/file.py:Class"'
    )


def class_at(spec: str, location: str) -> Any:
    """Return the agent class at "module:Class" or "path/to/file.py:Class"; messages call it `spec`, as the user did.

    A ValueError for a location without a class that has a method `act` suggests the nearest name.
    """
    source, _, name = location.rpartition(":")
    if not source or not name:
        registered = "" if spec == location else f"registered as {location!r}, which is "
        raise ValueError(f"agent {spec!r} is {registered}not a name, {_FORMS}")
    module = _load_source(spec, source)
    agents = {key: value for key, value in vars(module).items() if _is_agent_class(value)}
    if not agents:
        raise ValueError(f"agent {spec!r}: {source} has no class with a method act")
    return agents.get(name) or _fail(f"agent {spec!r}: {source} has no class {name!r} with a method act", name, agents)


def _is_agent_class(value: object) -> bool:
    is_class = inspect.isclass(value) and "act" in dir(value)
    return is_class and not inspect.isabstract(value) and value not in (SupportsAct, DuckTypedAgent)


def _load_source(spec: str, source: str) -> ModuleType:
    """Return a module by its name or file; ValueError if there is none."""
    if source.endswith(".py"):
        path = Path(source).expanduser()
        if not path.is_file():
            raise ValueError(f"agent {spec!r}: there is no file {path.resolve()}")
        return load_file(path)
    try:
        return load_module(source)
    except ModuleNotFoundError as error:
        if error.name is None or not source.startswith(error.name):
            raise  # the module exists, but something that it imports does not
        raise ValueError(f"agent {spec!r}: there is no module {source!r}") from error


def _fail(message: str, name: str, known: Mapping[str, Any]) -> Any:
    choices = f"{list_choices(sorted(known), 'card_envs.agent.known_agents()')}, or pass {_FORMS}"
    if not plugins.list_plugins(plugins.AGENTS):  # as in a checkout that is on the path but not installed
        choices += (
            ". No package has registered agents: install one (pip install -e . in a checkout), or import it first"
        )
    raise UnknownNameError(f"{message}{suggest_name(name, known)}{choices}", "agent")
