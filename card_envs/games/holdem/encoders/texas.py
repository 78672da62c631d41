"""What encoders made for Texas hold'em alone ask of a game."""

from __future__ import annotations

from card_envs.cards import DECK_SIZE
from card_envs.games.holdem.config import HoldemConfig

HOLE_CARDS = 2
BOARD_CARDS = (0, 3, 1, 1)
BOARD_SIZE = sum(BOARD_CARDS)
STREETS = len(BOARD_CARDS)


def require_texas_holdem(config: HoldemConfig, encoder: str) -> None:
    """Raise a ValueError unless the game has the cards and streets of Texas hold'em; any stakes and seats will do."""
    if not config.is_texas:
        wanted = f"{HOLE_CARDS} hole cards, board {BOARD_CARDS}, {DECK_SIZE} cards"
        raise ValueError(
            f"encoder {encoder!r} is for Texas hold'em: {wanted}. "
            f"This game has {config.num_hole_cards}, {config.board_cards}, {config.deck_size}: use encoder 'default'"
        )
