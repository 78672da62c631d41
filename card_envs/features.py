"""Features of games beyond their rules, such as explicit chance, statistics or pictures.

A feature is declared in the package of its job, and a module of that package, named like the family of games, holds the
implementation. Both are imported when somebody asks for the feature. Other games name implementations in
`Game.features`; other distributions add some to games by entry points:

    [project.entry-points."card_envs.features"]
    "my_game.chance" = "my_package.chance:MyGameChance"
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Generic, TypeVar

from card_envs import plugins
from card_envs.locations import load_module, load_object

if TYPE_CHECKING:
    from card_envs.game import Game

__all__ = ["Feature"]

T = TypeVar("T")


class Feature(Generic[T]):
    """A feature that some games have.

    The first of these makes it; it is called with the game and returns None if the settings of the game do not allow
    the feature:

    1. the function or "module:NAME" in `Game.features`;
    2. what is registered as "game.feature", by an entry point or by `plugins.register`;
    3. the function `make_<feature>` of the module of `package` that is named like `Game.family`.

    Args:
        name: Name of the feature, such as "chance".
        package: Package with a module for each family of games.
        description: What the feature is, for messages.
    """

    def __init__(self, name: str, package: str, description: str) -> None:
        self.name, self.package, self.description = name, package, description

    def find(self, game: Game) -> T | None:
        """Return the feature of a game, which is made once; None if the game does not have it."""
        if self.name not in game.found_features:
            make = self._find_function(game)
            game.found_features[self.name] = None if make is None else make(game)
        found: T | None = game.found_features[self.name]
        return found

    def require(self, game: Game) -> T:
        """Return the feature of a game, or raise a ValueError that says how to add it."""
        found = self.find(game)
        if found is None:
            raise ValueError(
                f"{game.name} has no {self.description}: register the feature '{game.name}.{self.name}' "
                f"(entry points {plugins.FEATURES!r})"
            )
        return found

    def _find_function(self, game: Game) -> Callable[[Game], T | None] | None:
        given = game.features.get(self.name, plugins.list_plugins(plugins.FEATURES).get(f"{game.name}.{self.name}"))
        found: Callable[[Game], T | None] | None
        if given is not None or self.name in game.features:
            found = load_object(given) if isinstance(given, str) else given
            return found
        module = f"{self.package}.{game.family}"
        if not game.family or find_spec(module) is None:
            return None
        found = getattr(load_module(module), f"make_{self.name}", None)
        return found
