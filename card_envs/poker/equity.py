"""Equities: the share of the pot that a hand of Texas hold'em wins on average if all players are all-in.

`equities` computes exact equities of known hands; `equity_against_range` and `equities_against_all` compute exact
equities against unknown hands. All three enumerate the boards. The kernel `sample_share` estimates an equity from
random deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, SUITS, check_cards
from card_envs.compiler import kernel
from card_envs.poker.against_all import AGAINST_ALL, add_board_card, finish, take_hand, try_all_boards
from card_envs.poker.draw import hash_to_unused_card
from card_envs.poker.hands import BOARD_SIZE, HANDS, HOLE_CARDS, NUM_HANDS
from card_envs.poker.ranges import Range, possible_hands
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.poker.showdowns import (
    MAX_PLAYERS,
    SHOWDOWN,
    list_rest,
    write_shares,
    write_shares_before_flop,
)
from card_envs.rng import splitmix64

_BOARDS = (0, 3, 4, 5)

Cards = Sequence[int] | NDArray[np.integer[Any]]


def equities(hands: Sequence[Cards], board: Cards = ()) -> NDArray[np.float64]:
    """Return the exact equities of known hands, over all boards that can still come.

    Args:
        hands: 2 to 10 hands of two card ids each.
        board: 0, 3, 4 or 5 card ids. Before the flop, two hands are compared on 1,712,304 boards.

    Returns:
        (number of hands,) shares of the pot, 0 to 1, which sum to 1.

    Raises:
        ValueError: For other numbers of hands or cards, an id outside 0..51, or a card that comes twice.

    Example:
        >>> from card_envs.cards import card_ids
        >>> equities([card_ids("AsAd"), card_ids("KsKd")], card_ids("2c 7h 9d")).round(3).tolist()
        [0.916, 0.084]
    """
    if not 2 <= len(hands) <= MAX_PLAYERS:
        raise ValueError(f"{len(hands)} hands: give 2 to {MAX_PLAYERS}")
    known = _check_cards(*hands, board=board)
    showdown = np.zeros(1, SHOWDOWN)
    _write_equities(showdown, np.array(known, np.int64), np.int64(len(hands)))
    return np.array(showdown[0]["share"][: len(hands)])


def equities_against_all(hand: Cards, board: Cards = ()) -> NDArray[np.float64]:
    """Return the exact equity of a hand against each of `poker.hands.HANDS`, over all boards that can still come.

    This takes milliseconds from the flop on, and about half a minute before the flop. Opponents' hands that a
    permutation of the suits turns into each other are computed once.

    Args:
        hand: Two card ids.
        board: 0, 3, 4 or 5 card ids.

    Returns:
        (1326,) shares of the pot, 0 to 1; NaN against hands that hold a card of `hand` or `board`.
    """
    return _equities_against(hand, board, np.ones(NUM_HANDS, bool))


def equity_against_range(hand: Cards, weights: Range, board: Cards = ()) -> float:
    """Return the exact equity of a hand against a range, over all boards that can still come.

    Args:
        hand: Two card ids.
        weights: (1326,) weights as `poker.ranges.parse_range` returns them. Hands that hold a card of `hand` or `board`
            do not count. Before the flop each hand of the range takes some hundredths of a second.
        board: 0, 3, 4 or 5 card ids.

    Returns:
        Share of the pot, 0 to 1.

    Raises:
        ValueError: For cards that `equities` refuses, and for a range without a possible hand.
    """
    weights = np.asarray(weights, np.float64)
    if weights.shape != (NUM_HANDS,) or not (weights >= 0).all() or np.isinf(weights).any():
        raise ValueError(f"a range is {NUM_HANDS} finite weights from 0 on (see `parse_range`), not {weights.shape}")
    wanted = possible_hands(_check_cards(hand, board=board)) & (weights > 0)
    if not wanted.any():
        raise ValueError("no hand of the range is possible: each holds a card of `hand` or `board`")
    shares = _equities_against(hand, board, wanted)
    return float(shares[wanted] @ weights[wanted] / weights[wanted].sum())


def _equities_against(hand: Cards, board: Cards, wanted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the equities (1326,) of a hand against at least the `wanted` hands, NaN against impossible hands."""
    seen = _check_cards(hand, board=board)
    possible = possible_hands(seen)
    shares = np.full(NUM_HANDS, np.nan)
    if len(seen) > HOLE_CARDS:
        record = np.zeros(1, AGAINST_ALL)
        _write_against_all(record, np.array(seen, np.int64))
        shares[possible] = record[0]["chance"][possible]
        return shares
    representatives = _representatives(seen)
    for number in np.unique(representatives[possible & wanted]):
        shares[possible & (representatives == number)] = equities([hand, HANDS[number]])[0]
    return shares


