"""The messages that a page may send to the server: one frozen dataclass each, with checks of every field."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

MAX_TEXT = 200
"""Maximum number of characters of a string, and of entries of a list."""
MAX_INT = 2**53 - 1
"""The largest whole number that JavaScript represents exactly."""


class MessageError(ValueError):
    """Raised for text that is no valid message."""


@dataclass(frozen=True)
class Hello:
    """The first message of a page."""

    token: str
    """Token of the host, or of a seat."""


@dataclass(frozen=True)
class Offer:
    """A request for the agents that can play a game with these settings."""

    env: str
    settings: str = ""


@dataclass(frozen=True)
class Open:
    """A request for a new table."""

    env: str
    players: list[str]
    """Name of the agent of each player, "" for a person."""
    names: list[str]
    """Names of the people, in their order."""
    settings: str = ""
    seed: int | None = None
    block: int = 0
    """Number of deals after which they are repeated with seats exchanged; 0: every deal is played once."""


@dataclass(frozen=True)
class Sessions:
    """A request for the list of open tables."""


@dataclass(frozen=True)
class Close:
    """A request to end a session."""

    session: int


@dataclass(frozen=True)
class Watch:
    """A request to let the agents of a table play, and to show it."""

    session: int
    pause: float = 1.0
    """Seconds from one decision to the next; below 0: stop."""


@dataclass(frozen=True)
class Act:
    """An action of a player; ignored unless it is for the decision that the table waits for."""

    hand: int
    step: int
    action: int


@dataclass(frozen=True)
class Next:
    """A request to deal the next hand after this one."""

    hand: int


@dataclass(frozen=True)
class Think:
    """A request for an agent's advice on a decision of the player."""

    agent: str
    hand: int
    step: int


@dataclass(frozen=True)
class Recordings:
    """A request for the list of recordings."""


@dataclass(frozen=True)
class Recording:
    """A request for the list of hands of a recording."""

    name: str


@dataclass(frozen=True)
class Moment:
    """A request for a recorded hand after some decisions, and for an agent's advice on the next one."""

    name: str
    """Name of the recording."""
    hand: int
    """Index of the hand in the recording."""
    step: int
    """Number of decisions before the moment."""
    agent: str = ""
    """Agent that is asked for advice; "" for none."""


@dataclass(frozen=True)
class Results:
    """A request for the results of people against agents."""


Message = (
    Hello | Offer | Open | Sessions | Close | Watch | Act | Next | Think | Recordings | Recording | Moment | Results
)

_KINDS: dict[str, type[Any]] = {kind.__name__.lower(): kind for kind in get_args(Message)}
_HINTS = {kind: get_type_hints(kind) for kind in _KINDS.values()}


def parse(text: str | bytes) -> Message:
    """Return the message that a page sent as JSON; raise MessageError if it is not valid."""
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MessageError("a message must be a JSON object") from error
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise MessageError('a message must be a JSON object with a "type"')
    kind = _KINDS.get(data["type"])
    if kind is None:
        raise MessageError(f"unknown type: known are {', '.join(_KINDS)}")
    return _make_message(kind, {name: value for name, value in data.items() if name != "type"})


def _make_message(kind: type[Any], data: Mapping[str, Any]) -> Message:
    hints = _HINTS[kind]
    unknown = sorted(set(data) - set(hints))
    if unknown:
        raise MessageError(f"{kind.__name__.lower()} has no field {unknown[0][:MAX_TEXT]!r}: known are {list(hints)}")
    for field in fields(kind):
        if field.name not in data and field.default is MISSING:
            raise MessageError(f"{kind.__name__.lower()} needs the field {field.name!r}")
    for name, value in data.items():
        if not _fits(value, hints[name]):
            raise MessageError(f"{kind.__name__.lower()}: {name} must be {_describe_type(hints[name])}")
    made: Message = kind(**data)
    return made


def _fits(value: Any, hint: Any) -> bool:
    """Return True if a value from JSON has the type of a field, and a size that is allowed."""
    if get_origin(hint) in (Union, types.UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if get_origin(hint) is list:
        (entry,) = get_args(hint)
        return isinstance(value, list) and len(value) <= MAX_TEXT and all(_fits(each, entry) for each in value)
    if hint is type(None):
        return value is None
    if hint is str:
        return isinstance(value, str) and len(value) <= MAX_TEXT and value.isprintable()
    is_number = isinstance(value, (int, float) if hint is float else int) and not isinstance(value, bool)
    return is_number and abs(value) <= MAX_INT


def _describe_type(hint: Any) -> str:
    return getattr(hint, "__name__", None) or str(hint)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
