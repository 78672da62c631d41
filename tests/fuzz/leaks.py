"""What a seat cannot see changes nothing that it gets: observation, mask, view, text, picture.

A copy of a table gets other cards in all places that the seat cannot see, and another random stream. Whatever depends
on them then differs, sooner or later.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.big2.actions import NUM_ACTIONS
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.state import MAX_LEGAL
from card_envs.games.big2.state import NUM_SEATS as BIG2_SEATS
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.view import is_shown, reaches_showdown
from card_envs.observation import Encoder, mask_records, observation_records
from card_envs.rendering.pictures import draw_table
from card_envs.rng import next_uint64, random_below
from tests.fuzz.check import Difference
from tests.fuzz.games import Named, random_game, states
from tests.helpers.wide_games import MASK_WIDTH, WIDTH

TABLES, DECISIONS = 1024, 30
ROWS_AS_TEXT = 4
"""Of each batch; text is made by plain Python."""


@kernel
def hide_holdem(tables: Any, seats: Any) -> None:
    """Put random other cards into all places of tables[j] that seats[j] cannot see."""
    for j in range(tables.shape[0]):
        t = tables[j]
        k, first = np.int64(t.num_hole_cards), np.int64(t.num_seats) * t.num_hole_cards
        dealt = first
        for street in range(t.num_streets):
            dealt += t.board_cards[street]
        shown = dealt if reaches_showdown(t) else first + num_board_cards(t)
        used, hidden = np.int64(0), np.int64(0)
        for place in range(dealt):
            owner = place // k
            if (place < first and (owner == seats[j] or is_shown(t, owner))) or first <= place < shown:
                used |= np.int64(1) << np.int64(t.deck[place])
            else:
                hidden |= np.int64(1) << place
        for place in range(dealt):
            while (hidden >> place) & 1:
                drawn = random_below(t, np.int64(t.deck_size))
                card = 4 * (np.int64(t.lowest_rank) + drawn // t.num_suits) + drawn % t.num_suits
                if (used >> card) & 1 == 0:
                    t.deck[place] = card
                    used |= np.int64(1) << card
                    hidden &= ~(np.int64(1) << place)
        next_uint64(t)


@kernel
def hide_big2(tables: Any, seats: Any) -> None:
    """Deal the cards that seats[j] cannot see at tables[j] anew among the others, who keep their numbers of cards.

    The list of legal actions is the actor's: other seats must not depend on it, nor anybody on what stands behind it.
    """
    for j in range(tables.shape[0]):
        t = tables[j]
        pool, left = np.int64(0), np.int64(0)
        for other in range(BIG2_SEATS):
            if other != seats[j]:
                pool |= t.held[other]
                left += t.num_cards[other]
                t.held[other] = 0
        for order in range(52):
            if (pool >> order) & 1:
                place = random_below(t, left)
                left -= 1
                _give(t, seats[j], place, order)
        if t.actor != seats[j] and t.is_over == 0:
            t.num_legal = 1 + random_below(t, np.int64(20))
            for k in range(t.num_legal):
                t.legal[k] = random_below(t, np.int64(NUM_ACTIONS))
        for k in range(t.num_legal, MAX_LEGAL):
            t.legal[k] = random_below(t, np.int64(NUM_ACTIONS))


@kernel
def _give(t: Any, seat: Any, place: Any, order: Any) -> None:
    """Give a card to the other seat in whose free places the `place`-th one lies; cards come in ascending order."""
    for other in range(BIG2_SEATS):
        if other == seat:
            continue
        have = np.int64(0)
        cards = t.held[other]
        while cards:
            cards &= cards - 1
            have += 1
        free = np.int64(t.num_cards[other]) - have
        if place < free:
            t.hand[other, have] = order
            t.held[other] |= np.int64(1) << order
            return
        place -= free


class Eyes:
    """Buffers for what one encoder shows of a batch: wide enough for all games, so that its kernel compiles once."""

    def __init__(self, game: Game) -> None:
        self.encoder: Encoder = game.encoder
        width = WIDTH if game.layout.dtype == np.float32 else game.layout.size
        self.numbers = np.zeros((TABLES, width), game.layout.dtype)
        self.mask = np.zeros((TABLES, max(MASK_WIDTH, game.num_actions)), np.int8)
        self._records = observation_records(self.numbers), mask_records(self.mask)

    def look(self, tables: Tables, seats: NDArray[Any]) -> None:
        """Write what seats[j] sees of tables[j]."""
        numbers, masks = self._records
        observe = self.encoder.observe
        for j, seat in enumerate(seats.tolist()):
            observe(tables, j, seat, numbers[j : j + 1], masks[j : j + 1])


def leaks_through(encoder: str) -> Callable[[int], int]:
    """Return the check of one encoder: seed -> number of states, each seen by one seat before and after."""

    def check(seed: int) -> int:
        rng = random.Random(seed)
        return look_for_leaks(random_game(rng, encoder), seed)

    return check


def look_for_leaks(named: Named, seed: int) -> int:
    """Play one game and compare what seats get in every state, with the cards as they are and with others."""
    game, rng = named.game, np.random.default_rng(seed)
    before, after = Eyes(game), Eyes(game)
    hide = hide_big2 if isinstance(game.config, Big2Config) else hide_holdem
    views, other_views = game.new_tables(TABLES), game.new_tables(TABLES)
    rows, count = np.arange(TABLES), 0
    for number, tables in enumerate(states(game, TABLES, seed, DECISIONS)):
        seats = rng.integers(game.num_seats, size=TABLES)
        others = tables.copy()
        hide(others, seats)
        before.look(tables, seats)
        after.look(others, seats)
        wrong = np.flatnonzero((before.numbers != after.numbers).any(axis=1) | (before.mask != after.mask).any(axis=1))
        if len(wrong):
            report(named, tables, int(wrong[0]), int(seats[wrong[0]]), blocks_of(game, before, after, int(wrong[0])))
        game.censor_batch(tables, rows, seats, views)
        game.censor_batch(others, rows, seats, other_views)
        if views.tobytes() != other_views.tobytes():
            row = next(j for j in range(TABLES) if views[j].tobytes() != other_views[j].tobytes())
            report(named, tables, row, int(seats[row]), "the view")
        for j in rng.integers(TABLES, size=ROWS_AS_TEXT).tolist():
            if game.text(tables, j, int(seats[j])) != game.text(others, j, int(seats[j])):
                report(named, tables, j, int(seats[j]), "the text")
        if number % DECISIONS == DECISIONS // 2:
            compare_pictures(named, tables, others, int(seats[0]))
        count += TABLES
    return count


def compare_pictures(named: Named, tables: Tables, others: Tables, seat: int) -> None:
    """Compare the pictures of the first table, where Pillow is installed."""
    try:
        import PIL  # noqa: F401
    except ModuleNotFoundError:
        return

    draw = partial(draw_table, named.game)
    if not np.array_equal(draw(tables[:1], seat), draw(others[:1], seat)):
        report(named, tables, 0, seat, "the picture")


def blocks_of(game: Game, before: Eyes, after: Eyes, row: int) -> str:
    """Return in words which blocks of an observation differ."""
    changed = before.numbers[row] != after.numbers[row]
    names = [name for name, place in game.layout.slices.items() if changed[place].any()]
    return f"the observation: blocks {names}" if names else "the mask"


def report(named: Named, tables: Tables, row: int, seat: int, what: str) -> None:
    """Raise the Difference: what a seat gets depends on what it cannot see."""
    deal = f"table {row}, seat {seat}\n{named.game.text(tables, row, None)}"
    raise Difference(named.words, deal, f"{what} changes with cards that the seat cannot see")
