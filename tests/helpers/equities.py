"""Equities by enumeration of boards, and percentiles of hands, from the kernels and tables that agents use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.analysis.exploitability.range_equity import (
    AGAINST_ALL,
    add_board_card,
    finish,
    take_hand,
    try_all_boards,
)
from card_envs.analysis.variance.holdem.chance_terms import SHOWDOWN_FIELDS, list_rest, write_shares
from card_envs.compiler import kernel
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS, possible_hands
from card_envs.poker.percentiles import percentile_of_rank
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS
from card_envs.poker.starting_hands import STARTING_EQUITIES, STARTING_PERCENTILES, starting_hand
from card_envs.poker_hands import hand_rank

SHOWDOWN = np.dtype((np.record, SHOWDOWN_FIELDS))


def equities(hands: Sequence[Sequence[int]], board: Sequence[int]) -> NDArray[np.float64]:
    """Return the shares of the pot (number of hands,) over all boards that complete a board of 3 to 5 cards."""
    showdown = np.zeros(1, SHOWDOWN)
    s = showdown[0]
    s.num_seats = len(hands)
    for seat, hand in enumerate(hands):
        for card in (*hand, *board):
            s.key[seat] += CARD_KEYS[card]
            s.bits[seat] |= CARD_BITS[card]
    list_rest(s, np.int64(sum(1 << int(card) for cards in (*hands, board) for card in cards)))
    write_shares(s, np.int64(BOARD_SIZE - len(board)), np.int64((1 << len(hands)) - 1))
    return np.array(s.share[: len(hands)])


def equities_against_all(hand: Sequence[int], board: Sequence[int]) -> NDArray[np.float64]:
    """Return the equities (1326,) of a hand on a board of 3 to 5 cards, NaN against hands that hold a seen card."""
    record = np.zeros(1, AGAINST_ALL)
    _write_against_all(record, np.array([*hand, *board], np.int64))
    return np.where(possible_hands([*hand, *board]), record[0]["chance"], np.nan)


@kernel
def _write_against_all(records: Any, cards: Any) -> None:
    r = records[0]
    take_hand(r, cards[0], cards[1])
    for k in range(HOLE_CARDS, len(cards)):
        add_board_card(r, cards[k])
    try_all_boards(r, np.int64(len(cards) - HOLE_CARDS))
    finish(r)


def equity_against_range(hand: Sequence[int], weights: NDArray[Any], board: Sequence[int]) -> float:
    """Return the mean equity of a hand against hands with weights (1326,), those with a seen card left out."""
    wanted = np.where(possible_hands([*hand, *board]), weights, 0.0)
    return float(np.nansum(equities_against_all(hand, board) * wanted) / wanted.sum())


def hand_percentile(cards: Sequence[int]) -> float:
    """Return the share of all hands of 2, 5, 6 or 7 cards that are not better."""
    if len(cards) == HOLE_CARDS:
        return float(STARTING_PERCENTILES[starting_hand(*cards)])
    return float(percentile_of_rank(hand_rank(cards), len(cards)))


def starting_hand_equity(cards: Sequence[int]) -> float:
    """Return the equity of two cards against a random hand."""
    return float(STARTING_EQUITIES[starting_hand(*cards)])
