"""Equities from random deals: the share of the pot that a hand of Texas hold'em wins if all players are all-in."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.compiler import kernel
from card_envs.poker.draw import hash_to_unused_card
from card_envs.poker.hands import HOLE_CARDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.rng import splitmix64


@kernel
def share_of_deal(
    first: Any, second: Any, key: Any, bits: Any, used: Any, missing: Any, opponents: Any, seed: Any
) -> Any:
    """Return the actor's share, 0 to 1, in one random deal of the `missing` board cards and the opponents' hands.

    `key` and `bits` describe the known board cards (see `poker.ranks`); `used` is the set of cards that the actor sees.
    """
    for _ in range(missing):
        seed = splitmix64(seed)
        card = hash_to_unused_card(used, seed)
        used |= np.int64(1) << card
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    mine = rank_of(key + CARD_KEYS[first] + CARD_KEYS[second], bits | CARD_BITS[first] | CARD_BITS[second])
    winners = 1.0
    for _ in range(opponents):
        hand_key, hand_bits = key, bits
        for _ in range(HOLE_CARDS):
            seed = splitmix64(seed)
            card = hash_to_unused_card(used, seed)
            used |= np.int64(1) << card
            hand_key += CARD_KEYS[card]
            hand_bits |= CARD_BITS[card]
        rank = rank_of(hand_key, hand_bits)
        if rank < mine:
            return 0.0
        winners += rank == mine
    return 1.0 / winners


@kernel
def sample_share(
    first: Any, second: Any, key: Any, bits: Any, used: Any, missing: Any, opponents: Any, samples: Any, seed: Any
) -> Any:
    """Return the mean of `share_of_deal` over `samples` deals that depend only on the arguments."""
    total = 0.0
    for _ in range(samples):
        seed = splitmix64(seed)
        total += share_of_deal(first, second, key, bits, used, missing, opponents, seed)
    return total / samples
