"""Hold'em hands for tests: one table with its decisions as methods, and random hands recorded for a second engine."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from card_envs.cards import card_ids
from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import betting_options, has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.rng import seed_streams


class Options(NamedTuple):
    """What a seat may do; raise_to is None where raising is not allowed."""

    position: int
    may_fold: bool
    to_call: int
    raise_to: tuple[int, int] | None


class OneTable:
    """A table whose hand has just started; positions count from the first seat left of the button."""

    def __init__(
        self,
        config: HoldemConfig,
        *,
        button: int | None = None,
        stacks: Sequence[int] | None = None,
        deck: str | Sequence[int] = (),
        seed: int = 0,
    ) -> None:
        self.config = config
        self.tables = config.new_tables(1)
        seed_streams(self.tables, np.uint64(seed), np.uint64(0))
        self.t: Any = self.tables[0]
        if button is not None:
            self.t.button = button
        if stacks is not None:
            self.t.stack[: len(stacks)] = stacks
        cards = card_ids(deck) if isinstance(deck, str) else deck
        self.t.deck[: len(cards)] = cards
        kernels.deal_known(self.tables, 0, len(cards))

    @property
    def actor(self) -> int:
        return int(self.t.actor)

    @property
    def is_over(self) -> bool:
        return bool(self.t.is_over)

    def options(self) -> Options:
        may_fold, to_call, low, high = betting_options(self.tables, 0)
        return Options(
            self.position_of(self.actor), bool(may_fold), int(to_call), (int(low), int(high)) if high else None
        )

    def decide(self, kind: int, raise_to: int = 0) -> None:
        assert kernels.apply_decision(self.tables, 0, kind, raise_to) != ILLEGAL, (kind, raise_to, self.options())

    def play(self, decisions: str) -> OneTable:
        """Apply decisions such as "f c 6 c": fold, check or call, raise to six."""
        for word in decisions.split():
            if word in "fc":
                self.decide(FOLD if word == "f" else CALL)
            else:
                self.decide(RAISE, int(word))
        return self

    def step(self, *actions: int) -> OneTable:
        """Apply action ids."""
        for action in actions:
            assert kernels.step(self.tables, 0, action) != ILLEGAL, (action, self.options())
        return self

    def legal_actions(self) -> list[int]:
        """Return the ids that a copy of the table accepts."""
        return [a for a in range(self.config.num_actions) if kernels.step(self.tables.copy(), 0, a) != ILLEGAL]

    @property
    def seats(self) -> list[int]:
        """Seats by position: the first one left of the button comes first."""
        n = self.config.num_players
        return [(int(self.t.button) + 1 + position) % n for position in range(n)]

    def position_of(self, seat: int) -> int:
        return self.seats.index(seat)

    def by_seat(self, name: str) -> list[int]:
        return [int(chips) for chips in self.t[name][: self.config.num_players]]

    def by_position(self, name: str) -> list[int]:
        return [int(self.t[name][seat]) for seat in self.seats]

    def hole_cards_by_position(self) -> list[list[int]]:
        k = self.config.num_hole_cards
        return [[int(card) for card in self.t.deck[k * seat : k * seat + k]] for seat in self.seats]

    def board(self) -> list[int]:
        start = self.config.num_players * self.config.num_hole_cards
        return [int(card) for card in self.t.deck[start : start + sum(self.config.board_cards)]]


@dataclass
class Hand:
    """A hand as our engine played it, everything by position: what another engine needs to play it, and must find."""

    config: HoldemConfig
    stacks: list[int]
    hole_cards: list[list[int]]
    board: list[int]
    decisions: list[tuple[int, int]] = field(default_factory=list)
    trace: list[Options] = field(default_factory=list)
    payoffs: list[int] = field(default_factory=list)
    commits: list[int] = field(default_factory=list)
    folded: list[bool] = field(default_factory=list)
    streets: list[int] = field(default_factory=list)
    """By decision."""
    behind: list[int] = field(default_factory=list)
    """By decision: chips that the player has left after it."""


@dataclass(frozen=True)
class Found:
    """What an engine finds when it plays the decisions of a hand."""

    trace: tuple[Options, ...]
    """By decision, as far as it came; seats that can only check are not asked."""
    payoffs: tuple[Fraction, ...]
    """By position; empty if a decision was refused."""
    refused: int | None
    """Index of the decision that is illegal."""


Choose = Callable[[random.Random, OneTable, Options], tuple[int, int]]


def choose_any(rng: random.Random, table: OneTable, options: Options) -> tuple[int, int]:
    """Return a random decision: calls, raises near both ends of the range, few folds."""
    roll = rng.random()
    if options.may_fold and roll < 0.12:
        return FOLD, 0
    if options.raise_to is None or roll < 0.6:
        return CALL, 0
    low, high = options.raise_to
    size = rng.choice((low, low, min(low + 1, high), min(low + rng.randint(0, 8), high), rng.randint(low, high), high))
    return RAISE, size


def choose_all_in_often(rng: random.Random, table: OneTable, options: Options) -> tuple[int, int]:
    """Return a random decision that moves short stacks in, so that all-ins below a full raise are common."""
    if options.raise_to is None:
        return (FOLD, 0) if options.may_fold and rng.random() < 0.1 else (CALL, 0)
    low, high = options.raise_to
    if high - low < 4 * table.config.min_bet and rng.random() < 0.7:
        return RAISE, high
    return (RAISE, low) if rng.random() < 0.3 else choose_any(rng, table, options)


def random_hand(
    rng: random.Random, config: HoldemConfig, choose: Choose = choose_any, deck: Sequence[int] = ()
) -> Hand:
    """Play a hand with random button and decisions, and random cards behind those of `deck`."""
    table = OneTable(config, button=rng.randrange(config.num_players), seed=rng.getrandbits(63), deck=deck)
    hand = Hand(
        config, [config.stack_list[seat] for seat in table.seats], table.hole_cards_by_position(), table.board()
    )
    while not table.is_over:
        options = table.options()
        decision = choose(rng, table, options)
        hand.trace.append(options)
        hand.decisions.append(decision)
        hand.streets.append(int(table.t.street))
        seat = table.actor
        before = int(table.t.stack[seat]) + int(table.t.hand_commit[seat])
        table.decide(*decision)
        hand.behind.append(before - int(table.t.hand_commit[seat]))
    hand.payoffs, hand.commits = table.by_position("payoff"), table.by_position("hand_commit")
    hand.folded = [not has(table.t.in_hand, seat) for seat in table.seats]
    return hand


def random_stacks(rng: random.Random, num_players: int, big_blind: int) -> tuple[int, ...]:
    """Return uneven stacks: some below a blind, most of some big blinds, some deep."""
    kinds = (
        lambda: rng.randint(1, max(1, big_blind)),
        lambda: rng.randint(1, 6 * big_blind),
        lambda: rng.randint(5 * big_blind, 30 * big_blind),
        lambda: rng.randint(20 * big_blind, 300 * big_blind),
    )
    return tuple(rng.choices(kinds, (1, 3, 3, 2))[0]() for _ in range(num_players))