def _representatives(hand: list[int]) -> NDArray[np.int64]:
    """Return for each opponent's hand (1326,) the first one with the same equity against `hand`.

    Two hands have the same equity if a permutation of the suits that maps `hand` to itself maps one to the other.
    """
    first = np.arange(NUM_HANDS)
    for suits in permutations(range(len(SUITS))):
        renamed = (np.arange(DECK_SIZE) & ~3) + np.tile(suits, DECK_SIZE // 4)
        if {*renamed[hand].tolist()} == {*hand}:
            low, high = np.sort(renamed[HANDS], axis=1).T
            first = np.minimum(first, low * (2 * DECK_SIZE - low - 1) // 2 + high - low - 1)
    return first


def _check_cards(*hands: Cards, board: Cards) -> list[int]:
    """Return the card ids of hands and board, the board last; ValueError if they cannot be dealt."""
    for hand in hands:
        if len(hand) != HOLE_CARDS:
            raise ValueError(f"a hand of {len(hand)} cards: give {HOLE_CARDS} card ids")
    if len(board) not in _BOARDS:
        raise ValueError(f"a board of {len(board)} cards: give 0, 3, 4 or 5 card ids")
    known = [index(card) for cards in (*hands, board) for card in cards]
    check_cards(known)
    return known


@kernel
def _write_equities(showdowns: Any, cards: Any, num_hands: Any) -> None:
    """Write the shares of `num_hands` hands; `cards` holds two cards of each hand, then the board."""
    s, used = showdowns[0], np.int64(0)
    known = len(cards) - HOLE_CARDS * num_hands
    s.num_seats = num_hands
    for card in cards:
        used |= np.int64(1) << card
    for seat in range(num_hands):
        s.key[seat] = CARD_KEYS[cards[2 * seat]] + CARD_KEYS[cards[2 * seat + 1]]
        s.bits[seat] = CARD_BITS[cards[2 * seat]] | CARD_BITS[cards[2 * seat + 1]]
        for k in range(HOLE_CARDS * num_hands, len(cards)):
            s.key[seat] += CARD_KEYS[cards[k]]
            s.bits[seat] |= CARD_BITS[cards[k]]
    list_rest(s, used)
    live = (np.int64(1) << num_hands) - 1
    if known == 0:
        write_shares_before_flop(s, live)
    else:
        write_shares(s, BOARD_SIZE - known, live)


@kernel
def _write_against_all(records: Any, cards: Any) -> None:
    """Write the equities of a hand; `cards` holds its two cards, then the board of three to five cards."""
    r = records[0]
    take_hand(r, cards[0], cards[1])
    for k in range(HOLE_CARDS, len(cards)):
        add_board_card(r, cards[k])
    try_all_boards(r, np.int64(len(cards) - HOLE_CARDS))
    finish(r)


# --- by sampling ---


@kernel
def share_of_deal(
    first: Any, second: Any, key: Any, bits: Any, used: Any, missing: Any, opponents: Any, seed: Any
) -> Any:
    """Return the actor's share, 0 to 1, in one random deal of the `missing` board cards and the opponents' hands.

    `key` and `bits` describe the known board cards (see `poker.ranks`); `used` is the set of cards that the actor sees.
    """
    for _ in range(missing):
        seed = splitmix64(seed)
        card = hash_to_unused_card(used, seed)
        used |= np.int64(1) << card
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    mine = rank_of(key + CARD_KEYS[first] + CARD_KEYS[second], bits | CARD_BITS[first] | CARD_BITS[second])
    winners = 1.0
    for _ in range(opponents):
        hand_key, hand_bits = key, bits
        for _ in range(HOLE_CARDS):
            seed = splitmix64(seed)
            card = hash_to_unused_card(used, seed)
            used |= np.int64(1) << card
            hand_key += CARD_KEYS[card]
            hand_bits |= CARD_BITS[card]
        rank = rank_of(hand_key, hand_bits)
        if rank < mine:
            return 0.0
        winners += rank == mine
    return 1.0 / winners


@kernel
def sample_share(
    first: Any, second: Any, key: Any, bits: Any, used: Any, missing: Any, opponents: Any, samples: Any, seed: Any
) -> Any:
    """Return the mean of `share_of_deal` over `samples` deals that depend only on the arguments."""
    total = 0.0
    for _ in range(samples):
        seed = splitmix64(seed)
        total += share_of_deal(first, second, key, bits, used, missing, opponents, seed)
    return total / samples
