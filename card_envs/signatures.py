"""Functions that take the arguments of another one as `**settings`, and show them to `help()`, Sphinx and `inspect`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, is_typeddict

Function = TypeVar("Function", bound=Callable[..., Any])


def show_arguments_of(source: Callable[..., Any] | type) -> Callable[[Function], Function]:
    """Return a decorator: in the signature of a function, its `**settings` become the arguments of `source`.

    `source` is a function, or a `TypedDict` whose keys are None unless given. Type checkers read the `TypedDict` of
    `**settings: Unpack[...]` (PEP 692), people the signature. Arguments that the function names itself stay its own and
    come last, but for those that can be given by position.
    """

    def decorate(function: Function) -> Function:
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        first = [p for p in own if p.kind is p.POSITIONAL_OR_KEYWORD]
        names = {p.name for p in own}
        taken = [p for p in _parameters(source) if p.name not in names]
        shown = [*first, *(p.replace(kind=p.KEYWORD_ONLY) for p in taken), *(p for p in own if p not in first)]
        function.__signature__ = inspect.signature(function).replace(parameters=shown)  # type: ignore[attr-defined]
        return function

    return decorate


def _parameters(source: Callable[..., Any] | type) -> list[inspect.Parameter]:
    if not is_typeddict(source):
        return list(inspect.signature(source).parameters.values())
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation.__forward_arg__)
        for name, annotation in source.__annotations__.items()
    ]
