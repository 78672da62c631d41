"""Advantage probability (AP): how likely my hand is better, given what the rival did last.

AP = P(better) * P(action | better) / P(action). The first factor comes from sampled cards, the others from counts of
what the rival did in training, when its cards were known after each hand. The product is an estimate of a ratio: it
may exceed 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.holdem_moves import sum_cards
from card_baselines.papers.zheng2022.card_types import TYPE_OF_RANK, random_type
from card_baselines.papers.zheng2022.situation import NONE, NUM_COLUMNS
from card_envs.compiler import kernel
from card_envs.games.holdem.showdown import first_board_card, num_board_cards
from card_envs.games.holdem.state import MAX_BOARD
from card_envs.poker.draw import draw_unused_card
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.rng import random_below

BOARDS, HANDS_PER_BOARD = 10, 10
"""Completions of the board, and hands of the rival with each, that P(better) is estimated from."""
RIVAL_COUNTS = np.dtype((np.record, [("seen", np.float64, (NUM_COLUMNS,)), ("seen_ahead", np.float64, (NUM_COLUMNS,))]))
"""Counts of the rival's actions, and of those among them where the own hand was the better one."""

_TINY = 1e-9


@kernel
def chance_ahead(t: Any, seat: Any, boards: Any, hands: Any, stream: Any) -> Any:
    """Return the share of random boards and rival's hands in which the seat's row is better; equal rows count half."""
    own_key, own_bits, own = sum_cards(t, np.int64(seat) * t.num_hole_cards, np.int64(2))
    shown = num_board_cards(t)
    shown_key, shown_bits, board = sum_cards(t, first_board_card(t), shown)
    twice = 0
    for _ in range(boards):
        board_key, board_bits, used = shown_key, shown_bits, own | board
        for _ in range(MAX_BOARD - shown):
            card = draw_unused_card(stream, used)
            used |= np.int64(1) << card
            board_key += CARD_KEYS[card]
            board_bits |= CARD_BITS[card]
        mine = TYPE_OF_RANK[rank_of(board_key + own_key, board_bits | own_bits)]
        for _ in range(hands):
            first = draw_unused_card(stream, used)
            second = draw_unused_card(stream, used | np.int64(1) << first)
            his_key = board_key + CARD_KEYS[first] + CARD_KEYS[second]
            his = TYPE_OF_RANK[rank_of(his_key, board_bits | CARD_BITS[first] | CARD_BITS[second])]
            twice += 2 if mine < his else (1 if mine == his else 0)
    return twice / (2.0 * boards * hands)


@kernel
def advantage(ahead: Any, rival: Any, column: Any) -> Any:
    """Return AP from the chance to be ahead and the rival's latest action; without an action, that chance alone."""
    if column == NONE:
        return ahead
    seen, seen_ahead = 0.0, 0.0
    for k in range(NUM_COLUMNS):
        seen += rival.seen[k]
        seen_ahead += rival.seen_ahead[k]
    of_ahead = rival.seen_ahead[column] / seen_ahead if seen_ahead > 0 else 1.0
    of_all = rival.seen[column] / seen if seen > 0 else 1.0
    return ahead * of_ahead / (of_all + _TINY)


@kernel
def count_action(t: Any, seat: Any, column: Any, rival: Any, stream: Any) -> None:
    """Count an action of the rival of `seat`, who holds what is in the deck of table `t`.

    The better hand is that with the lower row, each board completed once and on its own; ties are drawn by a fair coin.
    """
    rival.seen[column] += 1
    mine = random_type(t, seat, stream)
    his = random_type(t, 1 - np.int64(seat), stream)
    if mine < his or (mine == his and random_below(stream, 2) == 1):
        rival.seen_ahead[column] += 1
