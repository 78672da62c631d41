"""The `shi2022` encoder: the observations of Shi et al. (2022, sections 3.1 and 4.2), with the betting as a sequence.

The first blocks have a fixed length (the paper's personal and static public information). `history` (its dynamic public
information) holds one number per decision since the deal, oldest first, then zeros. Seats are numbered by position, so
that the history of a table is the same for all seats, and a network that reads it one decision at a time need not start
again for each seat.

A number of the history is 1 + kind + 3 * (position + seats * (level + 5 * street)), where `kind` is 0 for fold, 1 for
check or call, 2 for bet or raise, and `level` is the number of raises on the street before the decision. No number
occurs twice in a hand.

`category` and `percentile` are not in the paper, whose actor reads ranks and suits only. They are the last static
blocks, so that networks can leave them out. The encoder supports limit games with at most four raises a street, whose
tables record all decisions (see `encoders.texas`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, card_names
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has, seat_position, wrap_seat, write_mask
from card_envs.games.holdem.betting import largest_ante
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.texas import (
    KIND_NAMES,
    STREETS,
    percentile_at,
    require_texas_holdem,
    require_whole_history,
)
from card_envs.games.holdem.showdown import hand_rank_at, num_board_cards, starting_stack
from card_envs.games.holdem.state import CALL, FOLD, MAX_LEVELS, MAX_SEATS, RAISE, Table
from card_envs.observation import Block, Encoder, Layout, block_starts, observe_kernels
from card_envs.poker.hands import HOLE_CARDS
from card_envs.poker.ranks import CATEGORIES, category_of

_KINDS = 3
_NOT_YET = -1


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of a limit game of Texas hold'em, seats by position; ValueError for other games."""
    require_texas_holdem(config, "shi2022")
    require_whole_history(config, "shi2022")
    return _layout(config.num_players, most_decisions(config))


def _layout(n: int, decisions: int) -> Layout:
    return Layout(
        (
            Block("hole_cards", DECK_SIZE, "1 for each card I hold", private=True),
            Block("board", DECK_SIZE, "1 for each card on the board"),
            Block("street", STREETS, "one-hot"),
            Block("position", n, "my position, one-hot: 0 is the first seat left of the button"),
            Block("in_hand", n, "1 for seats that have not folded, by position"),
            Block("stack", n, "chips behind, by position"),
            Block("street_commit", n, "chips put in on this street, by position"),
            Block("hand_commit", n, "chips put in since the deal, by position"),
            Block("pot", 1, "all chips in the middle, as a fraction of all seats' amounts"),
            Block("to_call", 1, "chips to call"),
            Block("category", len(CATEGORIES), "my hand from the flop on: straight flush .. high card", private=True),
            Block("percentile", 1, "share of all hands of as many cards that are not better than mine", private=True),
            Block("history", decisions, "decisions, oldest first, then 0", high=_num_tokens(n) - 1),
        )
    )


def most_decisions(config: HoldemConfig) -> int:
    """Return the maximum number of decisions of a hand: one per seat and street, one per other seat and raise."""
    n = config.num_players
    return sum(n + int(cap) * (n - 1) for cap in config.max_raises or ())


def num_tokens(config: HoldemConfig) -> int:
    """Return the number of different numbers of the history block, 0 (no decision) included."""
    return _num_tokens(config.num_players)


def _num_tokens(n: int) -> int:
    return 1 + _KINDS * n * MAX_LEVELS * STREETS


_STARTS = block_starts(_layout(n, 0) for n in range(MAX_SEATS + 1))
"""Start of each block, indexed by the number of seats. The history is last, because it has another length."""


@kernel
def _write(t: Table, me: Any, o: Any) -> None:
    for k in range(o.values.shape[0]):
        o.values[k] = 0.0
    n, shown = np.int64(t.num_seats), num_board_cards(t)
    at = _STARTS[n]
    for k in range(HOLE_CARDS):
        o.values[at.hole_cards + t.deck[me * HOLE_CARDS + k]] = 1.0
    for k in range(shown):
        o.values[at.board + np.int64(t.deck[n * HOLE_CARDS + k])] = 1.0
    o.values[at.street + t.street] = 1.0
    o.values[at.position + seat_position(t, me)] = 1.0
    _write_chips(t, me, o, at)
    _write_hand(t, me, shown, o, at)
    _write_history(t, o, at.history)


