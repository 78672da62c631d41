"""The `default` encoder: everything a seat may know, as named blocks, relative to that seat.

Amounts are fractions of the largest starting stack, in limit games of the largest amount that a seat can put into one
hand (larger stacks are 1, because they make no difference). In limit games the history blocks hold the complete
betting: who called and who raised at each bet level of each street; folds follow from turn order and the block
`in_hand`. In no-limit games they hold the last `RECENT_ACTIONS` decisions with seat and amount, and a summary of each
street.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, card_names
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has, seat_position, wrap_seat, write_mask
from card_envs.games.holdem.betting import largest_amount
from card_envs.games.holdem.betting_history_bits import BITS_PER_WORD, num_history_groups, rotate_to_seat
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import first_board_card, hand_rank_at
from card_envs.games.holdem.state import MAX_BOARD, MAX_STREETS, RECENT_ACTIONS, Table
from card_envs.observation import Block, Encoder, Layout, observe_kernels
from card_envs.poker.ranks import CATEGORIES, WORST_RANK, category_of

_KINDS = 3
_CATEGORIES = len(CATEGORIES)
_WORD, _BYTE, _LOWEST_BYTE = 64, 8, 0xFF
_NUMBERS_OF_BYTE = np.array([[byte >> k & 1 for k in range(_BYTE)] for byte in range(_LOWEST_BYTE + 1)], np.float32)


def layout(config: HoldemConfig) -> Layout:
    """Return the blocks of a game; "me" is the observing seat, and seats are counted clockwise from it."""
    n, streets = config.num_players, len(config.board_cards)
    blocks = [Block("hole_cards", config.deck_size, "1 for each card I hold", private=True)]
    if sum(config.board_cards):
        blocks.append(Block("board", config.deck_size, "1 for each card on the board"))
    if config.num_hole_cards + sum(config.board_cards) >= 5:
        blocks.append(
            Block("category", _CATEGORIES, "my hand from the flop on: straight flush .. high card", private=True)
        )
        blocks.append(
            Block(
                "strength",
                1,
                "my hand from the flop on: 1 for the best of 7,462 ranks, near 0 for the worst",
                private=True,
            )
        )
    blocks += [
        Block("street", streets, "one-hot"),
        Block("position", n, "my position, one-hot: 0 is the first seat left of the button"),
        Block("in_hand", n, "1 for seats that have not folded, me first"),
        Block("stack", n, "chips behind, me first"),
        Block("street_commit", n, "chips put in on this street, me first"),
        Block("hand_commit", n, "chips put in since the deal, me first"),
        Block("pot", 1, "all chips in the middle, as a fraction of all seats' amounts"),
        Block("to_call", 1, "chips to call"),
        Block("pot_odds", 1, "to_call / (pot + to_call)"),
        Block("min_raise_to", 1, "smallest raise open to me, 0 where none is"),
        Block("max_raise_to", 1, "largest raise open to me, 0 where none is"),
    ]
    return Layout((*blocks, *history_blocks(config, ", me first")), private_from_cards=True)


def history_blocks(config: HoldemConfig, order: str) -> list[Block]:
    """Return the blocks of `write_history`; `order` ends descriptions that list seats, such as ", me first"."""
    n, streets = config.num_players, len(config.board_cards)
    if config.has_whole_history:
        caps = [int(cap) for cap in config.max_raises or ()]
        return [
            Block(
                "callers", (sum(cap + 1 for cap in caps), n), f"by street and bet level: who checked or called{order}"
            ),
            Block("raisers", (sum(caps), n), f"by street and bet level: who raised, one-hot{order}"),
        ]
    return [
        Block("recent_seat", (RECENT_ACTIONS, n), f"who took each of the last decisions, latest first, one-hot{order}"),
        Block("recent_kind", (RECENT_ACTIONS, _KINDS), "fold, check or call, bet or raise"),
        Block("recent_amount", RECENT_ACTIONS, "street commitment after the decision"),
        Block("street_raises", streets, "bets and raises on each street, in quarters, at most 1"),
        Block("street_callers", (streets, n), f"who checked or called on each street{order}"),
        Block(
            "street_raisers",
            (streets, n),
            f"who bet or raised on each street (up to the fourth raise, and the last){order}",
        ),
    ]


@kernel
def write_blocks(t: Table, seat: Any, o: Any) -> Any:
    """Write all blocks of `layout` as `seat` sees them, then zeros; return the index after them."""
    for k in range(o.values.shape[0]):
        o.values[k] = 0.0
    me, n = np.int64(seat), np.int64(t.num_seats)
    scale = 1.0 / t.largest_amount
    at = write_cards(t, me, o)
    o.values[np.uint64(at + t.street)] = 1.0
    at += np.int64(t.num_streets)
    o.values[np.uint64(at + seat_position(t, me))] = 1.0
    at = _write_chips(t, me, o, at + n, scale)
    at = _write_bets(t, me, o, at, scale)
    return write_history(t, me, o, at, scale)


@kernel
def write_history(t: Table, me: Any, o: Any, at: Any, scale: Any) -> Any:
    """Write the betting with seats counted from `me`, in numbers that are 0 before; return the index after them."""
    if t.whole_history == 0:
        at = _write_recent_history(t, me, o, at, scale)
    return write_callers_and_raisers(t, me, np.int64(t.num_seats), o, at)


@kernel
def write_cards(t: Table, me: Any, o: Any) -> Any:
    """Write cards, category and strength; return the index of the next block."""
    at = np.int64(t.deck_size)
    hole, first = me * t.num_hole_cards, first_board_card(t)
    o.values[place_in_deck(t, hole)] = 1.0
    o.values[place_in_deck(t, hole + t.num_hole_cards - 1)] = 1.0
    if t.cards_shown[MAX_STREETS - 1] == 0:
        return at
    shown = np.int64(t.cards_shown[t.street])
    next_block = np.uint64(at + t.deck_size)
    for k in range(MAX_BOARD):  # no branch, which the processor could not predict: hidden cards write 0
        place = place_in_deck(t, first + k) + np.uint64(at)
        o.values[place if k < shown else next_block] = 1.0 if k < shown else 0.0
    at += np.int64(t.deck_size)
    if t.is_ranked == 0:
        return at
    if t.num_hole_cards + shown >= 5:
        rank = hand_rank_at(t, me, shown)
        o.values[np.uint64(at + category_of(rank))] = 1.0
        o.values[np.uint64(at + _CATEGORIES)] = 1.0 - (rank - 1) / WORST_RANK
    return at + _CATEGORIES + 1


@kernel
def place_in_deck(t: Table, k: Any) -> Any:
    """Return the index in the ordered deck, uint64, of the k-th card of the deck field."""
    card = np.int64(t.deck[np.uint64(k)])
    if t.deck_size == DECK_SIZE:  # a card is its index
        return np.uint64(card)
    return np.uint64((card // 4 - t.lowest_rank) * t.num_suits + card % 4)


@kernel
def _write_chips(t: Table, me: Any, o: Any, start: Any, scale: Any) -> Any:
    n = np.int64(t.num_seats)
    for k in range(n):
        seat = wrap_seat(me + k, n)
        o.values[start + k] = 1.0 if has(t.in_hand, seat) else 0.0
        o.values[start + n + k] = min(1.0, t.stack[seat] * scale)
        o.values[start + 2 * n + k] = min(1.0, t.street_commit[seat] * scale)
        o.values[start + 3 * n + k] = min(1.0, t.hand_commit[seat] * scale)
    return start + 4 * n


@kernel
def _write_bets(t: Table, me: Any, o: Any, at: Any, scale: Any) -> Any:
    to_call: Any = np.int64(0)
    if has(t.in_hand, me) and t.is_over == 0:
        to_call = max(0, min(np.int64(t.current_bet) - t.street_commit[me], np.int64(t.stack[me])))
    o.values[at] = min(1.0, t.pot * scale / t.num_seats)
    o.values[at + 1] = min(1.0, to_call * scale)
    o.values[at + 2] = to_call / (np.int64(t.pot) + to_call) if to_call > 0 else 0.0
    if t.actor == me:
        o.values[at + 3] = min(1.0, t.min_raise_to * scale)
        o.values[at + 4] = min(1.0, t.max_raise_to * scale)
    return at + 5


@kernel
def write_callers_and_raisers(t: Table, me: Any, n: Any, o: Any, at: Any) -> Any:
    """Write who called and who raised, by street and level or by street; return the index after them."""
    left = n * num_history_groups(t)
    size, word = BITS_PER_WORD[np.uint64(n)], np.uint64(0)
    while left > 0:
        count: Any = min(left, size)
        _write_bits(o, at, rotate_to_seat(t.history_bits[word], me, n), count)
        at += count
        left -= count
        word += np.uint64(1)
    return at


@kernel
def _write_bits(o: Any, at: Any, bits: Any, count: Any) -> None:
    """Write `count` (at most 64) bits as numbers from index `at` on, followed by zeros up to the 64th number.

    Indices are unsigned: for signed ones, Numba adds a test for negative indices that prevents vector instructions
    (80 ns instead of 3).
    """
    if at + _WORD <= o.values.shape[0]:
        for k in range(_WORD):
            o.values[np.uint64(at + k)] = bits & (np.int64(1) << k) != 0
        return
    end = at + count
    while at + _BYTE <= end:
        byte = np.uint64(bits & _LOWEST_BYTE)
        for k in range(_BYTE):
            o.values[np.uint64(at + k)] = _NUMBERS_OF_BYTE[byte, np.uint64(k)]
        bits >>= _BYTE
        at += _BYTE
    while at < end:
        o.values[np.uint64(at)] = bits & 1
        bits >>= 1
        at += 1


@kernel
def _write_recent_history(t: Table, me: Any, o: Any, at: Any, scale: Any) -> Any:
    """Write the last decisions and the raises of each street; return the index after them."""
    n = np.int64(t.num_seats)
    decisions = np.int64(t.num_decisions)
    kinds = at + RECENT_ACTIONS * n
    amounts = kinds + RECENT_ACTIONS * _KINDS
    kept: Any = min(decisions, RECENT_ACTIONS)
    for k in range(kept):
        ring = (decisions - 1 - k) & (RECENT_ACTIONS - 1)
        move = np.int64(t.recent_move[ring])
        o.values[at + k * n + wrap_seat((move >> 2) - me + n, n)] = 1.0
        o.values[kinds + k * _KINDS + (move & 3)] = 1.0
        o.values[amounts + k] = min(1.0, t.recent_amount[ring] * scale)
    at = amounts + RECENT_ACTIONS
    for street in range(t.street + 1):
        o.values[at + street] = min(1.0, t.street_raises[street] * 0.25)
    return at + np.int64(t.num_streets)


def decode(config: HoldemConfig, observation: NDArray[Any]) -> dict[str, Any]:
    """Decode an observation: card names, street, position, seats in the hand, amounts and history arrays.

    In limit games, `history` lists all decisions: (street, seat counted from me, "fold" | "call" | "raise").
    """
    blocks = layout(config).split(np.asarray(observation))
    decoded = decode_common(config, blocks)
    if config.has_whole_history:
        largest = int(largest_amount(config.new_tables(1)[0]))
        from card_envs.games.holdem.encoders.texas import decode_betting  # not needed to play

        decoded["history"] = decode_betting(config, blocks, largest)
    return decoded


def decode_common(config: HoldemConfig, blocks: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the blocks by name, with cards, street, position and the seats in the hand decoded."""
    deck = config.deck_cards
    decoded: dict[str, Any] = dict(blocks)
    for name in ("hole_cards", "board"):
        decoded[name] = card_names(deck[k] for k in np.flatnonzero(blocks[name])) if name in blocks else ""
    decoded["street"] = int(np.argmax(blocks["street"]))
    decoded["position"] = int(np.argmax(blocks["position"]))
    decoded["in_hand"] = [bool(flag) for flag in blocks["in_hand"]]
    return decoded


DEFAULT = Encoder("default", 1, layout, *observe_kernels(write_blocks, write_mask), decode)

assert RECENT_ACTIONS & (RECENT_ACTIONS - 1) == 0  # the ring index is a bit mask
