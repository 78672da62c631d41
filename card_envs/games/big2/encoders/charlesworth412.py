"""The `charlesworth412` encoder: the 412 numbers of the program of Charlesworth (2018), bit for bit.

The program marks a straight that is not a flush as a full house too: among the combinations that an opponent has
played, and as the hand to beat, which then shows the rank of the middle card and no suit. Networks that were trained
with it need exactly these numbers; the encoder `clean` does not have this error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.games.big2.combos import RANKS, SUITS, order_name
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.encoders.hand_slots import HAND_BLOCK, NUM_RANKS, decode_hand, write_hand
from card_envs.games.big2.legal import write_mask
from card_envs.games.big2.state import (
    FLUSH,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    HAND_SIZE,
    KIND_NAMES,
    NUM_SEATS,
    NUM_SUITS,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TRIPLE,
    TWO_PAIR,
    Table,
)
from card_envs.observation import Block, Encoder, Layout, observe_kernels

_HIGH_CARDS, _GONE_CARDS, _FLAGS = 8, 16, 6
_FIRST_HIGH, _FIRST_GONE = 52 - _HIGH_CARDS, 52 - _GONE_CARDS
_PLAYED_AT = HAND_SIZE
_FLAGS_AT = _PLAYED_AT + _HIGH_CARDS
_OPPONENT_SIZE = _FLAGS_AT + _FLAGS
_NUM_KINDS = STRAIGHT_FLUSH  # a straight flush sets straight and flush
_BYTE, _LOWEST_BYTE = 8, 0xFF
_NUMBERS_OF_BYTE = np.array([[byte >> k & 1 for k in range(_BYTE)] for byte in range(_LOWEST_BYTE + 1)], np.int8)
_KINDS_OF_FLAG = (
    (PAIR,),
    (TRIPLE,),
    (TWO_PAIR, FOUR_OF_A_KIND),
    (STRAIGHT, STRAIGHT_FLUSH),
    (FLUSH, STRAIGHT_FLUSH),
    (FULL_HOUSE, STRAIGHT),
)
_FLAGS_OF_KINDS = np.array(
    [
        sum(any(kinds >> kind & 1 for kind in shown) << k for k, shown in enumerate(_KINDS_OF_FLAG))
        for kinds in range(1 << len(KIND_NAMES))
    ],
    np.int64,
)
"""[set of kinds]: flags of an opponent that has played these kinds, as bits."""

LAYOUT = Layout(
    (
        HAND_BLOCK,
        Block(
            "opponents",
            (NUM_SEATS - 1, _OPPONENT_SIZE),
            "one row for each opponent, the next seat first: cards left 1 .. 13, one-hot (13); which of AD .. 2S it "
            "has played (8); whether it has played a pair, three of a kind, four cards, a straight, a flush, a full "
            "house or straight (6)",
        ),
        Block("high_cards_gone", _GONE_CARDS, "which of QD .. 2S anybody has played"),
        Block(
            "trick_rank",
            NUM_RANKS,
            "hand to beat: rank 3 .. 2 of its highest card; full house: of the three; straight: of the middle card",
        ),
        Block(
            "trick_suit", NUM_SUITS, "hand to beat: suit D C H S of its highest card; none for full house and straight"
        ),
        Block("control", 1, "I have control: there is no hand to beat, and all else about it is 0"),
        Block(
            "trick_kind",
            _NUM_KINDS,
            "hand to beat: single, pair, three, two pair, four, straight, flush, full house; a straight also sets full "
            "house, a straight flush sets straight and flush",
        ),
        Block("passes", NUM_SEATS - 1, "consecutive passes before me: 0, 1, 2, one-hot"),
    ),
    np.int8,
)
_SIZE = LAYOUT.size
_AT = {name: place.start for name, place in LAYOUT.slices.items()}
_OPPONENTS, _GONE, _CONTROL, _PASSES = _AT["opponents"], _AT["high_cards_gone"], _AT["control"], _AT["passes"]
_RANK, _SUIT, _KIND = _AT["trick_rank"], _AT["trick_suit"], _AT["trick_kind"]


def layout(config: Big2Config) -> Layout:
    """Return the blocks, which do not depend on the rules."""
    return LAYOUT


@kernel
def _write(t: Table, seat: Any, o: Any) -> None:
    for k in range(_SIZE):
        o.values[k] = 0
    me = np.int64(seat)
    write_hand(t, me, o)
    for k in range(NUM_SEATS - 1):
        _write_opponent(t, (me + 1 + k) & (NUM_SEATS - 1), o, _OPPONENTS + k * _OPPONENT_SIZE)
    gone = (t.played[0] | t.played[1] | t.played[2] | t.played[3]) >> _FIRST_GONE
    for k in range(0, _GONE_CARDS, _BYTE):
        _write_byte(o, _GONE + k, gone >> k)
    if t.trick_size > 0:
        _write_trick(t, o)
    elif t.actor == me:
        o.values[_CONTROL] = 1


@kernel
def _write_opponent(t: Table, seat: Any, o: Any, at: Any) -> None:
    if t.num_cards[seat] > 0:
        o.values[at + np.int64(t.num_cards[seat]) - 1] = 1
    _write_byte(o, at + _PLAYED_AT, t.played[seat] >> _FIRST_HIGH)
    flags = _FLAGS_OF_KINDS[np.uint64(t.kinds_played[seat])]
    for k in range(_FLAGS):
        o.values[np.uint64(at + _FLAGS_AT + k)] = flags >> k & 1


@kernel
def _write_byte(o: Any, at: Any, bits: Any) -> None:
    """Write the lowest eight bits as numbers; unsigned indices allow the compiler to copy them in one step."""
    for k in range(_BYTE):
        o.values[np.uint64(at + k)] = _NUMBERS_OF_BYTE[np.uint64(bits & _LOWEST_BYTE), np.uint64(k)]


@kernel
def _write_trick(t: Table, o: Any) -> None:
    kind = np.int64(t.trick_kind)
    if kind in (STRAIGHT, FULL_HOUSE):
        # the middle card of a sorted full house belongs to the three of a kind
        o.values[_RANK + (np.int64(t.trick_cards[2]) >> 2)] = 1
        o.values[_KIND + FULL_HOUSE] = 1
    else:
        highest = np.int64(t.trick_cards[t.trick_size - 1])
        o.values[_RANK + (highest >> 2)] = 1
        o.values[_SUIT + (highest & 3)] = 1
    if kind == STRAIGHT_FLUSH:
        o.values[_KIND + STRAIGHT] = 1
        o.values[_KIND + FLUSH] = 1
    else:
        o.values[_KIND + kind] = 1
    o.values[_PASSES + np.int64(t.passes)] = 1


def decode(config: Big2Config, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation: hand, opponents (next seat first), high cards gone, hand to beat."""
    blocks = LAYOUT.split(np.asarray(observation))
    return {
        "hand": [order_name(order) for order in decode_hand(blocks["hand"])],
        "opponents": [_decode_opponent(row) for row in blocks["opponents"]],
        "high_cards_gone": [order_name(_FIRST_GONE + int(k)) for k in np.flatnonzero(blocks["high_cards_gone"])],
        "control": bool(blocks["control"][0]),
        "hand_to_beat": _decode_trick(blocks),
        "passes": int(blocks["passes"].argmax()),
    }


