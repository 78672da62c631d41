"""The possible hands of a seat in heads-up Texas hold'em, for best responses that keep a range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import NO_CARD
from card_envs.game import Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.evaluation.range_equity import equities_against
from card_envs.poker.hands import BOARD_SIZE, HANDS, HOLE_CARDS, NUM_HANDS
from card_envs.typing import Floats, Rows

_FIRST_BOARD_CARD = 2 * HOLE_CARDS


class HoldemHiddenHands:
    """The 1,326 hands of two cards as `card_envs.game_info.HiddenHands`."""

    def __init__(self, num_actions: int) -> None:
        self.num_hands = NUM_HANDS
        self.fold, self.call = FOLD_ACTION, CALL_ACTION
        self.raises = range(FIRST_RAISE_ACTION, num_actions)

    def assign_hands(self, tables: Tables, seats: Rows, hands: Rows) -> None:
        """Replace the hole cards of seats[j] at tables[j] by those of hands[j], in place."""
        rows = np.arange(len(seats))
        for k in range(2):
            tables["deck"][rows, 2 * seats + k] = HANDS[hands, k]

    def possible_hands(self, tables: Tables, seats: Rows) -> NDArray[np.bool_]:
        """Return (n, 1326): True for hands without cards of the board or the hole cards of `seats`."""
        rows = np.arange(len(seats))
        seen = np.zeros((len(seats), 256), bool)
        for k in range(2):
            seen[rows, tables["deck"][rows, 2 * seats + k]] = True
        for cards in self.boards(tables).T:
            seen[rows, cards] |= cards != NO_CARD
        return np.asarray(~(seen[:, HANDS[:, 0]] | seen[:, HANDS[:, 1]]))

    def boards(self, tables: Tables) -> NDArray[np.uint8]:
        """Return (n, 5): the board cards, NO_CARD for cards to come."""
        shown = tables["cards_shown"][np.arange(len(tables)), tables["street"]]
        cards = tables["deck"][:, _FIRST_BOARD_CARD : _FIRST_BOARD_CARD + BOARD_SIZE]
        return np.asarray(np.where(np.arange(BOARD_SIZE) < shown[:, None], cards, np.uint8(NO_CARD)))

    def equities(self, tables: Tables, seats: Rows, random_numbers: Floats, num_boards: int) -> Floats:
        """Return (n, 1326): the equity of seats[j] against each hand, see `equities_against`."""
        return np.asarray(equities_against(tables, seats, random_numbers, num_boards))

    def stakes(self, tables: Tables, seats: Rows) -> tuple[Floats, Floats, Floats]:
        """Return the pot, the chips to call and the hand commitment of `seats`, each (n,), in chips."""
        rows = np.arange(len(seats))
        owed = tables["current_bet"] - tables["street_commit"][rows, seats]
        owed = np.minimum(owed, tables["stack"][rows, seats])
        put_in = tables["hand_commit"][rows, seats]
        return tables["pot"].astype(np.float64), owed.astype(np.float64), put_in.astype(np.float64)
