"""Requirements of encoders that are made for Texas hold'em or for limit games."""

from __future__ import annotations

from card_envs.cards import DECK_SIZE
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MAX_LEVELS, TEXAS_BOARD
from card_envs.poker.hands import HOLE_CARDS

STREETS = len(TEXAS_BOARD)


def require_texas_holdem(config: HoldemConfig, encoder: str) -> None:
    """Raise a ValueError unless the game has the cards and streets of Texas hold'em; stakes and seats do not matter."""
    if not config.is_texas:
        raise ValueError(
            f"encoder {encoder!r} is for Texas hold'em: {HOLE_CARDS} hole cards, board {TEXAS_BOARD}, {DECK_SIZE} cards"
            f"; this game has {config.num_hole_cards}, {config.board_cards}, {config.deck_size}: use encoder 'default'"
        )


def require_whole_history(config: HoldemConfig, encoder: str) -> None:
    """Raise a ValueError unless tables of the game record the whole betting of a hand."""
    if not config.has_whole_history:
        raise ValueError(
            f"encoder {encoder!r} is for limit games with at most {MAX_LEVELS - 1} raises a street, not for "
            f"{config.structure!r} with max_raises {config.max_raises}: use encoder 'default'"
        )