@kernel
def _write_chips(t: Table, me: Any, o: Any, at: Any) -> None:
    n, scale = np.int64(t.num_seats), 1.0 / t.largest_amount
    for seat in range(n):
        k = seat_position(t, seat)
        o.values[at.in_hand + k] = 1.0 if has(t.in_hand, seat) else 0.0
        o.values[at.stack + k] = min(1.0, t.stack[seat] * scale)
        o.values[at.street_commit + k] = min(1.0, t.street_commit[seat] * scale)
        o.values[at.hand_commit + k] = min(1.0, t.hand_commit[seat] * scale)
    o.values[at.pot] = min(1.0, t.pot * scale / n)
    if has(t.in_hand, me) and t.is_over == 0:
        to_call = max(0, min(np.int64(t.current_bet) - t.street_commit[me], np.int64(t.stack[me])))
        o.values[at.to_call] = min(1.0, to_call * scale)


@kernel
def _write_hand(t: Table, me: Any, shown: Any, o: Any, at: Any) -> None:
    o.values[at.percentile] = percentile_at(t, me, shown)
    if shown == 0:
        return
    o.values[at.category + category_of(hand_rank_at(t, me, shown))] = 1.0


@kernel
def _write_history(t: Table, o: Any, at: Any) -> None:
    """Reconstruct the decisions from the seats that called and raised at each bet level of each street."""
    n = np.int64(t.num_seats)
    live = (np.int64(1) << n) - 1
    last = np.int64(t.button)
    for street in range(t.street + 1):
        seat = _opener(t) if street == 0 else (last if t.last_actor_opens == 1 else np.int64(t.button)) + 1
        level, to_ask = np.int64(0), n
        while to_ask > 0:
            seat = wrap_seat(seat, n)
            kind = _decision(t, street, level, seat) if has(live, seat) else np.int64(_NOT_YET)
            if kind != _NOT_YET:
                o.values[at] = 1 + kind + _KINDS * (seat_position(t, seat) + n * (level + MAX_LEVELS * street))
                at += 1
                last = seat
                if kind == FOLD:
                    live &= ~(np.int64(1) << seat)
                elif kind == RAISE:
                    level += 1
                    to_ask = n
            elif seat == t.actor and street == t.street:
                return
            seat += 1
            to_ask -= 1


@kernel
def _decision(t: Table, street: Any, level: Any, seat: Any) -> Any:
    """Return a seat's decision at a bet level, or _NOT_YET for a seat that is to act or all-in."""
    if has(t.callers[street, level], seat):
        return np.int64(CALL)
    if level < MAX_LEVELS - 1 and t.raiser[street, level] == seat:
        return np.int64(RAISE)
    return np.int64(_NOT_YET if has(t.in_hand, seat) else FOLD)


@kernel
def _opener(t: Table) -> Any:
    """Return the seat after the largest blind that was paid; it may be num_seats or more, so wrap it."""
    n, most = np.int64(t.num_seats), largest_ante(t)
    largest, opener = np.int64(0), np.int64(0)
    for position in range(n):
        seat = wrap_seat(np.int64(t.button) + 1 + position, n)
        start = starting_stack(t, seat)
        blind = min(np.int64(t.blind[position]), start - min(np.int64(t.ante[position]), start, most))
        if blind > 0 and blind >= largest:
            largest, opener = blind, np.int64(position) + 1
    return wrap_seat(np.int64(t.button) + 1, n) + opener


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation: card names, street, my position, lists by position, and the decisions.

    `history` lists them as (street, position, "fold" | "call" | "raise"), in their order.
    """
    blocks = layout(config).split(np.asarray(observation))
    tokens = blocks["history"].astype(np.int64)
    return {
        "hole_cards": card_names(np.flatnonzero(blocks["hole_cards"])),
        "board": card_names(np.flatnonzero(blocks["board"])),
        "street": int(blocks["street"].argmax()),
        "position": int(blocks["position"].argmax()),
        "in_hand": [bool(flag) for flag in blocks["in_hand"]],
        "stack": blocks["stack"].tolist(),
        "hand_commit": blocks["hand_commit"].tolist(),
        "percentile": float(blocks["percentile"][0]),
        "history": [_decision_of(config, int(token)) for token in tokens[tokens > 0]],
    }


def _decision_of(config: HoldemConfig, token: int) -> tuple[int, int, str]:
    place, kind = divmod(token - 1, _KINDS)
    level_and_street, position = divmod(place, config.num_players)
    return level_and_street // MAX_LEVELS, position, KIND_NAMES[kind]


SHI2022 = Encoder("shi2022", 1, layout, *observe_kernels(_write, write_mask), decode)
