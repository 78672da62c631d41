"""Kernels for hand strength: the chance of each of the 1,326 hands to beat a random hand on a board."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.draw import draw_unused_card
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, WORST_RANK, rank_of
from card_envs.rng import STREAM

STRENGTHS = np.dtype(
    (
        np.record,
        [
            STREAM,  # random stream of the sampled boards
            ("share", np.float64, (NUM_HANDS,)),  # chance of each hand to win against a random one; ties count half
            ("boards", np.int64, (NUM_HANDS,)),  # number of boards on which each hand was possible
            ("rank", np.int64, (NUM_HANDS,)),
            ("count", np.int64, (WORST_RANK + 2,)),  # number of hands of this rank, later of this and all worse ranks
        ],
    )
)
"""Dtype of the record of one computation, scratch space and result."""


@kernel
def write_strengths(s: Any, key: Any, bits: Any, used: Any, missing: Any, samples: Any) -> None:
    """Write the chance of every hand to win against a random hand on a board; 0 for hands that hold a board card.

    `key` and `bits` describe the board (see `poker.ranks`), `used` is the set of its cards. If one board card is
    missing, all boards are evaluated; if two are missing, `samples` random boards. The chance is approximate: the
    random hand may hold the same cards as the hand.
    """
    for hand in range(NUM_HANDS):
        s.share[hand] = 0.0
        s.boards[hand] = 0
    if missing == 0:
        _add_board(s, key, bits, used)
    elif missing == 1:
        for last in range(DECK_SIZE):
            if used >> last & 1 == 0:
                _add_board(s, key + CARD_KEYS[last], bits | CARD_BITS[last], used | np.int64(1) << last)
    else:
        for _ in range(samples):
            turn = draw_unused_card(s, used)
            river = draw_unused_card(s, used | np.int64(1) << turn)
            both = np.int64(1) << turn | np.int64(1) << river
            cards = CARD_BITS[turn] | CARD_BITS[river]
            _add_board(s, key + CARD_KEYS[turn] + CARD_KEYS[river], bits | cards, used | both)
    for hand in range(NUM_HANDS):
        if s.boards[hand] > 0:
            s.share[hand] /= s.boards[hand]


@kernel
def _add_board(s: Any, key: Any, bits: Any, used: Any) -> None:
    """Add the share of all hands that each hand beats on a complete board."""
    for k in range(WORST_RANK + 2):
        s.count[k] = 0
    total = np.int64(0)
    for hand in range(NUM_HANDS):
        a, c = np.int64(HANDS[hand, 0]), np.int64(HANDS[hand, 1])
        s.rank[hand] = 0
        if (used >> a | used >> c) & 1 == 0:
            rank = rank_of(key + CARD_KEYS[a] + CARD_KEYS[c], bits | CARD_BITS[a] | CARD_BITS[c])
            s.rank[hand] = rank
            s.count[rank] += 1
            total += 1
    for k in range(WORST_RANK, 0, -1):
        s.count[k] += s.count[k + 1]
    for hand in range(NUM_HANDS):
        rank = np.int64(s.rank[hand])
        if rank > 0:
            worse, equal = s.count[rank + 1], s.count[rank] - s.count[rank + 1]
            s.share[hand] += (worse + 0.5 * equal) / total
            s.boards[hand] += 1
