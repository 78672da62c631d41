"""Types of command-line options that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

_AGENT = (
    "name (see `card-envs agents`), module:Class, path/to/file.py:Class, policy:file.py:NAME, hf:user/name, or run "
    "folder"
)

_LAST_PORT = 65535
_MOST_SECONDS = 1e6
"""Sockets and sleeping take no more than some millions of seconds."""

Words = Annotated[tuple[str, ...], tyro.conf.arg(help_behavior_hint="(repeatable)")]
"""Option of several words, which may be repeated: `--agents A B` and `--agents A --agents B` mean the same."""
Flattened = tyro.conf.arg(name="")
"""Annotation of a dataclass whose fields are options of the command itself."""

EnvId = Annotated[
    str, tyro.conf.arg(metavar="ENV", help="Environment id, see `card-envs envs`, or file.py:function of your game.")
]
Paths = Annotated[tuple[Path, ...], tyro.conf.arg(metavar="[PATH ...]", help_behavior_hint="")]
Settings = Annotated[
    Words,
    tyro.conf.arg(
        name="set", metavar="NAME=VALUE ...", help="Arguments of the environment, such as num_players=6 stacks=50."
    ),
]
AgentName = Annotated[str, tyro.conf.arg(metavar="AGENT", help=f"Agent: {_AGENT}.")]
AgentNames = Annotated[Words, tyro.conf.arg(metavar="AGENT ...", help=f"Agents, each a {_AGENT}.")]
Agents = Annotated[
    tuple[str, ...],
    tyro.conf.arg(metavar="AGENT ...", help=f"Two or more agents, each a {_AGENT}.", help_behavior_hint=""),
]
EnvIds = Annotated[
    Words,
    tyro.conf.arg(name="env", metavar="ENV ...", help="Environment ids, see `card-envs envs`; by default all."),
]
Names = Annotated[Words, tyro.conf.arg(metavar="NAME ...")]
Seed = Annotated[int, tyro.conf.arg(help="The same seed gives the same result.")]
Device = Annotated[
    str,
    tyro.conf.arg(help="Device of the agents' networks: cpu, cuda, cuda:N, or auto (a GPU if there is one)."),
]
SavePath = Annotated[
    Path | None,
    tyro.conf.arg(
        help="Write the hands to a file of a format such as .phhs, or a folder; `card-envs replay` reads them."
    ),
]
AsJson = Annotated[
    bool,
    tyro.conf.arg(
        name="json", help="Print JSON. Means, where there are any, are per hand, in the unit of the environment."
    ),
]

Folder = Annotated[Path, tyro.conf.arg(metavar="FOLDER", help="Folder of the league.")]
Allowed = Annotated[
    Words,
    tyro.conf.arg(
        metavar="NAME ...",
        help="Code, module:NAME or path/to/file.py:NAME, that members and settings of the league may name. Other code "
        "is not run: a league may come from somebody else.",
    ),
]
Measure = Annotated[
    str,
    tyro.conf.arg(
        metavar="MEASURE",
        help="Measure to sort by: trueskill, mean, median, low (20th percentile), bradley_terry, plackett_luce.",
    ),
]
Resamples = Annotated[int, tyro.conf.arg(help="Number of resamples behind each interval.")]


def require_port(port: int, lowest: int = 1) -> int:
    """Return the number of a port; ValueError unless it is in lowest .. 65535."""
    if not lowest <= port <= _LAST_PORT:
        raise ValueError(f"port {port} must be in {lowest} .. {_LAST_PORT}")
    return port


def require_seconds(option: str, seconds: float) -> float:
    """Return the seconds of an option to wait; ValueError unless they are above 0 and at most a million."""
    if not 0 < seconds <= _MOST_SECONDS:
        raise ValueError(f"{option} {seconds:g} must be above 0 and at most {_MOST_SECONDS:,.0f} seconds")
    return seconds


def require_host(host: str) -> str:
    """Return an address to listen at; ValueError for none, at which a socket listens to every machine."""
    if not host.strip():
        raise ValueError(f"host {host!r} must be an address, such as 127.0.0.1, or 0.0.0.0 for all machines")
    return host
