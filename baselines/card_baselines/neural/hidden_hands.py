"""Observations of Big 2 that also hold the hands of the opponents, for critics of learners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.game import Game, Tables
from card_envs.games.big2.state import NUM_SEATS
from card_envs.observation import Block, Encoder, Layout, observation_records

NUM_OPPONENTS = NUM_SEATS - 1
HIDDEN_SIZE = NUM_OPPONENTS * DECK_SIZE
"""Size of the hidden hands, the last numbers of an observation."""
_HIDDEN = Block(
    "hidden_hands", (NUM_OPPONENTS, DECK_SIZE), "cards 3D .. 2S in the hand of each opponent, the next seat first"
)


def show_hidden_hands(game: Game) -> Game:
    """Return Big 2 whose observations end with one more block: the opponent that holds each unseen card."""
    own = game.encoder

    def layout(config: Any) -> Layout:
        shown = own.layout(config)
        return replace(shown, blocks=(*shown.blocks, _HIDDEN))

    def observe_batch(tables: Tables, rows: NDArray[np.int64], observations: Any, masks: Any) -> None:
        values = observations["values"]
        visible = np.empty((len(rows), game.layout.size), values.dtype)
        own.observe_batch(tables, rows, observation_records(visible), masks)
        values[:, : game.layout.size] = visible
        values[:, game.layout.size :] = list_hidden_hands(tables, rows)

    def observe(tables: Tables, i: Any, seat: Any, observations: Any, masks: Any) -> None:
        raise NotImplementedError("hidden hands are observed for batches of tables only: call observe_batch")

    name = f"{own.name}+hidden_hands"
    return replace(game, encoder=Encoder(name, own.version, layout, observe, observe_batch, own.decode))


def list_hidden_hands(tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return (n, 3 * 52) 1 where an opponent of the actor of tables[rows[j]] holds a card, the next seat first."""
    seats = (tables["actor"][rows, None].astype(np.int64) + np.arange(1, NUM_SEATS)) % NUM_SEATS
    held = np.take_along_axis(tables["held"][rows], seats, axis=1)
    return ((held[:, :, None] >> np.arange(DECK_SIZE)) & 1).astype(np.int8).reshape(len(rows), HIDDEN_SIZE)
