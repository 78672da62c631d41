"""The `equity` encoder: the blocks of `default` and the equity of my hand.

Equity is the mean share of the pot at a showdown against one opponent without more betting. The blocks hold the equity
against a random hand and against a random hand of each quarter of the 1,326 starting hands, which are ranked by their
equity before the flop, the best quarter first. Against an opponent who only plays good hands, the best quarter is more
informative than the average. The numbers are estimated from deals that the visible cards determine
(`poker.sampled_equity`), so that the same cards always have the same numbers (standard error 0.03 against a random
hand, twice that against a quarter). Before the flop, the equity against a random hand is exact. In flop hold'em it is
an estimate before the flop, and all numbers are exact on the flop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.games.holdem.actions import write_mask
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import default
from card_envs.games.holdem.encoders.texas import require_texas_holdem
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import Table
from card_envs.observation import Block, Encoder, Layout, observe_kernels
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS, hand_number
from card_envs.poker.sampled_equity import QUARTERS, TABLES, write_sampled_equities, write_showdown_equities
from card_envs.poker.starting_hands import STARTING_EQUITIES, starting_hand

_NUMBERS = 1 + QUARTERS
_BEFORE_FLOP = TABLES.by_quarter


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of `default` and those of equity; ValueError for games but Texas hold'em and flop hold'em."""
    require_texas_holdem(config, "equity", or_flop_holdem=True)
    return Layout(
        (
            *default.layout(config).blocks,
            Block("equity", 1, "my share of the pot against any one hand, without more betting", private=True),
            Block(
                "equity_by_quarter", QUARTERS, "the same against each quarter of starting hands, best first",
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
    first, second = np.int64(t.deck[HOLE_CARDS * me]), np.int64(t.deck[HOLE_CARDS * me + 1])
    shown, last = np.int64(num_board_cards(t)), np.int64(t.cards_shown[t.num_streets - 1])
    if shown == 0 and last == BOARD_SIZE:
        o.values[at] = STARTING_EQUITIES[starting_hand(first, second)]
        hand = hand_number(first, second)
        for quarter in range(QUARTERS):
            o.values[at + 1 + quarter] = _BEFORE_FLOP[hand, quarter]
        return
    board = np.int64(0)
    for k in range(shown):
        board |= np.int64(1) << np.int64(t.deck[HOLE_CARDS * t.num_seats + k])
    if shown == last and last != BOARD_SIZE:
        write_showdown_equities(first, second, board, o, at)
    else:
        write_sampled_equities(first, second, board, last - shown, o, at)


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation as `default` does, with `equity` as a number and `equity_by_quarter` as a list."""
    blocks = layout(config).split(np.asarray(observation))
    decoded = default.decode(config, np.asarray(observation)[..., :-_NUMBERS])
    equity, quarters = float(blocks["equity"][0]), blocks["equity_by_quarter"].tolist()
    return decoded | {"equity": equity, "equity_by_quarter": quarters}


EQUITY = Encoder("equity", 1, layout, *observe_kernels(_write, write_mask), decode)
