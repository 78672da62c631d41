"""Equity by samples: my share of the pot against random hands on random boards, both chosen by the cards that I see."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.bits import lowest_bit
from card_envs.compiler import kernel
from card_envs.poker.draw import hash_to_unused_card
from card_envs.poker.percentile_tables import BOARD_SIZE
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.poker.starting_hands import STARTING_PERCENTILES, starting_hand
from card_envs.rng import splitmix64

SAMPLES = 200
"""Deals by which equities are estimated."""
QUARTERS = 4
_UNKNOWN = 0.5
"""Equity against a quarter into which no sample fell."""

_QUARTER_OF_HAND: NDArray[np.int64] = np.minimum(QUARTERS * (1.0 - STARTING_PERCENTILES), QUARTERS - 1).astype(np.int64)
"""(169,) the quarter of a starting hand, 0 the best."""


@kernel
def write_sampled_equities(first: Any, second: Any, board: Any, shown: Any, o: Any, at: Any) -> None:
    """Write the equity of two cards and that against each quarter from o.values[at] on, which holds zeros.

    `board` is the set of the `shown` cards on the board. Shares are added up in the numbers themselves, then divided.
    """
    used = np.int64(1) << first | np.int64(1) << second
    seed = splitmix64(splitmix64(np.uint64(used)) ^ np.uint64(used | board))
    used |= board
    board_key, board_bits = np.int64(0), np.int64(0)
    while board:
        card = lowest_bit(board)
        board_key += CARD_KEYS[card]
        board_bits |= CARD_BITS[card]
        board &= board - 1
    counts = np.int64(0)  # of each quarter, 16 bits each
    for _ in range(SAMPLES):
        seed = splitmix64(seed)
        quarter, share = _one_deal(first, second, board_key, board_bits, used, BOARD_SIZE - shown, seed)
        counts += np.int64(1) << (16 * quarter)
        o.values[at] += share
        o.values[at + 1 + quarter] += share
    o.values[at] = o.values[at] / SAMPLES
    for quarter in range(QUARTERS):
        count = counts >> (16 * quarter) & 0xFFFF
        o.values[at + 1 + quarter] = o.values[at + 1 + quarter] / count if count else _UNKNOWN


@kernel
def _one_deal(first: Any, second: Any, key: Any, bits: Any, used: Any, missing: Any, seed: Any) -> Any:
    """Return the quarter of a random hand, and my share against it on a random board, both fixed by `seed`."""
    theirs_first = hash_to_unused_card(used, seed)
    used |= np.int64(1) << theirs_first
    seed = splitmix64(seed)
    theirs_second = hash_to_unused_card(used, seed)
    used |= np.int64(1) << theirs_second
    for _ in range(missing):
        seed = splitmix64(seed)
        card = hash_to_unused_card(used, seed)
        used |= np.int64(1) << card
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    mine = rank_of(key + CARD_KEYS[first] + CARD_KEYS[second], bits | CARD_BITS[first] | CARD_BITS[second])
    other = rank_of(
        key + CARD_KEYS[theirs_first] + CARD_KEYS[theirs_second],
        bits | CARD_BITS[theirs_first] | CARD_BITS[theirs_second],
    )
    share = 1.0 if mine < other else 0.5 if mine == other else 0.0
    return _QUARTER_OF_HAND[starting_hand(theirs_first, theirs_second)], share


assert SAMPLES < 1 << 16, "counts have 16 bits"
