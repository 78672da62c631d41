"""Games that the tests of `card_envs.text` play, and tables on the way through random deals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from card_envs import make_game
from card_envs.game import Game

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "limit": ("limit_holdem-v0", {}),
    "limit_six": ("limit_holdem-v0", {"num_players": 6}),
    "menu": ("no_limit_holdem-v0", {"num_players": 3}),
    "chips": ("no_limit_holdem-v0", {"num_players": 2, "bet_menu": (4, 6, 10, 50)}),
    "integers": ("no_limit_holdem-v0", {"num_players": 2, "bet_menu": "integers", "stacks": 30}),
    "flop": ("flop_holdem-v0", {}),
    "leduc": ("leduc_holdem-v0", {}),
    "kuhn": ("kuhn_poker-v0", {}),
    "big2": ("big2-v0", {}),
    "big2_taiwan": ("big2-v0", {"straights": "taiwan", "all_triples": True}),
}


def game_of(name: str) -> Game:
    env_id, settings = GAMES[name]
    return make_game(env_id, **settings)


def random_states(game: Game, deals: int, seed: int = 0) -> Iterator[np.ndarray[Any, np.dtype[Any]]]:
    """Yield the table before each decision of some random deals; the same array, which moves on."""
    rng = np.random.default_rng(seed)
    tables = game.seeded_tables(1, seed)
    for _ in range(deals):
        game.deal(tables, 0)
        while not tables["is_over"][0]:
            yield tables
            legal = game.legal_actions(tables, 0)
            game.step(tables, 0, int(legal[rng.integers(len(legal))]))
