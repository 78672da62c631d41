"""Big 2 as a function of the environment's arguments."""

from __future__ import annotations

from typing import Unpack

from card_envs.game import Game
from card_envs.games.big2.config import Big2Config, Big2Options
from card_envs.games.big2.game import big2_game
from card_envs.observation import Encoder
from card_envs.signatures import show_arguments_of


class Big2Settings(Big2Options, total=False):
    """Arguments of `big2`."""

    rules: str
    encoder: str | Encoder


@show_arguments_of(Big2Options)
def big2(
    rules: str = "charlesworth2018", encoder: str | Encoder = "charlesworth412", **options: Unpack[Big2Options]
) -> Game:
    """Return Big 2 with a named set of `rules`; options other than None replace single rules, see `Big2Config`."""
    chosen = {name: value for name, value in options.items() if value is not None}
    return big2_game(Big2Config.profile(rules, **chosen), encoder)
