"""`show_arguments_of`: document `**settings` as the arguments of another function in `help()`, Sphinx and `inspect`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, is_typeddict

Function = TypeVar("Function", bound=Callable[..., Any])


def show_arguments_of(*sources: Callable[..., Any] | type) -> Callable[[Function], Function]:
    """Return a decorator that replaces `**settings` in the signature of a function by the arguments of `sources`.

    Sources are functions, or each a `TypedDict` whose keys default to None. Type checkers read the `TypedDict` of
    `**settings: Unpack[...]` (PEP 692) instead. The function's own keyword-only arguments come last.
    """

    def decorate(function: Function) -> Function:
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        first = [p for p in own if p.kind is p.POSITIONAL_OR_KEYWORD]
        names = {p.name for p in own}
        listed = [p for source in sources for p in _parameters(source)]
        added = [p.replace(kind=p.KEYWORD_ONLY) for p in listed if p.name not in names]
        parameters = [*first, *added, *(p for p in own if p not in first)]
        function.__signature__ = inspect.signature(function).replace(parameters=parameters)  # type: ignore[attr-defined]
        return function

    return decorate


def _parameters(source: Callable[..., Any] | type) -> list[inspect.Parameter]:
    if not is_typeddict(source):
        return list(inspect.signature(source).parameters.values())
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation.__forward_arg__)
        for name, annotation in source.__annotations__.items()
    ]
