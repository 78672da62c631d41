"""Games and environments of the settings that a user gives to the function that makes the game."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from card_envs.locations import UnknownNameError

if TYPE_CHECKING:
    from card_envs.aec import GameAEC
    from card_envs.game import Game

Env = TypeVar("Env", bound="GameAEC")


class UnknownSettingError(UnknownNameError, TypeError):
    """Raised for a setting that an environment does not have. A TypeError, as for unexpected arguments of functions."""


def call_factory(factory: Callable[..., Any], name: str, settings: Mapping[str, Any]) -> Game:
    """Return the game that a function makes of settings; messages call it `name`.

    Raises:
        UnknownSettingError: For an argument that the function does not have; the message lists its arguments.
        ValueError: For a function that needs other arguments, or returns something else.
    """
    signature = inspect.signature(factory)
    try:
        signature.bind(**settings)
    except TypeError as error:
        known = [*signature.parameters, "dtype"]
        if unknown := sorted(set(settings) - set(known)):
            # TorchRL looks for "unexpected keyword argument", Python's wording, and tries again without the argument
            raise UnknownSettingError(
                f"{name} has no setting {unknown[0]!r} (unexpected keyword argument {unknown[0]!r}): known are {known}",
                "setting",
            ) from error
        raise ValueError(f"{name}: {factory.__name__} cannot make a game: {error}; pass it as a setting") from error
    game = factory(**settings)
    from card_envs.game import Game  # which the factory has imported

    if not isinstance(game, Game):
        raise ValueError(f"{name}: {factory.__name__} returned a {type(game).__name__}, not a card_envs.game.Game")
    return game


def build_game(factory: Callable[..., Game], name: str, settings: Mapping[str, Any]) -> Game:
    """Return the game that a function makes of settings, among which may be `dtype`; see `call_factory`."""
    own = {key: value for key, value in settings.items() if key != "dtype"}
    game = call_factory(factory, name, own)
    if settings.get("dtype") is None:
        return game
    from card_envs.observation_types import convert_observations  # rarely needed

    return convert_observations(game, settings["dtype"])


def build_env(env_class: type[Env], env_id: str, factory: Callable[..., Game], settings: Mapping[str, Any]) -> Env:
    """Return an environment of settings, among which may be `dtype` and `render_mode`; see `call_factory`."""
    own = {key: value for key, value in settings.items() if key != "render_mode"}
    return env_class(build_game(factory, env_id, own), env_id.replace("-", "_"), settings.get("render_mode"))
