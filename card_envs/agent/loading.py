"""Agents by name: registered ones, classes in modules and files, folders of training runs."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from card_envs.agent.base import Agent
from card_envs.game import Game

# A string because the agents stand on a higher layer: they need this module, and it must do without them.
_PLAYERS = "card_baselines"
_REGISTRY = f"{_PLAYERS}.registry"


def known_agents() -> dict[str, str]:
    """Return the names that `find_agent` knows, each with its "module:Class"."""
    known = {"random": "card_envs.agent.base:RandomAgent"}
    try:
        registered: Mapping[str, str] = importlib.import_module(_REGISTRY).AGENTS
    except ModuleNotFoundError as error:
        if error.name is None or not _REGISTRY.startswith(error.name):
            raise
        return known  # the games are installed without the players
    return {**known, **registered}


def find_agent(spec: str, game: Game) -> Agent:
    """Return the agent that `spec` names, made to play `game`.

    `spec` is one of `known_agents()`, "module:Class", "path/to/file.py:Class", or the folder of a training run, whose
    config.json names a class of `card_baselines` under "agent". The class is called with `game` and `folder`, as far as
    its parameters have these names. Raises ValueError, naming what is nearest, when there is no such agent or it cannot
    play the game.
    """
    folder = Path(spec)
    if (folder / "config.json").is_file():
        location = _location_in(folder)
    elif ":" in spec:
        location = spec
    else:
        known = known_agents()
        location = known.get(spec) or _fail(f"agent {spec!r} is not known", spec, known)
    make = _find_class(spec, location)
    offered = {"game": game, "folder": folder}
    taken = inspect.signature(make).parameters
    agent: Agent = make(**{name: value for name, value in offered.items() if name in taken})
    require_playable(agent, game)
    return agent


def _location_in(folder: Path) -> str:
    """Return which class plays the run in `folder`; one from elsewhere is refused, since run folders are passed on."""
    try:
        location = json.loads((folder / "config.json").read_text())["agent"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / 'config.json'} names no agent: it is not the configuration of a run") from error
    parts = str(location).rpartition(":")[0].split(".")
    if parts[0] != _PLAYERS or parts[-1] == "py" or not all(part.isidentifier() for part in parts):
        raise ValueError(
            f"{folder / 'config.json'} wants code from {location!r}: a run folder may name classes of {_PLAYERS} "
            'alone. If you trust the code, name it yourself: "module:Class" or "path/to/file.py:Class"'
        )
    return str(location)


def require_playable(agent: Agent, game: Game) -> None:
    """Raise ValueError if the agent says that it cannot play the game, or TypeError if it is no agent at all."""
    if not callable(getattr(agent, "act", None)):
        raise TypeError(f"{agent!r} is not an agent: it has no method act(decisions, rng)")
    can_play = getattr(agent, "can_play", None)
    if can_play is not None and not can_play(game):
        raise ValueError(f"agent {agent.name!r} cannot play {game.name}")


def _find_class(spec: str, location: str) -> Any:
    """Return the class at "module:Class" or "path/to/file.py:Class"."""
    place, _, name = location.rpartition(":")
    if not place or not name:
        raise ValueError(f'agent {spec!r} stands at {location!r}, which is not "module:Class"')
    module = _load_file(spec, Path(place)) if place.endswith(".py") else _load_module(spec, place)
    agents = {key: value for key, value in vars(module).items() if inspect.isclass(value) and hasattr(value, "act")}
    agents.pop(Agent.__name__, None)  # the protocol, where the module imports it
    return agents.get(name) or _fail(f"agent {spec!r}: {place} has no class {name!r} with a method act", name, agents)


def _load_module(spec: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise  # it exists; something that it needs does not
        raise ValueError(f"agent {spec!r}: there is no module {name!r}") from error


def _load_file(spec: str, path: Path) -> ModuleType:
    path = path.expanduser().resolve()
    if not path.is_file():
        raise ValueError(f"agent {spec!r}: there is no file {path}")
    name = f"agent_file_{path.stem}_{abs(hash(path))}"
    if name not in sys.modules:
        found = importlib.util.spec_from_file_location(name, path)
        assert found is not None and found.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(found)
        try:
            found.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _fail(message: str, name: str, known: Mapping[str, Any]) -> Any:
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.3)
    hint = f" (did you mean {nearest[0]!r}?)" if nearest else ""
    raise ValueError(
        f'{message}{hint}: choose one of {sorted(known)}, or pass "module:Class" or "path/to/file.py:Class"'
    )
