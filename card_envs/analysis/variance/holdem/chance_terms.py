"""The chance terms of a hold'em hand: the effect of the cards of each street on each seat, minus its expectation.

For each street, features of each seat's hand are computed with the cards of the street, and their expectation over all
cards that could have come. The difference has mean zero for any strategies. All hole cards are treated as known, also
those of folded hands.

Expectations are exact sums over the remaining cards, except before the flop, where they are means over random boards;
this is unbiased, because the random boards have the distribution of the true one. The equities that terms of the flop
may be multiplied by come from separate random boards, because the product of two means over the same boards is biased.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import has
from card_envs.games.holdem.state import MAX_SEATS, MAX_STREETS, Table
from card_envs.poker.hands import BOARD_CARDS, BOARD_SIZE
from card_envs.poker.percentiles import percentile_of_rank
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.records import Tables
from card_envs.rng import STREAM, random_below

EQUITY, AHEAD, STRENGTH, STRONG = range(4)
"""Features of a hand: equity; share of the pot at a showdown now; percentile among all hands with as many cards; the
percentile to the power of eight, which is large for strong hands only."""
NUM_FEATURES = 4
_STRONG_POWER = 8
_NO_RANK = 1 << 30

CHANCE_TERMS = np.dtype(
    (
        np.record,
        [
            STREAM,  # of the random boards
            ("live", np.uint16, (MAX_STREETS,)),  # seats in the hand when the street's cards came; 0: they did not come
            ("value", np.float64, (MAX_STREETS, MAX_SEATS, NUM_FEATURES)),  # with the street's cards; preflop: EQUITY
            ("term", np.float64, (MAX_STREETS, MAX_SEATS, NUM_FEATURES)),  # value minus its expectation before
            # --- scratch ---
            ("expected", np.float64, (MAX_SEATS, NUM_FEATURES)),  # expectation of the features before the cards
            ("sum", np.float64, (MAX_SEATS, NUM_FEATURES)),  # sum over possible cards
            ("num_seats", np.int64),
            ("share", np.float64, (MAX_SEATS,)),  # share of the pot that each hand wins
            ("key", np.int64, (MAX_SEATS,)),  # hole cards and known board, see `poker.ranks`
            ("bits", np.int64, (MAX_SEATS,)),
            ("rank", np.int64, (MAX_SEATS,)),
            ("rest", np.uint8, (DECK_SIZE,)),  # card ids that can still come
            ("num_rest", np.int64),
        ],
    )
)
"""One hand. `live` and the stream are inputs of `write_chance_terms`, which writes the other fields."""


@kernel
def write_chance_terms(tables: Tables, terms: Any, num_boards: Any) -> None:
    """Write value and term of each hand; expectations before the flop are over `num_boards` random boards.

    `tables` must hold complete deals of Texas hold'em.
    """
    for i in range(tables.shape[0]):
        t, u = tables[i], terms[i]
        u.num_seats = t.num_seats
        _write_starting_values(u, t, num_boards)
        _expect_flop(u, t, num_boards)
        for street in range(1, MAX_STREETS):
            if u.live[street] != 0:
                if street > 1:
                    _expect_next_card(u, t, street)
                _observe(u, t, street)


@kernel
def _write_starting_values(u: Any, t: Table, num_boards: Any) -> None:
    """Write the equities of the hole cards as values before the flop, from random boards."""
    _set_cards(u, t, np.int64(0))
    _add_random_boards(u, num_boards, np.int64(0))
    for seat in range(u.num_seats):
        u.value[0, seat, EQUITY] = u.share[seat] / num_boards


@kernel
def _expect_flop(u: Any, t: Table, num_boards: Any) -> None:
    """Write the terms of the hole cards and the expectations of the flop, from new random boards."""
    _set_cards(u, t, np.int64(0))
    _clear_sums(u)
    _add_random_boards(u, num_boards, np.int64(u.live[1]))
    for seat in range(u.num_seats):
        u.term[0, seat, EQUITY] = u.share[seat] / num_boards - 1.0 / u.num_seats
        for feature in range(NUM_FEATURES):
            u.expected[seat, feature] = u.sum[seat, feature] / num_boards


@kernel
def _add_random_boards(u: Any, num_boards: Any, live: Any) -> None:
    """Write the sums of the shares of all hands on random boards; add the features of the live ones on their flops."""
    seats = (np.int64(1) << np.int64(u.num_seats)) - 1
    _clear_shares(u)
    for _ in range(num_boards):
        key, bits = np.int64(0), np.int64(0)
        for k in range(BOARD_SIZE):
            card = _draw(u, k)
            key += CARD_KEYS[card]
            bits |= CARD_BITS[card]
            if k == 2 and live != 0:
                _add_features(u, key, bits, live, np.int64(5))
        _add_shares(u, key, bits, seats)
        if live != 0:
            _rank_hands(u, key, bits, live)
            _add_best(u, live, EQUITY)


@kernel
def _draw(u: Any, k: Any) -> Any:
    """Return a random one of the remaining cards from index `k` on, and swap it to index `k`."""
    index = k + random_below(u, np.int64(u.num_rest) - k)
    card = np.int64(u.rest[index])
    u.rest[index] = u.rest[k]
    u.rest[k] = card
    return card


@kernel
def _expect_next_card(u: Any, t: Table, street: Any) -> None:
    """Write the expectations of the turn or river card."""
    live, known = np.int64(u.live[street]), np.int64(BOARD_CARDS[street - 1])
    write_shares(u, t, known, live)
    _clear_sums(u)
    for k in range(u.num_rest):
        card = u.rest[k]
        _add_features(u, CARD_KEYS[card], CARD_BITS[card], live, known + 3)
    for seat in range(u.num_seats):
        for feature in range(NUM_FEATURES):
            u.expected[seat, feature] = u.sum[seat, feature] / u.num_rest
        u.expected[seat, EQUITY] = u.share[seat]  # equity is a mean over all boards, so its expectation is itself


@kernel
def _observe(u: Any, t: Table, street: Any) -> None:
    """Write the features with the street's cards, and their differences from the expectations."""
    live, known = np.int64(u.live[street]), np.int64(BOARD_CARDS[street])
    write_shares(u, t, known, live)
    _clear_sums(u)
    _add_features(u, np.int64(0), np.int64(0), live, known + 2)
    for seat in range(u.num_seats):
        u.sum[seat, EQUITY] = u.share[seat]
        for feature in range(NUM_FEATURES):
            u.value[street, seat, feature] = u.sum[seat, feature]
            u.term[street, seat, feature] = u.sum[seat, feature] - u.expected[seat, feature]


