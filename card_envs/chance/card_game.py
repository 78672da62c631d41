"""Explicit chance of a `CardGame` whose deck begins with the hands, seat by seat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from card_envs.card_game import CardGame
from card_envs.chance import Episode, Redeal, Tables, redeal_deck
from card_envs.game import ILLEGAL, Game
from card_envs.observation import Block


def make_chance(game: Game) -> CardGameChance | None:
    """Return the explicit chance of a game; None if the deck does not begin with hands of equal size, seat by seat."""
    rules: CardGame = game.config
    tables = game.new_tables(1)
    game.deal_with(tables, 0, {"deck": range(rules.num_cards)})
    seen = [_places(rules, tables, seat) for seat in range(rules.num_seats)]
    size = len(seen[0])
    hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(rules.num_seats)]
    return CardGameChance(game, size) if seen == hands else None


def make_redeal(game: Game) -> Redeal:
    """Return the function that deals hidden cards anew."""
    return partial(redeal_deck, range(game.config.num_cards), game.config.num_cards)


def _places(rules: CardGame, tables: Tables, seat: int) -> list[int]:
    """Return the places of the deck that a seat sees at table 0."""
    return [place for place in range(rules.num_cards) if rules.sees(tables[0], seat, place)]


class CardGameChance:
    """The cards in the order of the deck: hands seat by seat, then public cards."""

    def __init__(self, game: Game, num_private_cards: int) -> None:
        rules: CardGame = game.config
        self._game, self._rules, self.num_private_cards = game, rules, num_private_cards
        self.deck = tuple(range(rules.num_cards))
        self.max_cards, self.max_decisions = rules.num_cards, rules.max_decisions
        self.min_return, self.max_return = -rules.max_reward, rules.max_reward
        shape = rules.max_decisions, rules.num_seats + rules.num_actions
        self.recall_blocks = (Block("history", shape, "one row for each decision so far: seat, action (one-hot)"),)

    def card_name(self, card: int) -> str:
        """Return the number of the card."""
        return str(card)

    def open_table(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Begin the deal with the first cards."""
        self._game.deal_with(tables, 0, {"deck": self._complete(cards)})

    def place_cards(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Write the cards into the deck."""
        tables["deck"][0] = self._complete(cards)

    def _complete(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        return (*cards, *(card for card in self.deck if card not in cards))

    def num_cards_dealt(self, tables: Tables) -> int:
        """Return the number of cards up to the last one that a seat sees."""
        return 1 + max(max(_places(self._rules, tables, seat), default=-1) for seat in range(self._rules.num_seats))

    def public_decision(self, before: Tables, after: Tables, action: int) -> tuple[int, int]:
        """Return the seat and its action."""
        return int(before["actor"][0]), action

    def action_of(self, tables: Tables, decision: tuple[int, int]) -> int:
        """Return the action if the seat is to act and may take it, else ILLEGAL."""
        seat, action = decision
        return action if tables["actor"][0] == seat and action in self._game.legal_actions(tables, 0) else ILLEGAL

    def face_up_cards(self, episode: Episode) -> Sequence[Collection[int]]:
        """Return the cards in the hand of each seat that another seat sees."""
        size, deck = self.num_private_cards, episode.tables["deck"][0]
        shown: list[set[int]] = [set() for _ in range(self._rules.num_seats)]
        for seat in range(self._rules.num_seats) if episode.has_begun else ():
            for place in _places(self._rules, episode.tables, seat):
                if place // size < len(shown) and place // size != seat:
                    shown[place // size].add(int(deck[place]))
        return shown

    def public_text(self, episode: Episode) -> str:
        """Return all decisions: "p0 check, p1 bet"."""
        names = [f"p{seat} {self._game.action_name(episode.tables, 0, action)}" for seat, action in episode.decisions]
        return ", ".join(names) or "-"

    def private_text(self, cards: Iterable[int]) -> str:
        """Return the cards."""
        return " ".join(map(str, cards))

    def write_recall(self, episode: Episode, pieces: Mapping[str, NDArray[Any]]) -> None:
        """Write the decisions."""
        for row, (seat, action) in enumerate(episode.decisions):
            pieces["history"][row, [seat, self._rules.num_seats + action]] = 1
