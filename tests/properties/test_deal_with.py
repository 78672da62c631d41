"""`deal_with` without options deals as `deal` does, also after a deal with options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from card_envs.envs import ENVS, make_game
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.presets import river_endgame

FIXED = replace(HoldemConfig.limit(), button_moves=False)
GAMES: dict[str, Game] = {
    **{env_id: make_game(env_id) for env_id in ENVS},
    "fixed button": holdem_game("limit_holdem", FIXED),
    "endgame": river_endgame(),
    "endgame with a fixed button": Endgame(FIXED, "Ks 9d 4c 2h 7s", 12, (50, 40)).game(),
}


@pytest.mark.parametrize("name", GAMES)
def test_without_options_deals_are_those_of_deal(name: str) -> None:
    game = GAMES[name]
    plain, other = game.seeded_tables(1, 3), game.seeded_tables(1, 3)
    for _ in range(3):
        assert game.deal(plain, 0) == game.deal_with(other, 0, {})
        assert np.array_equal(plain, other)


@pytest.mark.parametrize("again", ["deal", "deal_with"])
@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if "stacks" in game.option_names])
def test_without_options_the_stacks_of_the_settings_are_restored(name: str, again: str) -> None:
    game = GAMES[name]
    tables, num_seats = game.seeded_tables(1, 3), game.num_seats

    def stacks() -> Any:
        return (tables["stack"] + tables["hand_commit"])[0, :num_seats].tolist()

    game.deal(tables, 0)
    before = stacks()
    for folds in range(num_seats):  # whether the hand with other stacks is in progress or over
        game.deal_with(tables, 0, {"stacks": [2 * chips for chips in before]})
        assert stacks() == [2 * chips for chips in before]
        for _ in range(folds):
            game.step(tables, 0, 0)
        getattr(game, again)(tables, 0, *([{}] if again == "deal_with" else []))
        assert stacks() == before
