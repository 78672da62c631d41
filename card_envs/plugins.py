"""Names that other distributions add: by entry points, or by calling `register` when they are imported.

A group maps names to locations: "module:Class" for agents, "module:NAME" for training algorithms,
"module:function" for games. An entry point adds one name, or a whole mapping if it points to a constant (in capitals):

    [project.entry-points."card_envs.agents"]
    my_agent = "my_package.agents:MyAgent"
    my_package = "my_package.registry:AGENTS"

Listing names imports nothing but the modules of such mappings.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points

AGENTS = "card_envs.agents"
"""Name -> "module:Class" of agents that can be named in matches, or, for a saved agent, its run folder in a package,
such as "my_package/pretrained/mine". An entry point gives a folder in a mapping only."""
ALGORITHMS = "card_envs.algorithms"
"""Name -> "module:NAME" of an algorithm object; the command `card-envs train` runs it."""
GAMES = "card_envs.games"
"""Versioned id, such as "my_game-v0" -> "module:function" that returns the `Game`; see `envs.register_env`."""
ENCODERS = "card_envs.encoders"
"""Family of games and name, such as "holdem.shi2022" -> "module:NAME" of an encoder."""
FEATURES = "card_envs.features"
"""Game or family of games and feature, such as "my_game.chance" -> "module:NAME"; see `features.Feature`."""
HISTORIES = "card_envs.histories"
"""Versioned id of a game -> "module:NAME" of the format that records its hands."""
SAVED_AGENTS = "card_envs.saved_agents"
"""Kind of a saved agent, as run folders name it -> "module:Class" that loads and plays it."""
SCHEMES = "card_envs.agent_schemes"
"""Scheme -> "module:Class" of agents that take an argument: `scheme:ARGUMENT` in matches, such as `llm:MODEL`."""
TRAINEES = "card_envs.trainees"
"""Name -> "module:Class": agents that learn in a league."""
GROUPS = (AGENTS, ALGORITHMS, ENCODERS, FEATURES, GAMES, HISTORIES, SAVED_AGENTS, SCHEMES, TRAINEES)

OWN_AGENTS: dict[str, str] = {}
"""Agents of this package, which `card_envs.registration` adds; no other agent may have their names."""

_registered: dict[str, dict[str, str]] = {group: {} for group in GROUPS}


def register(group: str, entries: Mapping[str, str]) -> None:
    """Add names to a group for as long as the process runs, as an entry point does for every process.

    This is for packages that are used without being installed: their metadata, which holds entry points, is missing.

    Args:
        group: One of `GROUPS`.
        entries: Name -> location.

    Raises:
        ValueError: For unknown groups.
    """
    if group not in GROUPS:
        raise ValueError(f"group {group!r} is not known: choose one of {list(GROUPS)}")
    _registered[group].update(entries)


def list_plugins(group: str) -> dict[str, str]:
    """Return the names of a group: those of this process, then those of entry points.

    An entry point that cannot be read is left out with a warning, and so is a name that another one already has.

    Args:
        group: One of `GROUPS`.

    Returns:
        Name -> location.
    """
    found = dict(_registered[group])
    for point in _points_on(group, tuple(sys.path)):
        for name, location in _entries(point):
            if found.setdefault(name, location) != location:
                warnings.warn(
                    f"{name!r} of {point.value!r} is left out: {found[name]!r} has that name in {group}",
                    RuntimeWarning, stacklevel=2,
                )  # fmt: skip
    return found


def known_agents() -> dict[str, str]:
    """Return the registered agents, those that `find_agent` knows by name.

    Names are registered by the entry points `card_envs.agents` of installed distributions, and by `register`; "random"
    is always there.

    Returns:
        Name -> "module:Class" or "package/folder", see `AGENTS`.
    """
    return {**OWN_AGENTS, **list_plugins(AGENTS), **OWN_AGENTS}


@functools.cache
def _points_on(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group on `path`, which is `sys.path`; reading all metadata takes milliseconds."""
    return tuple(entry_points(group=group))


def _entries(point: EntryPoint) -> Iterator[tuple[str, str]]:
    """Yield the names that an entry point adds, with their locations."""
    may_be_mapping = (point.attr or "").isupper()  # a constant, or a class with such a name
    try:
        loaded = point.load() if may_be_mapping else None
    except (ImportError, AttributeError) as error:
        warnings.warn(f"entry point {point.value!r} cannot be read: {error}", RuntimeWarning, stacklevel=3)
        return
    if isinstance(loaded, Mapping):
        yield from loaded.items()
    else:
        yield point.name, point.value