def _decode_opponent(row: NDArray[Any]) -> dict[str, Any]:
    names = ("pair", "three of a kind", "four cards", "straight", "flush", "full house or straight")
    left = row[:_PLAYED_AT]
    return {
        "cards_left": int(left.argmax()) + 1 if left.any() else 0,
        "high_cards_played": [order_name(_FIRST_HIGH + int(k)) for k in np.flatnonzero(row[_PLAYED_AT:_FLAGS_AT])],
        "has_played": [names[int(k)] for k in np.flatnonzero(row[_FLAGS_AT:])],
    }


def _decode_trick(blocks: dict[str, NDArray[Any]]) -> dict[str, Any] | None:
    kinds = [int(kind) for kind in np.flatnonzero(blocks["trick_kind"])]
    if not kinds:
        return None
    kind = STRAIGHT_FLUSH if kinds == [STRAIGHT, FLUSH] else kinds[0]  # a straight sets full house as well
    return {
        "kind": KIND_NAMES[kind],
        "rank": RANKS[int(blocks["trick_rank"].argmax())],
        "suit": SUITS[int(blocks["trick_suit"].argmax())] if blocks["trick_suit"].any() else None,
    }


CHARLESWORTH412 = Encoder("charlesworth412", 1, layout, *observe_kernels(_write, write_mask), decode)
