"""The `bits` encoder: the blocks of `default` whose numbers are all 0 or 1, for limit games.

It shows cards, street, position, the seats in the hand, and the complete betting. If all stacks are those of the
settings, the other blocks follow from these: amounts from the betting, the strength of a hand from its cards. int8 can
hold an observation (`dtype="int8"`), in less than a quarter of the memory of `default`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has, seat_position, wrap_seat, write_mask
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import default
from card_envs.games.holdem.encoders.texas import require_whole_history
from card_envs.games.holdem.state import Table
from card_envs.observation import Encoder, Layout, observe_kernels

_BLOCKS = ("hole_cards", "board", "category", "street", "position", "in_hand", "callers", "raisers")


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of a limit game, with seats as in `default`; ValueError for other games."""
    require_whole_history(config, "bits")
    blocks = default.layout(config).blocks
    return Layout(tuple(block for block in blocks if block.name in _BLOCKS), is_whole=True)


@kernel
def _write(t: Table, me: Any, o: Any) -> None:
    for k in range(o.values.shape[0]):
        o.values[k] = 0
    n = np.int64(t.num_seats)
    at = default.write_cards(t, me, o)
    if t.is_ranked == 1:  # delete the strength, a fraction, which this encoder does not show
        at -= 1
        o.values[np.uint64(at)] = 0
    o.values[np.uint64(at + t.street)] = 1
    at += np.int64(t.num_streets)
    o.values[np.uint64(at + seat_position(t, me))] = 1
    at += n
    for k in range(n):
        o.values[at + k] = 1 if has(t.in_hand, wrap_seat(me + k, n)) else 0
    default.write_callers_and_raisers(t, me, n, o, at + n)


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation: card names, street, position, seats in the hand, and arrays of the betting."""
    return default.decode_common(config, layout(config).split(np.asarray(observation)))


BITS = Encoder("bits", 1, layout, *observe_kernels(_write, write_mask), decode)
