"""`HandRecord`: a recorded hand of hold'em in terms of the engine, whatever format it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from card_envs.cards import NO_CARD
from card_envs.games.holdem.config import HoldemConfig
from card_envs.history.results import Number

DEAL_HOLE, DEAL_BOARD, SHOW, MUCK, REMARK = 3, 4, 5, 6, 7
"""Kinds of moves besides FOLD, CALL and RAISE (0, 1, 2), which the hold'em kernels define."""


class Move(NamedTuple):
    """One action of a hand."""

    kind: int
    """FOLD, CALL, RAISE, DEAL_HOLE, DEAL_BOARD, SHOW, MUCK or REMARK."""
    seat: int = -1
    """Seat that acts or is dealt cards, 0 for the first seat left of the button; -1 for the board, for remarks, and for
    the seat to act if the replay of the format finds it."""
    amount: Number = 0
    """Chips on this street after a RAISE, in the unit of the file, unless the replay of the format counts differently;
    0 for other kinds, and where none is recorded."""
    cards: tuple[int, ...] = ()
    """Card ids; `NO_CARD` for unknown cards. SHOW without cards shows the cards that were dealt."""
    stated: Number | None = None
    """Chips that the file says a call costs, or a raise adds to the current bet; None if it does not say it."""
    is_all_in: bool = False
    """True if the file says that the player has no chips left after the action."""


@dataclass(frozen=True)
class HandRecord:
    """One hand. Tuples by seat begin with the first seat left of the button and end with the button."""

    source: str
    """File of the hand, and its position there."""
    config: HoldemConfig
    """The game, with chips in units of 1 / `scale` of the file's."""
    stacks: tuple[int, ...]
    """Chips of our tables by seat."""
    known: tuple[int, ...]
    """Card ids in the order of a table's deck field; NO_CARD for unknown cards."""
    moves: tuple[Move, ...]
    texts: tuple[str, ...] = ()
    """Moves as the file writes them; empty for a hand of a match."""
    results: dict[str, Sequence[Number]] = field(default_factory=dict)
    """Recorded results by seat, each under its name: "finishing_stacks", "winnings" (chips from the pots) or "values"
    (chips won or lost)."""
    returned: tuple[Number, ...] = ()
    """Chips by seat that the file says are returned as uncalled; empty if it says nothing."""
    pot: Number | None = None
    """Total pot, without uncalled chips, that the file states; None if it states none."""
    names: tuple[str, ...] = ()
    """Names of the players; empty where none are recorded."""
    number: int = 0
    """Number of the hand in a match, from 0."""
    seats: tuple[int, ...] = ()
    """Seats of the players in a match."""
    scale: int | Fraction = 1
    """Chips of our tables per unit of the file."""

    def chips(self, amount: Number) -> int:
        """Convert an amount of the file to our chips."""
        return int(amount) if self.scale == 1 else int(Fraction(amount) * self.scale)

    def amount(self, chips: int) -> Number:
        """Convert our chips to an amount of the file."""
        if self.scale == 1:
            return chips
        exact = Fraction(chips) / self.scale
        return int(exact) if exact.denominator == 1 else Decimal(exact.numerator) / exact.denominator

    @property
    def hole_cards(self) -> list[tuple[int, ...]]:
        """Hole cards by seat."""
        k = self.config.num_hole_cards
        return [self.known[k * seat : k * seat + k] for seat in range(len(self.stacks))]

    @property
    def boards(self) -> list[tuple[int, ...]]:
        """Board cards of each street after the first that was dealt."""
        return [move.cards for move in self.moves if move.kind == DEAL_BOARD]

    def has_hidden_cards(self, seat: int) -> bool:
        """Return True if a hole card of a seat is unknown."""
        return NO_CARD in self.hole_cards[seat]
