"""The cards as events: four to each seat, then all that is played is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from card_envs.chance import Episode, Tables
from card_envs.game import Game
from card_envs.observation import Block
from tests.third_game.kernels import begin_at, is_legal
from tests.third_game.state import HAND_SIZE, NUM_CARDS, NUM_SEATS
from tests.third_game.view import words


class DozenChance:
    """Seat 0 opens."""

    deck = tuple(range(NUM_CARDS))
    num_private_cards = HAND_SIZE
    max_cards = NUM_CARDS
    max_decisions = NUM_CARDS
    recall_blocks: tuple[Block, ...] = (
        Block("history", (NUM_CARDS, NUM_SEATS + NUM_CARDS), "one row a card so far: seat, card (one-hot)"),
    )

    def __init__(self, game: Game) -> None:
        self.min_return, self.max_return = -game.max_reward, game.max_reward

    def card_name(self, card: int) -> str:
        return words([card])

    def open_table(self, tables: Tables, cards: tuple[int, ...]) -> None:
        for seat in range(NUM_SEATS):
            tables["hand"][0, seat] = sum(1 << card for card in cards[seat * HAND_SIZE : (seat + 1) * HAND_SIZE])
        tables["opener"] = 0
        begin_at(tables, 0)

    def place_cards(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Nothing: all cards are in the hands."""

    def num_cards_dealt(self, tables: Tables) -> int:
        return NUM_CARDS

    def public_decision(self, before: Tables, after: Tables, action: int) -> tuple[int, int]:
        return int(before["actor"][0]), action

    def action_of(self, tables: Tables, decision: tuple[int, int]) -> int:
        seat, card = decision
        return card if int(tables["actor"][0]) == seat and is_legal(tables[0], card) else -1

    def face_up_cards(self, episode: Episode) -> Sequence[Collection[int]]:
        return [[card for who, card in episode.decisions if who == seat] for seat in range(NUM_SEATS)]

    def public_text(self, episode: Episode) -> str:
        return ", ".join(f"p{seat} {card + 1}" for seat, card in episode.decisions) or "-"

    def private_text(self, cards: Iterable[int]) -> str:
        return words(sorted(cards))

    def write_recall(self, episode: Episode, pieces: Mapping[str, NDArray[Any]]) -> None:
        for row, (seat, card) in enumerate(episode.decisions):
            pieces["history"][row, [seat, NUM_SEATS + card]] = 1