@kernel
def _set_cards(u: Any, t: Table, num_board: Any) -> None:
    """Write the keys of all hands with the first board cards, and the remaining cards."""
    num_seats = np.int64(u.num_seats)
    used, key, bits = np.int64(0), np.int64(0), np.int64(0)
    for k in range(2 * num_seats, 2 * num_seats + num_board):
        card = np.int64(t.deck[k])
        used |= np.int64(1) << card
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    for seat in range(num_seats):
        first, second = np.int64(t.deck[2 * seat]), np.int64(t.deck[2 * seat + 1])
        used |= (np.int64(1) << first) | (np.int64(1) << second)
        u.key[seat] = key + CARD_KEYS[first] + CARD_KEYS[second]
        u.bits[seat] = bits | CARD_BITS[first] | CARD_BITS[second]
    u.num_rest = 0
    for other in range(DECK_SIZE):
        if (used >> other) & 1 == 0:
            u.rest[u.num_rest] = other
            u.num_rest += 1


@kernel
def _clear_sums(u: Any) -> None:
    for seat in range(u.num_seats):
        for feature in range(NUM_FEATURES):
            u.sum[seat, feature] = 0.0


@kernel
def _add_best(u: Any, live: Any, feature: Any) -> None:
    """Add the shares of the pot of the live seats to a feature; hands must be ranked."""
    best, share = _best_share(u, live)
    for seat in range(u.num_seats):
        if has(live, seat) and u.rank[seat] == best:
            u.sum[seat, feature] += share


@kernel
def _add_features(u: Any, key: Any, bits: Any, live: Any, num_cards: Any) -> None:
    """Add the features except equity of the live hands of `num_cards` cards, with further board cards."""
    _rank_hands(u, key, bits, live)
    _add_best(u, live, AHEAD)
    for seat in range(u.num_seats):
        if has(live, seat):
            strength = np.float64(percentile_of_rank(np.int64(u.rank[seat]), num_cards))
            u.sum[seat, STRENGTH] += strength
            u.sum[seat, STRONG] += strength**_STRONG_POWER


# --- shares of a pot, averaged over all boards that can still come --------------------------------------------------


@kernel
def _clear_shares(u: Any) -> None:
    for seat in range(u.num_seats):
        u.share[seat] = 0.0


@kernel
def _rank_hands(u: Any, key: Any, bits: Any, live: Any) -> None:
    """Write the rank of each hand in the set `live`; `key` and `bits` describe the further board cards."""
    for seat in range(u.num_seats):
        if has(live, seat):
            u.rank[seat] = rank_of(u.key[seat] + key, u.bits[seat] | bits)


@kernel
def _best_share(u: Any, live: Any) -> Any:
    """Return the best rank among the hands in the set `live`, and the share of the pot of each hand that has it."""
    best, count = np.int64(_NO_RANK), np.int64(0)
    for seat in range(u.num_seats):
        if has(live, seat):
            if u.rank[seat] < best:
                best, count = np.int64(u.rank[seat]), np.int64(0)
            if u.rank[seat] == best:
                count += 1
    return best, 1.0 / count


@kernel
def _add_shares(u: Any, key: Any, bits: Any, live: Any) -> None:
    """Add the shares of the pot at a showdown between the hands in the set `live`, given further board cards."""
    _rank_hands(u, key, bits, live)
    best, share = _best_share(u, live)
    for seat in range(u.num_seats):
        if has(live, seat) and u.rank[seat] == best:
            u.share[seat] += share


@kernel
def write_shares(u: Any, t: Table, num_board: Any, live: Any) -> None:
    """Write the exact equities, which sum to 1, of the live seats with `num_board` (3 to 5) cards on the board."""
    _set_cards(u, t, num_board)
    _clear_shares(u)
    rest: Any = np.int64(u.num_rest)
    if num_board == BOARD_SIZE:
        _add_shares(u, np.int64(0), np.int64(0), live)
    elif num_board == BOARD_SIZE - 1:
        for a in range(rest):
            _add_shares(u, CARD_KEYS[u.rest[a]], CARD_BITS[u.rest[a]], live)
    else:
        for a in range(rest):
            for b in range(a):
                key = CARD_KEYS[u.rest[a]] + CARD_KEYS[u.rest[b]]
                _add_shares(u, key, CARD_BITS[u.rest[a]] | CARD_BITS[u.rest[b]], live)
    total = 0.0
    for seat in range(u.num_seats):
        total += u.share[seat]
    for seat in range(u.num_seats):
        u.share[seat] /= total  # the shares of each showdown sum to 1
