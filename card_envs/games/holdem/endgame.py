"""Endgames: heads-up hold'em from the middle of a hand on, with a given board, pot, stacks and ranges.

Solvers and search algorithms are tested on endgames. Actions, observations and kernels are those of the game with the
same settings. Only the start of a hand is different: it begins on the street of the board, without blinds, with half of
the pot from each seat, and with hole cards drawn from the ranges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import card_id, card_ids, card_name
from card_envs.game import NOBODY, Game, check_list, is_whole
from card_envs.games.holdem import kernels
from card_envs.games.holdem.betting import give_turn, largest_amount
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import check_deck, holdem_game
from card_envs.games.holdem.state import MAX_CHIPS, MENU_INTEGERS, Table
from card_envs.observation import Encoder
from card_envs.poker.hands import HANDS, NUM_HANDS, hand_number
from card_envs.records import Tables
from card_envs.rng import random_unit

__all__ = ["Endgame"]

SEATS, _HOLE_CARDS = 2, 2

Range = Mapping[str, float] | Sequence[float] | NDArray[np.floating[Any]] | None
"""Weights of the 1,326 hands in the order of `card_envs.poker.hands.HANDS`, or a mapping from hands such as "AsKd" to
weights; None for equal weights."""
Board = str | Sequence[int | str]
"""Board cards by id or name."""


@dataclass(frozen=True, eq=False)
class Endgame:
    """The rest of a heads-up hand. Position 0, left of the button, acts first; position 1 has the button.

    Raises:
        ValueError: For repeated cards, a board without a street, a pot or stacks out of range, and ranges with another
            shape or without a possible hand.

    Example:
        >>> endgame = Endgame(HoldemConfig.limit(), "As Kd 7c 2h 2s", pot=12, stacks=(40, 40))
        >>> endgame.game().name
        'endgame'
    """

    config: HoldemConfig
    """Settings of the game. Its blinds, antes and stacks are not used."""
    board: Board
    """All cards on the board, by id or name."""
    pot: int
    """Chips in the middle; half of them from each seat."""
    stacks: tuple[int, int]
    """Chips behind, by position."""
    ranges: tuple[Range, Range] = (None, None)
    """Ranges of the seats, by position."""
    cards: NDArray[np.int64] = field(init=False)
    """Card ids of the board."""
    street: int = field(init=False)
    """The street on which the betting begins."""
    weights: NDArray[np.float64] = field(init=False)
    """(2, 1326): the ranges, 0 for hands with a card of the board; each sums to 1."""
    _pairs: NDArray[np.float64] = field(init=False)
    """(1326,): probability that position 0 holds each hand, given that no card is dealt twice."""

    def __post_init__(self) -> None:
        """Check the arguments and compute the other fields."""
        config = self.config
        if config.num_players != SEATS or config.num_hole_cards != _HOLE_CARDS:
            raise ValueError(
                f"an endgame is for {SEATS} players with {_HOLE_CARDS} hole cards, this game has {config.num_players} "
                f"and {config.num_hole_cards}: choose another config"
            )
        object.__setattr__(self, "cards", self._check_board())
        shown = np.cumsum(config.board_cards).tolist()
        object.__setattr__(self, "street", shown.index(len(self.cards)))
        self._check_chips()
        if len(check_list("ranges", self.ranges)) != SEATS:
            raise ValueError(
                f"ranges are {len(self.ranges)} for {SEATS} players: give {SEATS}, None for all hands alike"
            )
        object.__setattr__(
            self, "weights", np.array([self._check_range(k, given) for k, given in enumerate(self.ranges)])
        )
        pairs = self.weights[0] * np.array(
            [self.weights[1][_without_cards_of(hand)].sum() for hand in range(NUM_HANDS)]
        )
        if not pairs.sum() > 0:
            raise ValueError(
                "ranges: every hand of position 0 shares a card with every hand of position 1, so none can be dealt: "
                "give at least two hands without a card in common"
            )
        object.__setattr__(self, "_pairs", pairs / pairs.sum())

    def _check_board(self) -> NDArray[np.int64]:
        given = card_ids(self.board) if isinstance(self.board, str) else check_list("board", self.board)
        cards = [card_id(card) if isinstance(card, str) else card for card in given]
        allowed = sorted({int(shown) for shown in np.cumsum(self.config.board_cards)} - {0})
        if len(cards) not in allowed:
            wanted = " or ".join(map(str, allowed))
            raise ValueError(f"board has {len(cards)} cards: betting begins with {wanted} in this game")
        for place, card in enumerate(cards):
            if not is_whole(card) or card not in self.config.deck_cards:
                raise ValueError(f"board[{place}] = {card!r} is not a card of this deck")
            if card in cards[:place]:
                raise ValueError(f"board[{place}] = {card_name(int(card))} is on the board twice: give each card once")
        return np.array(cards, np.int64)

    def _check_chips(self) -> None:
        if not is_whole(self.pot) or self.pot < 2 or self.pot % 2:
            raise ValueError(
                f"pot {self.pot!r} must be an even number of chips from 2 on: half of it is from each seat"
            )
        stacks = check_list("stacks", self.stacks)
        object.__setattr__(self, "pot", int(self.pot))  # NumPy's integers of 8 bits overflow at 256
        object.__setattr__(self, "stacks", tuple(stacks))
        if len(stacks) != SEATS:
            raise ValueError(f"stacks {self.stacks} are {len(self.stacks)} numbers for {SEATS} players: give {SEATS}")
        most = MAX_CHIPS - self.pot // 2
        if self.config.menu.kind == MENU_INTEGERS:  # action ids stand for amounts up to the largest stack
            most = min(most, max(self.config.stack_list))
        for position, stack in enumerate(self.stacks):
            if not is_whole(stack) or not 1 <= stack <= most:
                raise ValueError(
                    f"stack {stack!r} of position {position} must be a whole number of chips in 1 .. {most} beside a "
                    f"pot of {self.pot}"
                )

    def _check_range(self, position: int, given: Range) -> NDArray[np.float64]:
        name, weights = f"range of position {position}", np.ones(NUM_HANDS)
        if isinstance(given, Mapping):
            weights = np.zeros(NUM_HANDS)
            for hand, weight in given.items():
                pair = card_ids(hand)
                if len(pair) != _HOLE_CARDS or pair[0] == pair[1]:
                    raise ValueError(f"{name}: {hand!r} is not a hand: write two cards, such as 'AsKd'")
                weights[hand_number(pair[0], pair[1])] = weight
        elif given is not None:
            weights = np.array(given, np.float64)
        if weights.shape != (NUM_HANDS,):
            raise ValueError(f"{name} has the shape {weights.shape}: give {NUM_HANDS:,} weights, or hands with weights")
        if not np.isfinite(weights).all() or weights.min() < 0:
            raise ValueError(f"{name} has weights below 0 or that are not finite: give weights from 0 on")
        is_free = np.isin(HANDS, self.config.deck_cards).all(axis=1) & ~np.isin(HANDS, self.cards).any(axis=1)
        possible = np.where(is_free, weights, 0.0)
        if not possible.sum() > 0:
            raise ValueError(
                f"{name} sums to {weights.sum():g}, and to 0 without the cards of the board: give at least one hand"
            )
        return np.asarray(possible / possible.sum(), np.float64)

    def game(self, encoder: str | Encoder = "default") -> Game:
        """Return the endgame as a `Game`, with the actions and observations of the game with its settings."""
        settings = {f.name: getattr(self.config, f.name) for f in fields(HoldemConfig)}
        base = holdem_game("endgame", EndgameConfig(**settings, endgame=self), encoder)
        return replace(
            base,
            make=self.game,
            max_reward=(self.pot + 2 * min(self.stacks)) / 2 / self.config.chips_per_reward,
            option_names=("button", "deck"),
            deal=self._deal,
            deal_batch=self._deal_batch,
            step_batch=self._step_batch,
            deal_with=self._deal_with,
            features=dict.fromkeys(("chance", "enumeration", "control_terms", "hidden_hands")),
        )

    def start(self, tables: Tables, i: int, button: int, hole_cards: Sequence[int]) -> int:
        """Begin the hand at table i with the hole cards of seat 0 and seat 1; return the seat to act."""
        t: Table = tables[i]
        t.blind[:] = 0
        t.ante[:] = 0
        largest = int(largest_amount(self.config.new_tables(1)[0]))
        t.ante[:SEATS] = self.pot // 2
        stacks = [self.stacks[(seat - button - 1) % SEATS] + self.pot // 2 for seat in range(SEATS)]
        kernels.begin_hand(tables, i, button, stacks, [*hole_cards, *self.cards.tolist()])
        t.street = self.street
        t.largest_amount = max(largest, self.pot // 2 + max(self.stacks))
        give_turn(t, int(t.actor))  # sets the legal actions of this street
        return int(t.actor)

    def draw(self, first: float, second: float) -> list[int]:
        """Return random hole cards of position 0 and position 1, determined by two random numbers in [0, 1)."""
        hand = _pick(self._pairs, first)
        other = _pick(np.where(_without_cards_of(hand), self.weights[1], 0.0), second)
        return [int(card) for card in (*HANDS[hand], *HANDS[other])]

    def _deal(self, tables: Tables, i: int) -> int:
        t: Table = tables[i]
        button = (int(t.button) + 1) % SEATS if self.config.button_moves else int(t.button)
        cards = self.draw(float(random_unit(t)), float(random_unit(t)))
        return self.start(
            tables, i, button, cards if button == SEATS - 1 else cards[_HOLE_CARDS:] + cards[:_HOLE_CARDS]
        )

    def _deal_batch(self, tables: Tables, rows: NDArray[np.int64]) -> None:
        for row in rows.tolist():
            self._deal(tables, row)

    def _step_batch(self, tables: Tables, rows: Any, actions: Any, rewards: Any, is_over: Any, redeal: bool) -> int:
        illegal = int(kernels.LOOPS["step_batch"](tables, rows, actions, rewards, is_over, False))
        if redeal and illegal < 0:
            self._deal_batch(tables, rows[tables["actor"][rows] == NOBODY])
        return illegal

    def _deal_with(self, tables: Tables, i: int, options: Mapping[str, Any]) -> int:
        """Begin a hand with a given button and four given hole cards (`deck`)."""
        button = options.get("button", (int(tables[i].button) + 1) % SEATS)
        if not is_whole(button) or not 0 <= button < SEATS:
            raise ValueError(f"button {button!r} must be a seat in 0..{SEATS - 1}")
        if "deck" not in options:
            if "button" not in options:
                return self._deal(tables, i)
            tables[i].button = (button + 1) % SEATS if self.config.button_moves else button
            return self._deal(tables, i)
        deck = check_deck(self.config, options["deck"])
        clash = sorted({*deck} & {*self.cards.tolist()})
        if len(deck) != SEATS * _HOLE_CARDS or clash:
            also = f", of which {card_name(clash[0])} is on the board" if clash else ""
            raise ValueError(
                f"deck has {len(deck)} cards{also}: give the {SEATS * _HOLE_CARDS} hole cards of player_0 and player_1"
            )
        return self.start(tables, i, int(button), deck)


@dataclass(frozen=True)
class EndgameConfig(HoldemConfig):
    """The settings of an endgame."""

    endgame: Endgame | None = field(default=None, compare=False)


def _without_cards_of(hand: int) -> NDArray[np.bool_]:
    """Return (1326,): the hands that share no card with a hand."""
    return np.asarray(~np.isin(HANDS, HANDS[hand]).any(axis=1))


def _pick(weights: NDArray[np.float64], random_number: float) -> int:
    sums = np.cumsum(weights)
    return int(np.searchsorted(sums, random_number * sums[-1], side="right"))
