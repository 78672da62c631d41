"""The messages that a page may send to the server, and the checks of their fields.

A message is a JSON object with a "type". The methods of `request_handler` that answer messages say by their parameters
which fields a type has.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Mapping
from typing import Any, Union, get_args, get_origin

MAX_TEXT = 200
"""Maximum number of characters of a string, and of entries of a list."""
MAX_INT = 2**53 - 1
"""The largest whole number that JavaScript represents exactly."""

Fields = Mapping[str, inspect.Parameter]
"""The fields of a type of message, by name."""


class MessageError(ValueError):
    """Raised for text that is no valid message."""


def fields_of(method: Callable[..., Any]) -> Fields:
    """Return the fields of the messages that a method answers: its parameters, other than the page that asks."""
    parameters = inspect.signature(method, eval_str=True).parameters
    return {name: parameter for name, parameter in parameters.items() if name not in ("self", "viewer")}


def parse(text: str | bytes, kinds: Mapping[str, Fields]) -> tuple[str, dict[str, Any]]:
    """Return type and fields of the message that a page sent as JSON; raise MessageError if it is not valid."""
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MessageError("a message must be a JSON object") from error
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise MessageError('a message must be a JSON object with a "type"')
    kind = data.pop("type")
    if kind not in kinds:
        raise MessageError(f"unknown type: known are {', '.join(kinds)}")
    _check_fields(kind, data, kinds[kind])
    return kind, data


def _check_fields(kind: str, data: Mapping[str, Any], fields: Fields) -> None:
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise MessageError(f"{kind} has no field {unknown[0][:MAX_TEXT]!r}: known are {list(fields)}")
    for name, field in fields.items():
        if name not in data and field.default is field.empty:
            raise MessageError(f"{kind} needs the field {name!r}")
    for name, value in data.items():
        hint = fields[name].annotation
        if not _fits(value, hint):
            raise MessageError(f"{kind}: {name} must be {getattr(hint, '__name__', None) or hint}")


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


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
