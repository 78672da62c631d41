"""OpenSpiel: every environment id as a registered game. Importing this module registers them.

    import card_wrappers.openspiel
    game = pyspiel.load_game("card_envs_limit_holdem(players=3,rules=acpc)")

Chance is explicit, card by card, so algorithms that walk the game tree work. Player k has seat k; in hold'em the button
is the last seat, so that player 0 is the first left of it: heads-up the big blind, as in `universal_poker`. Returns are
in the unit of the environment's rewards, action ids are the environment's. How its arguments are written as parameters:
`card_wrappers.openspiel.parameters`.

Action ids of Big 2 name positions in the hand of who acts; `State.history()` has them, and tells with them more than a
player may know. Information states tell the cards that were played.
"""

from __future__ import annotations

from typing import Any

try:
    import pyspiel
except ImportError as error:
    raise ImportError("card_wrappers.openspiel needs OpenSpiel: pip install 'card-envs[openspiel]'") from error

from card_envs.envs import EnvEntry, on_registration
from card_envs.game import Game
from card_envs.game_info import Seats
from card_wrappers.openspiel.game import CardGame, CardState
from card_wrappers.openspiel.parameters import specification

__all__ = ["CardGame", "CardState", "short_name"]


def short_name(env_id: str) -> str:
    """Return the name under which OpenSpiel knows an environment id, such as "card_envs_limit_holdem"."""
    return f"card_envs_{env_id.rpartition('-v')[0]}"


def _game_type(entry: EnvEntry, game: Game) -> Any:
    parameters = specification(entry.factory)
    seats = game.info.seats or Seats(game.num_seats, game.num_seats)
    return pyspiel.GameType(
        short_name=short_name(entry.id),
        long_name=entry.summary,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=seats.fewest,
        max_num_players=seats.most,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=parameters,
    )


def _register(entry: EnvEntry) -> None:
    if short_name(entry.id) in pyspiel.registered_names():
        return
    try:
        game = entry.factory()
    except ModuleNotFoundError:
        return  # an installed game whose package is gone; `make_game` says what is missing
    if game.info.chance is None:
        return  # OpenSpiel needs the cards as events of their own
    # a class of its own for each game: OpenSpiel aborts at exit where anything else was registered
    game_type = _game_type(entry, game)
    name = "".join(word.capitalize() for word in game_type.short_name.split("_"))
    pyspiel.register_game(game_type, type(name, (CardGame,), {"entry": entry, "game_type": game_type}))


on_registration(_register)
