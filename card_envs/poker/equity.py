"""The share of the pot that a hand of Texas hold'em wins if all cards come without betting, by sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.jit import kernel
from card_envs.poker.draw import unused_card_of
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.rng import splitmix64

HOLE_CARDS = 2


@kernel
def share_of_deal(
    first: Any, second: Any, key: Any, bits: Any, used: Any, missing: Any, opponents: Any, seed: Any
) -> Any:
    """Return the actor's share, 0 to 1, in one random deal of the `missing` board cards and the opponents' hands.

    `key` and `bits` are those of the board that is known (see `poker.ranks`), `used` the set of cards that are seen.
    """
    for _ in range(missing):
        seed = splitmix64(seed)
        card = unused_card_of(used, seed)
        used |= np.int64(1) << card
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    mine = rank_of(key + CARD_KEYS[first] + CARD_KEYS[second], bits | CARD_BITS[first] | CARD_BITS[second])
    winners = 1.0
    for _ in range(opponents):
        hand_key, hand_bits = key, bits
        for _ in range(HOLE_CARDS):
            seed = splitmix64(seed)
            card = unused_card_of(used, seed)
            used |= np.int64(1) << card
            hand_key += CARD_KEYS[card]
            hand_bits |= CARD_BITS[card]
        rank = rank_of(hand_key, hand_bits)
        if rank < mine:
            return 0.0
        winners += rank == mine
    return 1.0 / winners
