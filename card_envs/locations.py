"""Loading objects by "module:NAME", restrictions on such names, and errors for unknown names.

Names that the user types, on a command line or as an argument in Python, may refer to any code. Names from run folders,
leagues, saved matches and web requests may not, because other people wrote them. Code that reads such names runs within
`registered_names_only`, where `require_allowed` refuses every name that would import code.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any


class UnknownNameError(ValueError):
    """Raised for an unknown name.

    Args:
        message: The message, with the known names.
        kind: Kind of object, such as "agent", so that commands can name the command that lists these objects.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


_SIMILAR = 0.58
"""Least similarity of a name that is suggested, as `difflib` measures it: "nope" and "flop" have 0.5."""
_MAX_CHOICES = 20
"""Most names that a message lists."""


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" with the known name most similar to `name`, "" if none is similar."""
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=_SIMILAR)
    return f" (did you mean {nearest[0]!r}?)" if nearest else ""


def list_choices(known: Iterable[str], source: str = "") -> str:
    """Return ": choose one of ..." with the known names if they are few, else with their number and their `source`."""
    names = list(known)
    if len(names) > _MAX_CHOICES:
        return f": choose one of {len(names)} names{f', see {source}' if source else ''}"
    return f": choose one of {', '.join(names)}" if names else ": there is none to choose from"


class UntrustedNameError(ValueError):
    """Raised when a file or a web request names code that is not registered."""


@dataclass(frozen=True)
class _Source:
    """A source of names that the user did not type, such as a file."""

    description: str
    allowed: frozenset[str]
    advice: str


_source: ContextVar[_Source | None] = ContextVar("card_envs.locations", default=None)


@contextmanager
def registered_names_only(source: Path | str, allowed: Collection[str] = (), advice: str = "") -> Iterator[None]:
    """Refuse names that would import code within the block.

    `source` is the file or kind of request that the names come from. Names in `allowed`, such as "my_agents.py:Mine",
    are not refused, because the user typed them; `advice` says how, with {name} in place of a name.
    """
    token = _source.set(_Source(str(source), frozenset(allowed), advice))
    try:
        yield
    finally:
        _source.reset(token)


def require_allowed(kind: str, name: str) -> None:
    """Raise UntrustedNameError for a name of code within `registered_names_only`, unless the user allowed it.

    The name is "module:NAME" or "file.py:NAME"; the message says which `kind` of object it is of, such as "agent".
    """
    source = _source.get()
    if source is not None and name not in source.allowed:
        raise UntrustedNameError(
            f"{source.description} names code for its {kind}: {name!r}. Only registered names are accepted from there. "
            + (source.advice or f"If you trust the code, type the name of the {kind} yourself").replace("{name}", name)
        )


def load_object(location: str) -> Any:
    """Return the object at "module:NAME" or "path/to/file.py:NAME".

    Callers pass locations of the registry; names from elsewhere go through `require_allowed` first.

    Raises:
        ImportError, AttributeError, FileNotFoundError: If there is no such module, name or file.
    """
    source, _, name = location.rpartition(":")
    return getattr(load_file(Path(source)) if source.endswith(".py") else load_module(source), name)


def find_package_folder(location: str) -> Path | None:
    """Return the folder of a "package/folder", such as "my_package/pretrained/mine", None for a location of code."""
    package, slash, folder = location.partition("/")
    return Path(str(resources.files(package))) / folder if slash and ":" not in location else None


def find_location(value: object, module: str) -> str | None:
    """Return "module:NAME" or "path/to/file.py:NAME" of an object that a module has a name for, else None."""
    for name, each in vars(sys.modules[module]).items():
        if each is value:
            source = sys.modules[module].__file__ if module.startswith(_FILE_PREFIX) else module
            return f"{source}:{name}"
    return None


def load_module(name: str) -> ModuleType:
    """Return the module with a name; ImportError if there is none."""
    return importlib.import_module(name)


_FILE_PREFIX = "loaded_file_"
"""Start of the names of modules that `load_file` loads."""


def load_file(path: Path) -> ModuleType:
    """Return a Python file as a module, which is run once per process; FileNotFoundError if there is no file."""
    path = path.expanduser().resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    name = (
        f"{_FILE_PREFIX}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"  # the same in all processes
    )
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
