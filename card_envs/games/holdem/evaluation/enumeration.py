"""All deals of a small hold'em game, for exact best responses."""

from __future__ import annotations

from itertools import permutations
from math import perm

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.chance import Tables
from card_envs.game_kernels import DealWith
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import Table


class HoldemEnumeration:
    """All orders of the cards of a hand, with the button on the last seat."""

    def __init__(self, config: HoldemConfig, deal_with: DealWith) -> None:
        self._config, self._deal_with = config, deal_with
        self.num_deals = perm(config.deck_size, config.num_dealt)

    def deal_all(self) -> Tables:
        """Return a table for each deal, before its first decision."""
        config = self._config
        tables = config.new_tables(self.num_deals)
        for i, deck in enumerate(permutations(config.deck_cards, config.num_dealt)):
            self._deal_with(tables, i, {"deck": deck, "button": config.num_players - 1})
        return tables

    def deal_indices(self, tables: Tables) -> NDArray[np.int64]:
        """Return (n,): the index of each table's deal; the seat left of the button has the first cards."""
        config, base = self._config, np.int64(DECK_SIZE) ** np.arange(self._config.num_dealt)
        own, seats = config.num_hole_cards, config.num_players
        left = (tables["button"].astype(np.int64)[:, None] + 1 + np.arange(seats)) % seats
        hole = (left[:, :, None] * own + np.arange(own)).reshape(len(tables), -1)
        board = np.tile(np.arange(seats * own, config.num_dealt), (len(tables), 1))
        decks = np.take_along_axis(tables["deck"].astype(np.int64), np.concatenate([hole, board], axis=1), axis=1)
        listed = np.array(list(permutations(config.deck_cards, config.num_dealt)), np.int64) @ base
        order = np.argsort(listed)
        return np.asarray(order[np.searchsorted(listed[order], decks @ base)], np.int64)

    def visible_cards(self, tables: Tables, seat: int) -> NDArray[np.uint8]:
        """Return (n, k): the seat's hole cards and the board, in the order of the deal."""
        t: Table = tables[0]
        own, start = int(t.num_hole_cards), int(t.num_seats) * int(t.num_hole_cards)
        shown = int(num_board_cards(t))
        deck = tables["deck"]
        return np.concatenate([deck[:, seat * own : (seat + 1) * own], deck[:, start : start + shown]], axis=1)
