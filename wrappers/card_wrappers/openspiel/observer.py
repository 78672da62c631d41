"""OpenSpiel's observers: the information of a player as a tensor with named parts, and as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from card_envs.chance import CHANCE, Episode
from card_envs.episode import private_cards
from card_envs.game import Game
from card_envs.observation import Block, Layout, mask_records, observation_records

_PUBLIC_SEAT = -1
"""Seat number for `Game.text` that shows no private cards."""


class CardObserver:
    """An observer. Its parts are "player", the blocks of the game's encoder, and the history for perfect recall.

    An observer without private (or public) information omits the parts that contain it. While cards are dealt, the
    blocks of the encoder show the table before the last action; they are zeros before the end of the first deal.

    Parameters, and observations of the private information of all players, are a ValueError.
    """

    def __init__(self, game: Game, kind: Any, parameters: dict[str, Any] | None) -> None:
        if parameters:
            raise ValueError(f"observation parameters {sorted(parameters)} are not known: choose none")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("private_info ALL_PLAYERS is not offered: choose SINGLE_PLAYER or NONE")
        self._game, self._chance = game, CHANCE.require(game)
        self._is_public = kind.public_info
        self._is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._recalls = kind.perfect_recall
        layout = game.layout
        seen = [block for block in layout.blocks if (self._is_private if block.private else self._is_public)]
        recall = self._chance.recall_blocks if self._is_public and self._recalls else ()
        self._has_recall = bool(recall)
        parts = Layout((Block("player", game.num_seats, "observing player, one-hot"), *seen, *recall))
        self.tensor: NDArray[np.float32] = np.zeros(parts.size, np.float32)
        self.dict = parts.split(self.tensor)  # views
        self._sources = np.concatenate(
            [np.arange(layout.size)[layout.slices[block.name]] for block in seen] or [np.zeros(0, int)]
        )
        self._observed = self.tensor[game.num_seats :][: len(self._sources)]
        self._buffer = np.zeros((1, layout.size), layout.dtype)
        self._records = (
            observation_records(self._buffer),
            mask_records(np.zeros((1, game.num_actions), np.int8)),
        )

    def set_from(self, state: Any, player: int) -> None:
        """Write the information of `player` in a state to `tensor` and `dict`."""
        episode: Episode = state.episode
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if episode.has_begun:
            self._game.encoder.observe(episode.tables, 0, player, *self._records)
            self._observed[:] = self._buffer[0, self._sources]
        if self._has_recall:
            self._chance.write_recall(episode, self.dict)

    def string_from(self, state: Any, player: int) -> str:
        """Return the information of `player` in a state as text: the history for perfect recall, else the table."""
        game, chance, episode = self._game, self._chance, state.episode
        cards = chance.private_text(private_cards(game, episode, player))
        if not self._is_public:
            return f"p{player} {cards}" if self._is_private else f"p{player}"
        if self._recalls:
            public = chance.public_text(episode)
            return f"p{player} {cards}  {public}" if self._is_private else public
        seat = player if self._is_private else _PUBLIC_SEAT
        table = game.text(episode.tables, 0, seat) if episode.has_begun else "dealing"
        if self._is_private:
            return f"p{player} {cards if episode.is_dealing else ''}\n{table}"
        return table
