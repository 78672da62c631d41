"""From names to objects: "module:NAME", who may give such a name, and errors for names that are not known.

What the user types, on a command line or as an argument in Python, may name any code. What a file says may not: run
folders, leagues, saved matches and the requests of a web page come from other people. Whatever reads names from there
does so within `registered_names_only`, where `require_allowed` refuses every name that would import code.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any


class UnknownNameError(ValueError):
    """Raised for a name that is not known.

    Args:
        message: The message, with the names that are known.
        kind: What the name stands for, such as "agent", so that commands can say what lists these names.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" with the known name nearest to `name`, "" if none is near."""
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.3)
    return f" (did you mean {nearest[0]!r}?)" if nearest else ""


class UntrustedNameError(ValueError):
    """Raised when a file, or somebody else's request, names code that is not registered."""


@dataclass(frozen=True)
class _Source:
    """A source of names that the user did not type."""

    description: str
    allowed: frozenset[str]
    advice: str


_source: ContextVar[_Source | None] = ContextVar("card_envs.locations", default=None)


@contextmanager
def registered_names_only(source: Path | str, allowed: Collection[str] = (), advice: str = "") -> Iterator[None]:
    """Refuse names that would import code within the block, apart from those that the user has `allowed`.

    Args:
        source: The file, or the kind of request, that the names come from; for the message.
        allowed: Names, such as "my_agents.py:Mine", that the user typed as well.
        advice: How the user allows a name, which stands in it as {name}; for the message.
    """
    token = _source.set(_Source(str(source), frozenset(allowed), advice))
    try:
        yield
    finally:
        _source.reset(token)


def require_allowed(kind: str, name: str) -> None:
    """Raise UntrustedNameError if a "module:NAME" or "file.py:NAME" was read from a file and not typed by the user.

    Args:
        kind: What the name stands for, such as "agent"; for the message.
        name: The name of the code.
    """
    source = _source.get()
    if source is not None and name not in source.allowed:
        raise UntrustedNameError(
            f"{source.description} wants code for its {kind}: {name!r}. Only registered names are taken from there. "
            + (source.advice or f"If you trust the code, type the name of the {kind} yourself").replace("{name}", name)
        )


def load_object(location: str) -> Any:
    """Return the object at "module:NAME"; ImportError or AttributeError if there is none.

    Callers pass locations of the registry; names from elsewhere go through `require_allowed` first.
    """
    module, _, name = location.partition(":")
    return getattr(load_module(module), name)


def load_module(name: str) -> ModuleType:
    """Return the module of a name, as `load_object` does; ImportError if there is none."""
    return importlib.import_module(name)


def load_file(path: Path) -> ModuleType:
    """Return the module in a Python file, which is run once in a process; FileNotFoundError if there is none."""
    path = path.expanduser().resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
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
