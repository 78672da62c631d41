"""Conversion of an environment's arguments to OpenSpiel's parameters, which are integers and texts.

| argument of the environment | as a parameter |
|---|---|
| a number or a word | the same; `num_players` is called `players`, as in OpenSpiel |
| one stack for each seat | `stacks_by_seat=100 200`, in place of `stacks` |
| `max_raises` | numbers separated by blanks, `3 4 4 4`; `none`; or `by_rules` for the caps of the profile |
| `bet_sizes` | numbers separated by blanks, `1 2` |
| `bet_menu` with commas | blanks instead of commas: `pot:0.5 1 all_in` |
| optional rules of Big 2 | `by_rules` (numbers: -1) for the rule of the profile; `yes` and `no` for True and False |
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from card_envs.game import Game

Parameters = dict[str, int | str]

BY_RULES, BY_RULES_NUMBER = "by_rules", -1
_YES_NO = {"yes": True, "no": False}
_PLAYERS, _STACKS_BY_SEAT, _NONE = "players", "stacks_by_seat", "none"


def specification(factory: Callable[..., Game]) -> Parameters:
    """Return the parameters of a game and their defaults."""
    found: Parameters = {}
    for name, argument in inspect.signature(factory).parameters.items():
        found[_PLAYERS if name == "num_players" else name] = _default(argument)
        if name == "stacks":
            found[_STACKS_BY_SEAT] = ""
    return found


def settings(factory: Callable[..., Game], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Convert `parameters`, which must be complete, to arguments of the environment; ValueError for invalid text."""
    found: dict[str, Any] = {}
    for name, argument in inspect.signature(factory).parameters.items():
        value = parameters[_PLAYERS if name == "num_players" else name]
        if argument.default is None:
            if value not in (BY_RULES, BY_RULES_NUMBER):
                found[name] = _yes_or_no(name, value) if "bool" in str(argument.annotation) else value
        elif name == "max_raises" and value in (_NONE, BY_RULES):
            found[name] = None if value == _NONE else value
        elif name == "max_raises" or isinstance(argument.default, tuple):
            found[name] = _numbers(name, value)
        else:
            found[name] = ",".join(value.split()) if name == "bet_menu" else value
    if parameters.get(_STACKS_BY_SEAT):
        found["stacks"] = _numbers(_STACKS_BY_SEAT, parameters[_STACKS_BY_SEAT])
    return found


def encode(parameters: Mapping[str, Any]) -> Parameters:
    """Replace commas in parameters by blanks, since a comma ends a value in OpenSpiel's text form."""
    return {
        name: " ".join(value.replace(",", " ").split()) if isinstance(value, str) else value
        for name, value in parameters.items()
    }


def _default(argument: inspect.Parameter) -> int | str:
    default = argument.default
    if default is None:
        return BY_RULES_NUMBER if "int" in str(argument.annotation) else BY_RULES
    if isinstance(default, tuple):
        return " ".join(map(str, default))
    assert isinstance(default, (int, str))
    return default


def _numbers(name: str, text: str) -> list[int]:
    try:
        return [int(word) for word in text.split()]
    except ValueError:
        raise ValueError(f"{name} {text!r} must be whole numbers separated by blanks, such as '3 4 4 4'") from None


def _yes_or_no(name: str, value: str) -> bool:
    if value not in _YES_NO:
        raise ValueError(f"{name} {value!r} is not known: choose one of {[*_YES_NO, BY_RULES]}")
    return _YES_NO[value]
