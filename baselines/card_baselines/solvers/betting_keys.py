"""Keys of betting: numbers by which a decision is found in a tree from what a table records of the betting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import NUM_PLAYERS
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.state import LIMIT, MAX_STREETS, RECENT_ACTIONS
from card_envs.rng import splitmix64
from card_envs.typing import Integers


def find_sorted(keys: NDArray[Any], wanted: NDArray[Any]) -> Integers:
    """Return the index (n,) of each wanted number (n,) in ascending `keys`, -1 for those that are not there."""
    places = np.searchsorted(keys, wanted)
    is_known = places < len(keys)
    is_known[is_known] = keys[places[is_known]] == wanted[is_known]
    return np.where(is_known, places, -1)


def find_keys(tables: Tables) -> NDArray[np.uint64]:
    """Return the `hash_betting` (n,) of tables or views."""
    keys = np.empty(len(tables), np.uint64)
    write_keys(tables, keys)
    return keys


@kernel
def write_keys(tables: Any, keys: Any) -> None:
    """Write the `hash_betting` of each table or view."""
    for j in range(tables.shape[0]):
        keys[j] = hash_betting(tables[j])


@kernel
def hash_betting(t: Any) -> Any:
    """Return a hash of the betting that a table or view holds: the last decisions, amounts and numbers of raises.

    Players are identified by the button, and cards are ignored. In limit games the number of raises on each street, who
    raised first and who is to act determine the betting: players take turns, and only a check can come before the first
    raise. Amounts are left out there, so that games with other blinds have the same hashes.
    """
    button = np.int64(t.button)
    raises = np.int64(0)
    for street in range(MAX_STREETS):
        raises = raises << 7 | np.int64(t.street_raises[street])
        first = np.int64(t.raiser[street, 0])
        raises = raises << 2 | (2 if first < 0 else np.int64(first == button))
    key = splitmix64(np.uint64(np.int64(t.street) * 2 + np.int64(t.actor == button)))
    key = splitmix64(key ^ np.uint64(raises))
    if t.structure == LIMIT:
        return key
    key = splitmix64(key ^ np.uint64(np.int64(t.num_decisions) << 16 | np.int64(t.legal)))
    for player in range(NUM_PLAYERS):
        seat = button if player == 1 else 1 - button
        key = splitmix64(key ^ np.uint64(np.int64(t.hand_commit[seat]) << 32 | np.int64(t.street_commit[seat])))
    kept = min(np.int64(t.num_decisions), np.int64(RECENT_ACTIONS))
    for back in range(1, kept + 1):
        ring = (np.int64(t.num_decisions) - back) % RECENT_ACTIONS
        move = np.int64(t.recent_move[ring])
        decision = (move & 3) * 2 + (1 if move >> 2 == button else 0)
        key = splitmix64(key ^ np.uint64(np.int64(t.recent_amount[ring]) << 8 | decision))
    return key
