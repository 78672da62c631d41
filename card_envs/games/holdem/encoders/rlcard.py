"""The `rlcard` encoder: the observations of RLCard 1.2, and of PettingZoo's texas_holdem_v4 and no_limit_v6.

It has 72 numbers in limit games and 54 in others. My cards and the board are one set of cards, so an observation does
not tell which cards are mine, who bet, or what my position is. Use it to compare with results on those environments;
the encoder `default` contains more information.

In RLCard a blind is no raise, and all games allow four raises on each street (`rules="rlcard"`). Intended differences:

* When RLCard starts another limit hand in the same environment, the first observation shows the raises of the
  *previous* hand: `LimitHoldemGame.init_game` reads the state before it clears `history_raise_nums`. Here a hand starts
  with no raises, as in all other RLCard observations and in PettingZoo.
* Without a cap, four raises stand for four or more; RLCard has no such games.
* RLCard's chips are float64; these numbers are float32, which is exact up to 2**24 chips.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, RANKS, SUITS, card_names
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import wrap_seat, write_mask
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.texas import STREETS, require_texas_holdem
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import LIMIT, MAX_CHIPS, Table
from card_envs.observation import Block, Encoder, Layout, observe_kernels
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS

_NUM_RANKS = len(RANKS)
_LAST_SUIT = len(SUITS) - 1
_MOST_RAISES = 4
_RAISE_COUNTS = _MOST_RAISES + 1


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of a Texas hold'em game, 72 numbers for limit and 54 for others; ValueError for other games."""
    require_texas_holdem(config, "rlcard")
    cards = Block(
        "cards",
        DECK_SIZE,
        "1 for each of my cards and the board: spades A 2 .. K, hearts, diamonds, clubs",
        private=True,
    )
    if config.structure == "limit":
        raises = Block("raises", (STREETS, _RAISE_COUNTS), "by street: number of bets and raises 0..4, one-hot")
        return Layout((cards, raises), is_whole=True)
    chips = (
        Block("my_commit", 1, "chips I have put in since the deal", high=MAX_CHIPS),
        Block("largest_commit", 1, "most chips that a seat has put in since the deal", high=MAX_CHIPS),
    )
    return Layout((cards, *chips), is_whole=True)


@kernel
def _write(t: Table, me: Any, o: Any) -> None:
    for k in range(o.values.shape[0]):
        o.values[k] = 0.0
    hole, board = me * HOLE_CARDS, np.int64(t.num_seats) * HOLE_CARDS
    for k in range(HOLE_CARDS):
        o.values[_card_index(np.int64(t.deck[hole + k]))] = 1.0
    for k in range(num_board_cards(t)):
        o.values[_card_index(np.int64(t.deck[board + k]))] = 1.0
    if t.structure == LIMIT:
        for street in range(STREETS):
            raises: Any = min(np.int64(t.street_raises[street]), _MOST_RAISES)
            o.values[DECK_SIZE + street * _RAISE_COUNTS + raises] = 1.0
    else:
        largest = np.int64(0)
        for seat in range(t.num_seats):
            largest = max(largest, np.int64(t.hand_commit[seat]))
        o.values[DECK_SIZE] = t.hand_commit[me]
        o.values[DECK_SIZE + 1] = largest


@kernel
def _card_index(card: Any) -> Any:
    """Return the index of a card id in RLCard's card2index.json."""
    return (_LAST_SUIT - (card & _LAST_SUIT)) * _NUM_RANKS + wrap_seat((card >> 2) + 1, _NUM_RANKS)


def _card_at(index: int) -> int:
    """Return the card id with an index in card2index.json."""
    suit, rank = divmod(index, _NUM_RANKS)
    return len(SUITS) * ((rank - 1) % _NUM_RANKS) + _LAST_SUIT - suit


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation: card names, street, and raises by street or committed chips."""
    blocks = layout(config).split(np.asarray(observation))
    cards = sorted((_card_at(int(index)) for index in np.flatnonzero(blocks["cards"])), reverse=True)
    shown = len(cards) - HOLE_CARDS
    decoded: dict[str, Any] = {"cards": card_names(cards), "street": max(0, shown - BOARD_SIZE + STREETS - 1)}
    if "raises" in blocks:
        decoded["raises"] = [int(count) for count in blocks["raises"].argmax(axis=1)]
    else:
        decoded["my_commit"] = int(blocks["my_commit"][0])
        decoded["largest_commit"] = int(blocks["largest_commit"][0])
    return decoded


RLCARD = Encoder("rlcard", 1, layout, *observe_kernels(_write, write_mask), decode)
