"""OpenSpiel: every environment id as a game. Importing this module registers the games.

    import card_wrappers.openspiel
    game = pyspiel.load_game("card_envs_limit_holdem(players=3,rules=acpc)")

Every card is a chance node, so that algorithms on the game tree work. Player k has seat k. In hold'em the last seat has
the button, so that player 0 is the first seat left of it; heads-up that is the big blind, as in `universal_poker`.
Returns have the unit of the environment's rewards, and action ids are those of the environment.
`card_wrappers.openspiel.parameters` describes how arguments of the environment are written as parameters.

Action ids of Big 2 are positions in the actor's hand. `State.history()` contains these ids, which tell more than a
player may know; information states contain the cards that were played.
"""

from __future__ import annotations

from typing import Any

try:
    import pyspiel
except ImportError as error:
    raise ImportError("card_wrappers.openspiel needs OpenSpiel: pip install 'card-envs[openspiel]'") from error

from card_envs.chance import CHANCE
from card_envs.envs import EnvEntry, on_registration
from card_envs.game import Game
from card_envs.game_info import Seats
from card_wrappers.openspiel.game import CardGame, CardState
from card_wrappers.openspiel.parameters import specification

__all__ = ["CardGame", "CardState", "short_name"]


def short_name(env_id: str) -> str:
    """Return the name of an environment id in OpenSpiel, such as "card_envs_limit_holdem"."""
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
        min_num_players=seats.min_players,
        max_num_players=seats.max_players,
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
        return  # the package of an installed game is missing; `make_game` raises the error
    if CHANCE.find(game) is None:
        return  # OpenSpiel needs chance nodes
    # each game needs its own class: OpenSpiel aborts at exit if anything else was registered
    game_type = _game_type(entry, game)
    name = "".join(word.capitalize() for word in game_type.short_name.split("_"))
    pyspiel.register_game(game_type, type(name, (CardGame,), {"entry": entry, "game_type": game_type}))


on_registration(_register)
