"""What encoders of hold'em share: requirements, percentiles of hands, and decoding the betting of a limit hand.

A seat decides at most once at each bet level of a street. Therefore a limit hand can be replayed from the blocks of the
`default` encoder: the seat to act called or raised if the history blocks show it at this level, folded if it is not in
the hand, and otherwise is to act now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.betting import act, start_hand
from card_envs.games.holdem.config import FLOP_STREETS, HoldemConfig
from card_envs.games.holdem.showdown import hand_rank_at
from card_envs.games.holdem.state import CALL, FOLD, MAX_LEVELS, RAISE, TEXAS_BOARD, Table
from card_envs.poker.hands import HOLE_CARDS
from card_envs.poker.percentiles import percentile_of_rank
from card_envs.poker.starting_hands import STARTING_PERCENTILES, starting_hand

KIND_NAMES = {FOLD: "fold", CALL: "call", RAISE: "raise"}
STREETS = len(TEXAS_BOARD)


def require_texas_holdem(config: HoldemConfig, encoder: str, or_flop_holdem: bool = False) -> None:
    """Raise a ValueError unless the game has the cards and streets of Texas hold'em; stakes and seats do not matter."""
    if not (config.is_texas or (or_flop_holdem and config.is_flop_holdem)):
        games, boards = ("Texas hold'em", f"{TEXAS_BOARD}")
        if or_flop_holdem:
            games, boards = (f"{games} and flop hold'em", f"{boards} or {FLOP_STREETS}")
        raise ValueError(
            f"encoder {encoder!r} is for {games}: {HOLE_CARDS} hole cards, board {boards}, {DECK_SIZE} cards; this "
            f"game has {config.num_hole_cards}, {config.board_cards}, {config.deck_size}: use encoder 'default'"
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


def decode_betting(
    config: HoldemConfig, blocks: Mapping[str, NDArray[Any]], largest_amount: int
) -> list[tuple[int, int, str]]:
    """Return all decisions in their order: (street, seat counted from the observing one, "fold" | "call" | "raise").

    After a hand is over, the stack of a winner does not show whether it was all-in; if it was, the list ends before the
    decision that it would have had to take. A 1 in the blocks stands for `largest_amount` chips.
    """
    tables = config.new_tables(1)
    t: Table = tables[0]
    t.stack[: config.num_players] = np.rint((blocks["stack"] + blocks["hand_commit"]) * largest_amount)
    t.button = config.num_players - 1 - int(np.argmax(blocks["position"]))
    start_hand(t)
    history = []
    while not t.is_over:
        street, seat = int(t.street), int(t.actor)
        kind = _decision(config, blocks, street, seat, int(t.street_raises[street]))
        if kind is None:
            break
        history.append((street, seat, KIND_NAMES[kind]))
        act(t, kind, int(t.max_raise_to))
    return history


def _decision(
    config: HoldemConfig, blocks: Mapping[str, NDArray[Any]], street: int, seat: int, level: int
) -> int | None:
    """Return the decision of a seat at a bet level; None if it has not decided yet."""
    caps = config.max_raises or ()
    if blocks["callers"][sum(caps[:street]) + street + level, seat]:
        return CALL
    if level < caps[street] and blocks["raisers"][sum(caps[:street]) + level, seat]:
        return RAISE
    return None if blocks["in_hand"][seat] else FOLD
