"""Hold'em whose observations, states and masks have one size for all seats, decks and menus.

Kernels are compiled for each size that they write: games of one size share them. What lies behind the end of a game's
own numbers must be 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.observation import Block, Encoder, Layout

WIDTH = 1024
"""More numbers than any observation has."""
STATE_WIDTH = 2048
"""More numbers than any perfect-information vector has."""
MASK_WIDTH = 63
"""At least as many actions as in most games."""


def widen(game: Game) -> Game:
    """Return a game of hold'em with all sizes enlarged; another game unchanged."""
    if not isinstance(game.config, HoldemConfig):
        return game
    encoders = {name: _widen_encoder(encoder) for name, encoder in game.encoders.items()}
    return replace(
        game,
        encoder=encoders.get(game.encoder.name) or _widen_encoder(game.encoder),
        encoders=encoders,
        state_layout=_widen_layout(game.state_layout, STATE_WIDTH),
        num_actions=max(MASK_WIDTH, game.num_actions),
        make=partial(_make, game.make),
    )


def _make(make: Callable[[], Game]) -> Game:
    return widen(make())


def _widen_encoder(encoder: Encoder) -> Encoder:
    return replace(encoder, layout=partial(_find_layout, encoder))


def _find_layout(encoder: Encoder, config: HoldemConfig) -> Layout:
    return _widen_layout(encoder.layout(config), WIDTH)


def _widen_layout(layout: Layout, width: int) -> Layout:
    assert layout.size < width
    return replace(layout, blocks=(*layout.blocks, Block("behind the end", width - layout.size, "nothing", high=0.0)))
