"""Card games of imperfect information for reinforcement learning: PettingZoo, Gymnasium and a batched engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from card_envs import registration as _registration  # noqa: F401  registers with PettingZoo and Gymnasium
from card_envs.envs import ENVS, make_game, make_vector, register_env, register_installed_games
from card_envs.locations import load_module

if TYPE_CHECKING:
    from card_envs.game import IllegalActionError
    from card_envs.precompile import warmup

__version__ = "0.1.0"
__all__ = ["ENVS", "IllegalActionError", "__version__", "make_game", "make_vector", "register_env", "warmup"]

_IMPORTED_LATE = {"IllegalActionError": "card_envs.game", "warmup": "card_envs.precompile"}
"""Name -> the module that has it, which needs the compiler."""

register_installed_games()  # after the imports, because reading entry points may import this package


def __getattr__(name: str) -> Any:
    """Import names that need the compiler at their first use: those of `_IMPORTED_LATE`, modules such as `agent`."""
    if name in _IMPORTED_LATE:
        return getattr(load_module(_IMPORTED_LATE[name]), name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return load_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    """Return the public names of the package, those included that are imported at their first use."""
    return list(__all__)
