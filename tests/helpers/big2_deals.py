"""Big 2 deals for tests: one table with its plays as methods, cards written as Big 2 players do ("7C 7S")."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from card_envs.cards import card_id
from card_envs.game import ILLEGAL, Game
from card_envs.games.big2 import view
from card_envs.games.big2.actions import PASS, action_of
from card_envs.games.big2.combos import CARD_OF_ORDER, RANKS, SUITS
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import big2_game
from card_envs.observation import mask_records, observation_records

DECK = [rank + suit for rank in RANKS for suit in SUITS]
"""All cards by name, 3D lowest."""


def fill_hands(*known: str, seed: int = 0) -> list[list[int]]:
    """Return four hands of card ids: the cards named for each seat, and random ones for the rest."""
    named = [text.split() for text in (*known, "", "", "", "")[:4]]
    rest = [card for card in DECK if not any(card in cards for cards in named)]
    random.Random(seed).shuffle(rest)
    return [[card_id(card) for card in [*cards, *(rest.pop() for _ in range(13 - len(cards)))]] for cards in named]


class Deal:
    """A table whose deal has just begun."""

    def __init__(
        self, *known: str, config: Big2Config | None = None, encoder: str = "charlesworth412", seed: int = 0
    ) -> None:
        self.game: Game = big2_game(config or Big2Config(), encoder)
        self.tables: Any = self.game.seeded_tables(1, seed)
        self.t = self.tables[0]
        self.observation = np.zeros((1, self.game.layout.size), np.int8)
        self.mask = np.zeros((1, self.game.num_actions), np.int8)
        self._records = observation_records(self.observation), mask_records(self.mask)
        self.game.deal_with(self.tables, 0, {"hands": fill_hands(*known, seed=seed)})

    def set_orders(self, hands: Any) -> None:
        """Start anew with hands of order numbers."""
        self.game.deal_with(self.tables, 0, {"hands": CARD_OF_ORDER[np.asarray(hands)].tolist()})

    @property
    def actor(self) -> int:
        return int(self.t.actor)

    @property
    def legal(self) -> list[int]:
        return view.legal_actions(self.t)

    @property
    def legal_names(self) -> list[str]:
        return [self.game.action_name(self.tables, 0, action) for action in self.legal]

    def hand(self, seat: int) -> list[str]:
        return [DECK[order] for order in view.hand(self.t, seat)]

    def observe(self, seat: int | None = None) -> None:
        """Fill `observation` and `mask` with what a seat (the actor) sees."""
        self.game.encoder.observe(self.tables, 0, self.actor if seat is None else seat, *self._records)

    def action(self, cards: str) -> int:
        held = self.hand(self.actor)
        return action_of(held.index(card) for card in cards.split())

    def play(self, cards: str) -> None:
        """Play the named cards of the actor, "" to pass."""
        self.act(self.action(cards))

    def act(self, action: int) -> None:
        assert self.game.step(self.tables, 0, action) != ILLEGAL, self.game.why_illegal(self.tables, 0, action)

    def pass_(self, times: int = 1) -> None:
        for _ in range(times):
            self.act(PASS)

    def play_all(self, plays: Iterable[str]) -> None:
        for cards in plays:
            self.play(cards)

    def leave(self, *hands: str, control: int = 0) -> None:
        """Replace the hands by the named cards, as if everything else had been played, and give a seat control."""
        held = [[DECK.index(card) for card in cards.split()] for cards in hands]
        for seat, orders in enumerate(held):
            self.t.hand[seat] = 255
            self.t.hand[seat, : len(orders)] = sorted(orders)
            self.t.num_cards[seat] = len(orders)
            self.t.held[seat] = sum(1 << order for order in orders)
            self.t.played[seat] = 0
        self.t.actor = (control + 1) % 4
        for _ in range(3):  # passes give control, and list the legal actions anew
            self.t.legal[0], self.t.num_legal = PASS, 1
            self.pass_()
