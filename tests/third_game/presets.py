"""The arguments of the environment."""

from __future__ import annotations

from card_envs.game import Game
from card_envs.observation import Encoder
from tests.third_game.config import DozenConfig
from tests.third_game.game import dozen_game


def dozen(last_trick: int = 1, encoder: str | Encoder = "default") -> Game:
    """Return Dozen; the last trick counts `last_trick` points."""
    return dozen_game(DozenConfig(last_trick), encoder)
