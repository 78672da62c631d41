"""OpenSpiel's observers: a player's information as a tensor of named pieces, and as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from card_envs.chance import Episode
from card_envs.episode import chance_of, private_cards
from card_envs.game import Game
from card_envs.observation import Block, mask_records, observation_records

_PUBLIC_SEAT = -1
"""Seat without cards, for `Game.text`."""


class CardObserver:
    """An observer; its pieces are "player", the blocks of the game's encoder, and what perfect recall adds.

    Without private (or public) information the pieces that hold it are left out. Where cards are being dealt, blocks of
    the encoder show the table before the action that turned them up, and zeros before the deal is complete.
    """

    def __init__(self, game: Game, kind: Any, parameters: dict[str, Any] | None) -> None:
        if parameters:
            raise ValueError(f"observation parameters {sorted(parameters)} are not known: choose none")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("private_info ALL_PLAYERS is not offered: choose SINGLE_PLAYER or NONE")
        self._game, self._chance = game, chance_of(game)
        self._is_public = kind.public_info
        self._is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._recalls = kind.perfect_recall
        layout = game.layout
        seen = [block for block in layout.blocks if self._is_wanted(block)]
        recall = self._chance.recall_blocks if self._is_public and self._recalls else ()
        self._has_recall = bool(recall)
        pieces = (Block("player", game.num_seats, "who looks, one-hot"), *seen, *recall)
        self.tensor: NDArray[np.float32] = np.zeros(sum(block.size for block in pieces), np.float32)
        self.dict = _split_tensor(self.tensor, pieces)
        self._sources = np.concatenate(
            [np.arange(layout.size)[layout.slices[block.name]] for block in seen] or [np.zeros(0, int)]
        )
        self._observed = self.tensor[game.num_seats :][: len(self._sources)]
        self._buffer = np.zeros((1, layout.size), layout.dtype)
        self._records = (
            observation_records(self._buffer),
            mask_records(np.zeros((1, game.num_actions), np.int8)),
        )

    def _is_wanted(self, block: Block) -> bool:
        return self._is_private if block.private else bool(self._is_public)

    def set_from(self, state: Any, player: int) -> None:
        """Write the information of `player` at a state into `tensor` and `dict`."""
        episode: Episode = state.episode
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if episode.has_begun:
            self._game.encoder.observe(episode.tables, 0, player, *self._records)
            self._observed[:] = self._buffer[0, self._sources]
        if self._has_recall:
            self._chance.write_recall(episode, self.dict)

    def string_from(self, state: Any, player: int) -> str:
        """Return the information of `player` at a state as text: the history with perfect recall, else the table."""
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


def _split_tensor(tensor: NDArray[np.float32], blocks: tuple[Block, ...]) -> dict[str, NDArray[np.float32]]:
    views, start = {}, 0
    for block in blocks:
        views[block.name] = tensor[start : start + block.size].reshape(block.dimensions)
        start += block.size
    return views
