"""Kernels for the shares of a pot that known hands win, averaged over all boards that can still come.

The kernels accept any record that has the fields of `SHOWDOWN_FIELDS`. A set of players is an int64 with a bit for each
player.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of

MAX_PLAYERS = 10
_NO_RANK = 1 << 30

SHOWDOWN_FIELDS: list[Any] = [
    ("num_seats", np.int64),
    ("share", np.float64, (MAX_PLAYERS,)),
    ("key", np.int64, (MAX_PLAYERS,)),  # hole cards and known board, see `poker.ranks`
    ("bits", np.int64, (MAX_PLAYERS,)),
    ("rank", np.int64, (MAX_PLAYERS,)),
    ("rest", np.uint8, (DECK_SIZE,)),  # card ids that can still come
    ("num_rest", np.int64),
]


@kernel
def clear_shares(s: Any) -> None:
    """Set the share of every player to 0."""
    for seat in range(s.num_seats):
        s.share[seat] = 0.0


@kernel
def list_rest(s: Any, used: Any) -> None:
    """List the cards that are not in the set `used` in the record."""
    count = np.int64(0)
    for card in range(DECK_SIZE):
        if (used >> card) & 1 == 0:
            s.rest[count] = card
            count += 1
    s.num_rest = count


@kernel
def rank_hands(s: Any, key: Any, bits: Any, live: Any) -> None:
    """Write the rank of each hand in the set `live`; `key` and `bits` describe the further board cards."""
    for seat in range(s.num_seats):
        if (live >> seat) & 1:
            s.rank[seat] = rank_of(s.key[seat] + key, s.bits[seat] | bits)


@kernel
def best_share(s: Any, live: Any) -> Any:
    """Return the best rank among the hands in the set `live`, and the share of the pot of each hand that has it."""
    best, count = np.int64(_NO_RANK), np.int64(0)
    for seat in range(s.num_seats):
        if (live >> seat) & 1:
            if s.rank[seat] < best:
                best, count = np.int64(s.rank[seat]), np.int64(0)
            if s.rank[seat] == best:
                count += 1
    return best, 1.0 / count


@kernel
def add_shares(s: Any, key: Any, bits: Any, live: Any) -> None:
    """Add the shares of the pot at a showdown between the hands in the set `live`, given further board cards."""
    rank_hands(s, key, bits, live)
    best, share = best_share(s, live)
    for seat in range(s.num_seats):
        if (live >> seat) & 1 and s.rank[seat] == best:
            s.share[seat] += share


@kernel
def write_shares(s: Any, missing: Any, live: Any) -> None:
    """Write the mean shares, which sum to 1, of the hands in the set `live` over all boards with 0 to 2 more cards."""
    clear_shares(s)
    rest: Any = np.int64(s.num_rest)
    if missing == 0:
        add_shares(s, np.int64(0), np.int64(0), live)
    elif missing == 1:
        for a in range(rest):
            add_shares(s, CARD_KEYS[s.rest[a]], CARD_BITS[s.rest[a]], live)
    else:
        for a in range(rest):
            for b in range(a):
                key = CARD_KEYS[s.rest[a]] + CARD_KEYS[s.rest[b]]
                add_shares(s, key, CARD_BITS[s.rest[a]] | CARD_BITS[s.rest[b]], live)
    _normalise(s)


@kernel
def _normalise(s: Any) -> None:
    total = 0.0
    for seat in range(s.num_seats):
        total += s.share[seat]
    for seat in range(s.num_seats):
        s.share[seat] /= total  # the shares of each showdown sum to 1
