"""Settings of environments as text of a command line: `num_players=6 bet_menu=0.5,1 max_raises=none`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

_WORDS = {"true": True, "false": False, "none": None, "null": None}


def parse_settings(words: Sequence[str]) -> dict[str, Any]:
    """Return {name: value} of words such as "stacks=50,100".

    Values are numbers, true, false, none, and lists of these with commas; any other value is a string.

    Raises:
        ValueError: A word does not have the form name=value, or a name appears twice.
    """
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise ValueError(f"setting {word!r} must be written as name=value, such as num_players=6")
        if name in settings:
            raise ValueError(f"setting {name!r} is given twice")
        settings[name] = _parse_value(value.strip())
    return settings


def parse_environment(text: str) -> tuple[str, dict[str, Any]]:
    """Return id and settings of an environment that is written as "limit_holdem-v0 num_players=6 ante=1"."""
    env_id, *words = text.split()
    return env_id, parse_settings(words)


def override_settings(words: Sequence[str], changes: Sequence[str]) -> tuple[str, ...]:
    """Return settings with changes: ("a=1", "b=2") and ("b=3",) give ("a=1", "b=3")."""
    names = parse_settings(changes)
    return (*(word for word in words if not names.keys() & parse_settings([word]).keys()), *changes)


def _parse_value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
