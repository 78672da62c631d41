"""The `equity` encoder: the blocks of `default`, and what my hand is worth in a showdown without more betting.

Equity is the share of the pot against one opponent's hand, over the cards to come: against any hand, and against hands
of each quarter of the 1,326 starting hands, ranked by their equity before the flop, best quarter first. A network need
not find out from cards what a hand is worth; against an opponent that plays good hands alone, the best quarter says
more than the average. All numbers are estimated from `SAMPLES` deals that the seen cards choose, so the same cards
always read the same (standard error 0.03 against any hand, twice that against a quarter). Before the flop the first
one is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import write_mask
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import default
from card_envs.games.holdem.encoders.texas import BOARD_SIZE, HOLE_CARDS, require_texas_holdem
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import Table
from card_envs.observation import Block, Encoder, Layout, observe_kernels
from card_envs.poker.draw import unused_card_of
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.poker.starting_hands import STARTING_EQUITIES, STARTING_PERCENTILES, starting_hand
from card_envs.rng import splitmix64

SAMPLES = 200
"""Deals by which equities are estimated."""
_QUARTERS = 4
_NUMBERS = 1 + _QUARTERS
_UNKNOWN = 0.5
"""Where no sample fell into a quarter."""

_QUARTER_OF_HAND: NDArray[np.int64] = np.minimum(_QUARTERS * (1.0 - STARTING_PERCENTILES), _QUARTERS - 1).astype(
    np.int64
)
"""(169,) the quarter of a starting hand, 0 the best."""


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of `default` and those of equity; ValueError for games that are not Texas hold'em."""
    require_texas_holdem(config, "equity")
    return Layout(
        (
            *default.layout(config).blocks,
            Block("equity", 1, "my share of the pot against any one hand, without more betting", private=True),
            Block(
                "equity_by_quarter", _QUARTERS, "the same against each quarter of starting hands, best first",
                private=True,
            ),
        ),
        private_from_cards=True,
    )  # fmt: skip


@kernel
def _write(t: Table, me: Any, o: Any) -> None:
    _write_equities(t, me, o, default.write_blocks(t, me, o))


@kernel
def _write_equities(t: Table, me: Any, o: Any, at: Any) -> None:
    """Write the numbers of equity from `at` on: shares are added up in the numbers themselves, then divided."""
    first, second = np.int64(t.deck[HOLE_CARDS * me]), np.int64(t.deck[HOLE_CARDS * me + 1])
    used = np.int64(1) << first | np.int64(1) << second
    seed = splitmix64(np.uint64(used))
    board_key, board_bits = np.int64(0), np.int64(0)
    shown = np.int64(num_board_cards(t))
    for k in range(shown):
        card = np.int64(t.deck[HOLE_CARDS * t.num_seats + k])
        board_key += CARD_KEYS[card]
        board_bits |= CARD_BITS[card]
        used |= np.int64(1) << card
    seed = splitmix64(seed ^ np.uint64(used))
    counts = np.int64(0)  # of each quarter, 16 bits each
    for _ in range(SAMPLES):
        seed = splitmix64(seed)
        quarter, share = _one_deal(first, second, board_key, board_bits, used, BOARD_SIZE - shown, seed)
        counts += np.int64(1) << (16 * quarter)
        o.number[at] += share
        o.number[at + 1 + quarter] += share
    o.number[at] = STARTING_EQUITIES[starting_hand(first, second)] if shown == 0 else o.number[at] / SAMPLES
    for quarter in range(_QUARTERS):
        count = counts >> (16 * quarter) & 0xFFFF
        o.number[at + 1 + quarter] = o.number[at + 1 + quarter] / count if count else _UNKNOWN


@kernel
def _one_deal(first: Any, second: Any, key: Any, bits: Any, used: Any, missing: Any, seed: Any) -> Any:
    """Return the quarter of a random hand, and my share against it on a random board, both fixed by `seed`."""
    theirs_first = unused_card_of(used, seed)
    used |= np.int64(1) << theirs_first
    seed = splitmix64(seed)
    theirs_second = unused_card_of(used, seed)
    used |= np.int64(1) << theirs_second
    for _ in range(missing):
        seed = splitmix64(seed)
        card = unused_card_of(used, seed)
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


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Return what an observation says: as `default`, `equity`, and `equity_by_quarter` as a list."""
    blocks = layout(config).split(np.asarray(observation))
    decoded = default.decode(config, np.asarray(observation)[..., :-_NUMBERS])
    equity, quarters = float(blocks["equity"][0]), blocks["equity_by_quarter"].tolist()
    return decoded | {"equity": equity, "equity_by_quarter": quarters}


EQUITY = Encoder("equity", 1, layout, *observe_kernels(_write, write_mask), decode)

assert SAMPLES < 1 << 16, "counts have 16 bits"
