"""The `kaminsky404` encoder: the observations of Kaminsky (2020, section 3.4.2), 404 numbers at six seats.

Seats are numbered by position: 0 is the first seat left of the button. In the paper's engine (section 3.5), players
keep their position for a round of hands, so its seat numbers are positions too.

The paper leaves some choices open. Here, cards are sorted by id in decreasing order, with hidden cards last. Amounts
are fractions of the seat's starting stack. The last raiser is the last one of the hand, nobody before the first raise
(a blind is no raise). The percentile is the share of hands that are not better than mine: before the flop, of the 1,326
starting hands by equity against a random hand (simulated in the paper, exact here), later of all hands of five, six or
seven cards by rank (see `card_envs.poker.percentiles`).

With n seats instead of six, the blocks of seats have n entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, card_names
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has, seat_position, write_mask
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.texas import STREETS, percentile_at, require_texas_holdem
from card_envs.games.holdem.showdown import num_board_cards, starting_stack
from card_envs.games.holdem.state import MAX_LEVELS, NOBODY, Table
from card_envs.observation import Block, Encoder, Layout, observe_kernels
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS

_HIDDEN = DECK_SIZE
_BOARD_SLOT = DECK_SIZE + 1


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of a Texas hold'em game, with seats by position; ValueError for other games."""
    require_texas_holdem(config, "kaminsky404")
    n = config.num_players
    return Layout(
        (
            Block("hole_cards", (HOLE_CARDS, DECK_SIZE), "my cards, highest id first, one-hot", private=True),
            Block("board", (BOARD_SIZE, _BOARD_SLOT), "board cards, highest id first, one-hot; last entry: hidden"),
            Block("folded", n, "1 for seats that have folded"),
            Block("hand_share", n, "chips put in since the deal, as a share of the seat's starting stack"),
            Block("street_share", n, "chips put in on this street, as a share of the seat's starting stack"),
            Block("last_raiser", n, "who bet or raised last in this hand, one-hot; all 0 before the first raise"),
            Block("position", n, "my seat, one-hot"),
            Block("street", STREETS, "one-hot"),
            Block("percentile", 1, "share of all hands of as many cards that are not better than mine", private=True),
        )
    )


@kernel
def _write(t: Table, me: Any, o: Any) -> None:
    for k in range(o.values.shape[0]):
        o.values[k] = 0.0
    n = np.int64(t.num_seats)
    shown = num_board_cards(t)
    at = _write_cards(t, me, shown, o)
    _write_seats(t, o, at)
    at += 3 * n
    raiser = _last_raiser(t)
    if raiser != NOBODY:
        o.values[at + seat_position(t, raiser)] = 1.0
    at += n
    o.values[at + seat_position(t, me)] = 1.0
    at += n
    o.values[at + t.street] = 1.0
    o.values[at + STREETS] = percentile_at(t, me, shown)


@kernel
def _write_cards(t: Table, me: Any, shown: Any, o: Any) -> Any:
    hole, board = me * HOLE_CARDS, np.int64(t.num_seats) * HOLE_CARDS
    first, second = np.int64(t.deck[hole]), np.int64(t.deck[hole + 1])
    o.values[max(first, second)] = 1.0
    o.values[DECK_SIZE + min(first, second)] = 1.0
    at = np.int64(HOLE_CARDS * DECK_SIZE)
    for k in range(shown):
        card = np.int64(t.deck[board + k])
        slot = 0
        for other in range(shown):
            if t.deck[board + other] > card:
                slot += 1
        o.values[at + slot * _BOARD_SLOT + card] = 1.0
    for slot in range(shown, BOARD_SIZE):
        o.values[at + slot * _BOARD_SLOT + _HIDDEN] = 1.0
    return at + BOARD_SIZE * _BOARD_SLOT


@kernel
def _write_seats(t: Table, o: Any, at: Any) -> None:
    n = np.int64(t.num_seats)
    for seat in range(n):
        position = seat_position(t, seat)
        share = 1.0 / starting_stack(t, seat)
        o.values[at + position] = 0.0 if has(t.in_hand, seat) else 1.0
        o.values[at + n + position] = t.hand_commit[seat] * share
        o.values[at + 2 * n + position] = t.street_commit[seat] * share


@kernel
def _last_raiser(t: Table) -> Any:
    """Return the seat that bet or raised last in this hand, or NOBODY."""
    street = np.int64(t.street)
    while street > 0 and t.street_raises[street] == 0:
        street -= 1
    raises: Any = min(np.int64(t.street_raises[street]), MAX_LEVELS - 1)
    return NOBODY if raises == 0 else np.int64(t.raiser[street, raises - 1])


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation: card names, street, my position, lists by position; `last_raiser` may be None."""
    blocks = layout(config).split(np.asarray(observation))
    board = blocks["board"].argmax(axis=1)
    raiser = np.flatnonzero(blocks["last_raiser"])
    return {
        "hole_cards": card_names(blocks["hole_cards"].argmax(axis=1)),
        "board": card_names(board[board != _HIDDEN]),
        "folded": [bool(flag) for flag in blocks["folded"]],
        "hand_share": blocks["hand_share"].tolist(),
        "street_share": blocks["street_share"].tolist(),
        "last_raiser": int(raiser[0]) if len(raiser) else None,
        "position": int(blocks["position"].argmax()),
        "street": int(blocks["street"].argmax()),
        "percentile": float(blocks["percentile"][0]),
    }


KAMINSKY404 = Encoder("kaminsky404", 1, layout, *observe_kernels(_write, write_mask), decode)
