"""What encoders of Texas hold'em share: their requirements, and percentiles of hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import hand_rank_at
from card_envs.games.holdem.state import MAX_LEVELS, TEXAS_BOARD, Table
from card_envs.poker.hands import HOLE_CARDS
from card_envs.poker.percentiles import percentile_of_rank
from card_envs.poker.starting_hands import STARTING_PERCENTILES, starting_hand

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


@kernel
def percentile_at(t: Table, seat: Any, num_board: Any) -> Any:
    """Return the fraction of all hands with as many cards that are not better than the seat's hand, in (0, 1].

    The board must have 0 or 3 to 5 cards; see `poker.percentiles`.
    """
    if num_board == 0:
        hole = np.int64(seat) * t.num_hole_cards
        return STARTING_PERCENTILES[starting_hand(np.int64(t.deck[hole]), np.int64(t.deck[hole + 1]))]
    return percentile_of_rank(hand_rank_at(t, seat, num_board), np.int64(t.num_hole_cards) + num_board)
