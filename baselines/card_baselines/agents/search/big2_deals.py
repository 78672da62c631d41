"""Sampling of hidden hands in Big 2, and a fast rollout policy that plays a deal to its end."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.big2_greedy import has_somebody_few_cards, largest_play
from card_envs.compiler import kernel
from card_envs.games.big2.combos import ONE_PER_RANK, rank_counts, ranks_present, run_starts
from card_envs.games.big2.state import HAND_SIZE, NUM_SEATS
from card_envs.games.big2.tricks import act, give_card
from card_envs.rng import random_below, seed_stream

_DECK_SIZE = NUM_SEATS * HAND_SIZE


@kernel
def deal_unseen(t: Any, seed: Any, number: Any) -> None:
    """Deal the cards that the actor of a view does not see to the other seats, as many as each holds.

    All such deals are equally likely; `seed` and `number` determine the deal. Changes the view into a complete table.
    """
    seed_stream(t, np.uint64(seed), np.uint64(number))
    seen, left = t.held[t.actor], np.int64(0)
    for seat in range(NUM_SEATS):
        seen |= t.played[seat]
        if seat != t.actor:
            left += t.num_cards[seat]
    missing = np.int64(0)  # number of cards still to deal to each seat, eight bits each
    for seat in range(NUM_SEATS):
        if seat != t.actor:
            missing |= np.int64(t.num_cards[seat]) << 8 * seat
            t.num_cards[seat] = 0
    for order in range(_DECK_SIZE):
        if seen >> order & 1 == 0 and left > 0:  # the other seats may hold fewer cards than are unseen
            seat = 0
            place = random_below(t, left)
            while place >= missing >> 8 * seat & 0xFF:
                place -= missing >> 8 * seat & 0xFF
                seat += 1
            missing -= np.int64(1) << 8 * seat
            left -= 1
            give_card(t, seat, order)


@kernel
def play_out(t: Any) -> None:
    """Play a deal to its end, with the policy of `big2_greedy` at all seats.

    It takes the legal play with most cards, then the one whose top card is lowest, and does not follow with a single
    that is part of a combination unless an opponent has few cards.
    """
    while t.is_over == 0:
        act(t, largest_play(t, find_kept_positions(t)))


@kernel
def find_kept_positions(t: Any) -> Any:
    """Return the set of positions whose cards the actor does not play as singles in this turn."""
    kept = np.int64(0)
    if t.trick_size != 1 or t.num_legal == 1 or has_somebody_few_cards(t):
        return kept
    held = t.held[t.actor]
    counts = rank_counts(held)
    runs = run_starts(ranks_present(held))
    ranks = ((counts >> 1 | counts >> 2) & ONE_PER_RANK) | runs | runs << 4 | runs << 8 | runs << 12 | runs << 16
    for position in range(t.num_cards[t.actor]):
        kept |= (ranks >> 4 * (np.int64(t.hand[t.actor, position]) >> 2) & 1) << position
    return kept
