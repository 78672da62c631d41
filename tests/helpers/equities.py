"""Equities by enumeration of boards, and percentiles of hands, from the kernels and tables that agents use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.analysis.exploitability.range_equity import equities_against
from card_envs.analysis.variance.holdem.chance_terms import CHANCE_TERMS, write_shares
from card_envs.cards import NO_CARD
from card_envs.games.holdem.config import HoldemConfig
from card_envs.poker.hands import HOLE_CARDS, possible_hands
from card_envs.poker.percentiles import percentile_of_rank
from card_envs.poker.starting_hands import STARTING_EQUITIES, STARTING_PERCENTILES, starting_hand
from card_envs.poker_hands import hand_rank


def table_with(hands: Sequence[Sequence[int]], board: Sequence[int]) -> Any:
    """Return a table (1,) with these hole cards by seat and a board of 3 to 5 cards."""
    tables = HoldemConfig.limit(len(hands)).new_tables(1)
    cards = [card for cards in (*hands, board) for card in cards]
    tables["deck"][0, : len(cards)], tables["street"] = cards, len(board) - 2
    return tables


def equities(hands: Sequence[Sequence[int]], board: Sequence[int]) -> NDArray[np.float64]:
    """Return the shares of the pot (number of hands,) over all boards that complete a board of 3 to 5 cards."""
    terms = np.zeros(1, CHANCE_TERMS)
    terms["num_seats"] = len(hands)
    write_shares(terms[0], table_with(hands, board)[0], np.int64(len(board)), np.int64((1 << len(hands)) - 1))
    return np.array(terms["share"][0, : len(hands)])


def equities_against_all(hand: Sequence[int], board: Sequence[int]) -> NDArray[np.float64]:
    """Return the equities (1326,) of a hand on a board of 4 or 5 cards, NaN against hands that hold a seen card."""
    views = table_with([hand, [NO_CARD] * HOLE_CARDS], board)
    found = equities_against(views, np.array([0]), np.array([0.0]), num_boards=0)[0]
    return np.where(possible_hands([*hand, *board]), found, np.nan)


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
