"""The hands that a seat of heads-up Texas hold'em may hold, for best responses that keep a range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import NO_CARD
from card_envs.game import Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.evaluation.range_equity import equities_against
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.typing import Floats, Rows

_BOARD_SIZE, _FIRST_BOARD_CARD = 5, 4


class HoldemHiddenHands:
    """All hands of two cards (`card_envs.game_info.HiddenHands`)."""

    def __init__(self, num_actions: int) -> None:
        self.num_hands = NUM_HANDS
        self.fold, self.call = FOLD_ACTION, CALL_ACTION
        self.raises = range(FIRST_RAISE_ACTION, num_actions)

    def assign_hands(self, tables: Tables, seats: Rows, hands: Rows) -> None:
        """Replace the hole cards of seats[j] at tables[j] by hand hands[j], in place."""
        rows = np.arange(len(seats))
        for k in range(2):
            tables["deck"][rows, 2 * seats + k] = HANDS[hands, k]

    def possible_hands(self, tables: Tables, seats: Rows) -> NDArray[np.bool_]:
        """Return (n, 1326): the hands that share no card with the board or the hole cards of `seats`."""
        rows = np.arange(len(seats))
        seen = np.zeros((len(seats), 256), bool)
        for k in range(2):
            seen[rows, tables["deck"][rows, 2 * seats + k]] = True
        for cards in self.boards(tables).T:
            seen[rows, cards] |= cards != NO_CARD
        return np.asarray(~(seen[:, HANDS[:, 0]] | seen[:, HANDS[:, 1]]))

    def boards(self, tables: Tables) -> NDArray[np.uint8]:
        """Return (n, 5): the cards on the board, NO_CARD for those to come."""
        shown = np.cumsum(tables["board_cards"], axis=1)[np.arange(len(tables)), tables["street"]]
        cards = tables["deck"][:, _FIRST_BOARD_CARD : _FIRST_BOARD_CARD + _BOARD_SIZE]
        return np.asarray(np.where(np.arange(_BOARD_SIZE) < shown[:, None], cards, np.uint8(NO_CARD)))

    def equities(self, tables: Tables, seats: Rows, random_numbers: Floats, num_boards: int) -> Floats:
        """Return (n, 1326): the equities of `equities_against`."""
        return np.asarray(equities_against(tables, seats, random_numbers, num_boards))

    def stakes(self, tables: Tables, seats: Rows) -> tuple[Floats, Floats, Floats]:
        """Return the pot, the chips to call and the hand commitments of `seats`: (n,) chips each."""
        rows = np.arange(len(seats))
        owed = tables["current_bet"] - tables["street_commit"][rows, seats]
        owed = np.minimum(owed, tables["stack"][rows, seats])
        put_in = tables["hand_commit"][rows, seats]
        return tables["pot"].astype(np.float64), owed.astype(np.float64), put_in.astype(np.float64)
