"""Options that several commands share, as tyro reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

Words = Annotated[tuple[tuple[str, ...], ...], tyro.conf.UseAppendAction]
"""Words of an option that may be repeated: `--agents A B` and `--agents A --agents B` mean the same."""

EnvId = Annotated[str, tyro.conf.arg(metavar="ENV")]
EnvIds = Annotated[tuple[str, ...], tyro.conf.arg(metavar="[ENV ...]")]
Names = Annotated[Words, tyro.conf.arg(metavar="NAME ...")]
AgentName = Annotated[str, tyro.conf.arg(metavar="AGENT")]
Agents = Annotated[tuple[str, ...], tyro.conf.arg(metavar="AGENT ...")]
AgentNames = Annotated[Words, tyro.conf.arg(metavar="AGENT ...")]
Settings = Annotated[Words, tyro.conf.arg(name="set", metavar="NAME=VALUE ...")]
AsJson = Annotated[bool, tyro.conf.arg(name="json")]
Folder = Annotated[Path, tyro.conf.arg(metavar="FOLDER")]
Allowed = Annotated[Words, tyro.conf.arg(metavar="NAME ...")]
MapOf = Literal["statistics", "strategy"]
NumPlayers = Annotated[int | None, tyro.conf.arg(metavar="N")]


def join_words(words: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Return the words of all occurrences of an option, in order."""
    return tuple(word for occurrence in words for word in occurrence)
