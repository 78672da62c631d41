"""The `clean` encoder: the information of `charlesworth412` without its errors, and all other public information.

It adds the exact cards to beat, the seats that played them and led the trick, and all cards that each seat has played,
and it distinguishes all nine kinds of combinations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.big2.combos import order_name
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.encoders.hand_slots import HAND_BLOCK, decode_hand, write_hand
from card_envs.games.big2.legal import write_mask
from card_envs.games.big2.state import HAND_SIZE, KIND_NAMES, NUM_SEATS, Table
from card_envs.observation import Block, Encoder, Layout, observe_kernels

_NUM_KINDS = len(KIND_NAMES)


def trick_blocks(order: str) -> list[Block]:
    """Return the blocks of `write_trick`; `order` ends descriptions of seats, such as ", me first"."""
    return [
        Block("trick_cards", DECK_SIZE, "hand to beat: its cards 3D .. 2S"),
        Block("trick_kind", _NUM_KINDS, "hand to beat: its kind, one-hot"),
        Block("trick_seat", NUM_SEATS, f"who played the hand to beat, one-hot{order}"),
        Block("trick_leader", NUM_SEATS, f"who led the trick, one-hot{order}"),
        Block("passes", NUM_SEATS - 1, "consecutive passes since the hand to beat: 0, 1, 2, one-hot"),
    ]


LAYOUT = Layout(
    (
        HAND_BLOCK,
        Block("cards_left", (NUM_SEATS - 1, HAND_SIZE), "of each opponent, the next seat first: 1 .. 13, one-hot"),
        Block("played", (NUM_SEATS, DECK_SIZE), "cards 3D 3C 3H 3S 4D .. 2S that each seat has played, me first"),
        Block(
            "kinds_played",
            (NUM_SEATS, _NUM_KINDS),
            "kinds that each seat has played, me first: " + ", ".join(KIND_NAMES),
        ),
        Block("control", 1, "I have control: there is no hand to beat, and all else about the trick is 0"),
        *trick_blocks(", me first"),
    ),
    np.int8,
)
_SIZE = LAYOUT.size
_AT = {name: place.start for name, place in LAYOUT.slices.items()}
_LEFT, _PLAYED, _KINDS, _CONTROL = _AT["cards_left"], _AT["played"], _AT["kinds_played"], _AT["control"]
_TRICK = _AT["trick_cards"]


def layout(config: Big2Config) -> Layout:
    """Return the blocks, which do not depend on the rules."""
    return LAYOUT


@kernel
def _write(t: Table, seat: Any, o: Any) -> None:
    for k in range(_SIZE):
        o.values[k] = 0
    me = np.int64(seat)
    write_hand(t, me, o)
    for k in range(NUM_SEATS):
        other = (me + k) & (NUM_SEATS - 1)
        if k > 0 and t.num_cards[other] > 0:
            o.values[_LEFT + (k - 1) * HAND_SIZE + np.int64(t.num_cards[other]) - 1] = 1
        played = t.played[other]
        for card in range(DECK_SIZE):
            o.values[_PLAYED + k * DECK_SIZE + card] = played >> card & 1
        kinds = np.int64(t.kinds_played[other])
        for kind in range(_NUM_KINDS):
            o.values[_KINDS + k * _NUM_KINDS + kind] = kinds >> kind & 1
    if t.trick_size > 0:
        write_trick(t, me, o, _TRICK)
    elif t.actor == me:
        o.values[_CONTROL] = 1


@kernel
def write_trick(t: Table, me: Any, o: Any, at: Any) -> None:
    """Write the hand to beat, with seats counted from `me`, into blocks that begin at index `at` and are all zeros."""
    for k in range(t.trick_size):
        o.values[at + np.int64(t.trick_cards[k])] = 1
    kind, seat = at + DECK_SIZE, at + DECK_SIZE + _NUM_KINDS
    o.values[kind + np.int64(t.trick_kind)] = 1
    o.values[seat + ((np.int64(t.trick_seat) - me) & (NUM_SEATS - 1))] = 1
    o.values[seat + NUM_SEATS + ((np.int64(t.trick_leader) - me) & (NUM_SEATS - 1))] = 1
    o.values[seat + 2 * NUM_SEATS + np.int64(t.passes)] = 1


def decode(config: Big2Config, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation; seats are counted from the observing one, which is 0."""
    blocks = LAYOUT.split(np.asarray(observation))
    left = blocks["cards_left"]
    decoded: dict[str, Any] = {
        "hand": [order_name(order) for order in decode_hand(blocks["hand"])],
        "cards_left": [int(row.argmax()) + 1 if row.any() else 0 for row in left],
        "played": [[order_name(int(card)) for card in np.flatnonzero(row)] for row in blocks["played"]],
        "has_played": [[KIND_NAMES[int(kind)] for kind in np.flatnonzero(row)] for row in blocks["kinds_played"]],
        "control": bool(blocks["control"][0]),
        "hand_to_beat": None,
        "passes": int(blocks["passes"].argmax()),
    }
    if blocks["trick_kind"].any():
        decoded["hand_to_beat"] = {
            "kind": KIND_NAMES[int(blocks["trick_kind"].argmax())],
            "cards": [order_name(int(card)) for card in np.flatnonzero(blocks["trick_cards"])],
            "played_by": int(blocks["trick_seat"].argmax()),
            "led_by": int(blocks["trick_leader"].argmax()),
        }
    return decoded


CLEAN = Encoder("clean", 1, layout, *observe_kernels(_write, write_mask), decode)
