"""Dozen, in one file: the rules, what a seat observes, and the arguments of the environment.

Twelve cards 1 .. 12 (numbers 0 .. 11) without suits, four for each of three seats. In each of four tricks every seat
plays a card, the winner of the last trick first; the highest card wins the trick. A trick is a point, the last one
`last_trick` points; everybody pays everybody else the difference in points.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.card_game import CardGame
from card_envs.cards import NO_CARD
from card_envs.compiler import kernel
from card_envs.game import NOBODY, Game, Tables, is_whole
from card_envs.game_info import GameInfo, Positions, Seats
from card_envs.observation import Block, Encoder, Layout
from card_envs.rng import random_below

NUM_SEATS, HAND_SIZE, NUM_CARDS = 3, 4, 12
BLOCKS = (
    Block("hand", NUM_CARDS, "1 for each card I hold", private=True),
    Block("played", (NUM_SEATS, NUM_CARDS), "cards that each seat has played, me first"),
    Block("trick", (NUM_SEATS, NUM_CARDS), "card of each seat in this trick, one-hot, me first"),
    Block("points", NUM_SEATS, "points of each seat as a share of all, me first"),
    Block("tricks", HAND_SIZE, "finished tricks, one-hot; none at the end"),
)
HAND, PLAYED, TRICK, POINTS, TRICKS = (place.start for place in Layout(BLOCKS).slices.values())


@kernel
def start(t: Any) -> None:
    """Draw who opens; it moves on with every deal."""
    t.opener = random_below(t, np.int64(NUM_SEATS))


@kernel
def begin(t: Any) -> None:
    """The next seat opens with the hands in the deck, four cards for each seat."""
    t.opener = (np.int64(t.opener) + 1) % NUM_SEATS
    for seat in range(NUM_SEATS):
        t.points[seat], t.played[seat] = 0, 0
        t.trick[seat] = NO_CARD
    t.num_tricks = 0
    t.leader, t.actor = t.opener, t.opener


@kernel
def is_legal(t: Any, action: Any) -> Any:
    """Return True if the actor holds the card."""
    first = np.int64(t.actor) * HAND_SIZE
    for k in range(first, first + HAND_SIZE):
        if t.deck[k] == action:
            return np.int64(t.played[t.actor]) >> action & 1 == 0
    return False


@kernel
def play(t: Any, action: Any) -> None:
    """Play a card that the actor holds."""
    seat = np.int64(t.actor)
    t.played[seat] = np.int64(t.played[seat]) | np.int64(1) << np.int64(action)
    t.trick[seat] = action
    t.actor = (seat + 1) % NUM_SEATS
    if t.actor == t.leader:
        _close_trick(t)


@kernel
def _close_trick(t: Any) -> None:
    winner = np.int64(0)
    for seat in range(1, NUM_SEATS):
        if t.trick[seat] > t.trick[winner]:
            winner = np.int64(seat)
    t.num_tricks += 1
    t.points[winner] += t.last_trick if t.num_tricks == HAND_SIZE else 1
    t.leader, t.actor = winner, winner
    if t.num_tricks == HAND_SIZE:
        t.actor = NOBODY
        for seat in range(NUM_SEATS):
            t.payoff[seat] = NUM_SEATS * t.points[seat] - (HAND_SIZE - 1 + t.last_trick)
    else:
        for seat in range(NUM_SEATS):
            t.trick[seat] = NO_CARD


@kernel
def sees(t: Any, seat: Any, k: Any) -> Any:
    """Return True for the cards of one's own; played cards are in the fields `played` and `trick`."""
    return k // HAND_SIZE == seat


@kernel
def write(t: Any, seat: Any, values: Any) -> None:
    """Write what a seat observes."""
    for k in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
        values[HAND + t.deck[k]] = 1 - (np.int64(t.played[seat]) >> np.int64(t.deck[k]) & 1)
    for k in range(NUM_SEATS):
        other = (seat + k) % NUM_SEATS
        for card in range(NUM_CARDS):
            values[PLAYED + k * NUM_CARDS + card] = np.int64(t.played[other]) >> card & 1
        if t.trick[other] != NO_CARD:
            values[TRICK + k * NUM_CARDS + t.trick[other]] = 1.0
        values[POINTS + k] = t.points[other] / (HAND_SIZE - 1 + t.last_trick)
    if t.num_tricks < HAND_SIZE:
        values[TRICKS + t.num_tricks] = 1.0


def write_text(t: Any, seat: int | None) -> str:
    """Return the table as lines of text."""
    lines = [f"trick {min(t.num_tricks + 1, HAND_SIZE)} of {HAND_SIZE}, player_{t.leader} leads"]
    for k in range(NUM_SEATS):
        dealt = sorted(t.deck[k * HAND_SIZE : (k + 1) * HAND_SIZE].tolist())
        held = [card for card in dealt if not int(t.played[k]) >> card & 1]
        hand = " ".join(str(card + 1) for card in held) if seat in (None, k) else "?"
        card = "-" if t.trick[k] == NO_CARD else t.trick[k] + 1
        turn = " *" if t.actor == k else ""
        lines.append(f"player_{k}: holds {hand}, plays {card}, has {t.points[k]} points, won {t.payoff[k]}{turn}")
    return "\n".join(lines)


def positions_of(tables: Tables) -> NDArray[np.int64]:
    """Return (n, 3): counted from the seat that opens."""
    first = tables["opener"].astype(np.int64)
    return np.asarray((np.arange(NUM_SEATS) - first[:, None]) % NUM_SEATS, np.int64)


DOZEN = CardGame(
    name="dozen",
    num_seats=NUM_SEATS,
    num_actions=NUM_CARDS,
    max_reward=2.0 * HAND_SIZE,
    num_cards=NUM_CARDS,
    fields=(
        ("opener", np.int8),  # seat that leads the first trick
        ("leader", np.int8),  # seat that leads this one
        ("num_tricks", np.int8),  # finished
        ("played", np.uint16, NUM_SEATS),  # set of cards, those of this trick included
        ("trick", np.uint8, NUM_SEATS),  # card of each seat, or NO_CARD
        ("points", np.int32, NUM_SEATS),
        ("last_trick", np.int32),  # what the last trick counts
    ),
    begin=begin,
    is_legal=is_legal,
    apply=play,
    sees=sees,
    blocks=BLOCKS,
    write=write,
    action_names=[f"play {card + 1}" for card in range(NUM_CARDS)],
    table_text=write_text,
    unit="points",
    start=start,
    max_decisions=NUM_CARDS,
    info=GameInfo(seats=Seats(NUM_SEATS, NUM_SEATS), positions=Positions(("first", "second", "third"), positions_of)),
    features={"statistics": "tests.third_game.statistics:make_statistics"},
)


@cache
def _rules(last_trick: int) -> CardGame:
    reward = 2.0 * (HAND_SIZE - 1 + last_trick)  # of a seat that takes all tricks
    return replace(DOZEN, settings={"last_trick": last_trick}, max_reward=reward, make=partial(dozen, last_trick))


def dozen(last_trick: int = 1, encoder: str | Encoder = "default") -> Game:
    """Return Dozen; the last trick counts `last_trick` points."""
    if not is_whole(last_trick) or not 1 <= last_trick <= 100:
        raise ValueError(f"last_trick {last_trick!r} must be a whole number in 1 .. 100")
    return _rules(int(last_trick)).game(encoder)
