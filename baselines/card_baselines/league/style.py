"""How an agent plays no-limit hold'em, as numbers: what it does in thousands of situations made for the purpose.

Kaminsky and Liebendörfer (2020), section 3.3.2: an agent is asked what it does with hands of every strength, for each
number of cards on the board, seat, number of players left and investment, 4,320 situations in all; how often it takes
each of 53 kinds of actions is its *strategy vector*. Everybody gets the same hands and, where agents draw from their
decisions' numbers, the same luck. Aggression and tightness (section 3.3.3) are read from the vector.

The paper does not print the values of players and investment. Here 2, 4 or 6 players are left: the seat itself and
those who sit left of it. An investment is what the seat has put in, 2, 6 or 20 big blinds, and whether it is pressed.
Each situation is reached by legal decisions, so that agents which read the betting find it complete: before the flop
the seat has raised to its investment, and its left neighbour raises to twice (pressed: five times) as much; later,
everybody put the same in before the flop, and on the street in question the seat may check, or (pressed) faces a bet of
the pot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import SupportsAct, decisions_at, require_playable
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import amount_to_call, raise_to_of
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem
from card_envs.games.holdem.showdown import num_board_cards, percentile_at
from card_envs.games.holdem.state import CALL, FOLD, RAISE

STREETS, SEATS, PLAYERS, DECILES = 4, 6, (2, 4, 6), 10
INVESTED = (2, 6, 20)
"""Big blinds that the seat has put in."""
INVESTMENTS = tuple(product(INVESTED, (False, True)))
"""(big blinds, pressed)."""
SHAPE = STREETS, SEATS, len(PLAYERS), len(INVESTMENTS), DECILES
NUM_SITUATIONS = 4320
FOLDS, CALLS, CHECKS, FIRST_RAISE = 0, 1, 2, 3
RAISE_BINS = 50
NUM_BINS = FIRST_RAISE + RAISE_BINS
"""Kinds of actions: fold, call, check, and raises to each fiftieth of the stack."""
DEPTH = 100
"""Stacks in big blinds."""
_SEED = 2020
_AT_ONCE = 8192
_MOST_DECISIONS = 80
_DEALT = 2 * SEATS + 5


@dataclass(frozen=True, eq=False)
class Style:
    """Frequencies of an agent's actions, situation by situation."""

    counts: NDArray[np.int64]
    """(4 streets, 6 seats from the small blind on, 3 numbers of players, 6 investments, 10 deciles of hands, 53)."""

    @property
    def vector(self) -> NDArray[np.float64]:
        """(4320 * 53,): frequencies, the strategy vector."""
        return np.asarray((self.counts / self.counts.sum(axis=-1, keepdims=True)).ravel())

    @property
    def aggression(self) -> float:
        """Bets and raises for each call (eq. 3.2); infinite for an agent that never calls, nan if it does neither."""
        return self._raises / self._calls if self._calls else self._without_calls

    @property
    def distorted_aggression(self) -> float:
        """Aggression brought into 0 .. 1: the share of raises among raises and calls (eq. 3.3)."""
        return float("nan") if self._calls + self._raises == 0 else self._raises / (self._raises + self._calls)

    @property
    def tightness(self) -> float:
        """Folds for each call, bet or raise (eq. 3.4); infinite for an agent that does nothing else."""
        played = self._calls + self._raises
        return int(self._by_bin[FOLDS]) / played if played else float("inf")

    @property
    def _by_bin(self) -> NDArray[np.int64]:
        return np.asarray(self.counts.reshape(-1, NUM_BINS).sum(axis=0))

    @property
    def _calls(self) -> int:
        return int(self._by_bin[CALLS])

    @property
    def _raises(self) -> int:
        return int(self._by_bin[FIRST_RAISE:].sum())

    @property
    def _without_calls(self) -> float:
        return float("inf") if self._raises else float("nan")


def has_style(game: Game) -> bool:
    """Return True for six-max no-limit hold'em with stacks of 100 big blinds: where `style_of` can be asked."""
    config = game.config
    if not is_texas_holdem(game) or config.structure != "no_limit" or game.num_seats != SEATS:
        return False
    return config.stack_list == [DEPTH * game.chips_per_reward] * SEATS and not any(config.ante_list)


def style_of(agent: SupportsAct, game: Game, hands: int = 20, seed: int = _SEED) -> Style:
    """Return how an agent plays, with `hands` hands of each decile in each situation: 4,320 times as many decisions.

    Deterministic for agents that draw from `Decisions.random_numbers` alone. Raises ValueError for other games than
    six-max no-limit hold'em with 100 big blinds, and for agents that cannot play the game.
    """
    if not has_style(game):
        raise ValueError(f"styles are told of six-max no-limit hold'em with {DEPTH} big blinds, not of {game.name}")
    player = require_playable(agent, game)
    seen = player.apply_encoder(game)
    rng = np.random.default_rng(seed)
    counts = np.zeros((NUM_SITUATIONS, NUM_BINS), np.int64)
    first = 0
    for tables in _situations(game, hands, seed):
        numbers = np.arange(first, first + len(tables))
        decisions = decisions_at(seen, tables, np.arange(len(tables)), numbers, rng.random(len(tables)))
        bins = np.empty(len(tables), np.int64)
        write_bins(tables, np.asarray(player.act(decisions, rng), np.int64), bins)
        np.add.at(counts, (numbers // hands, bins), 1)
        first += len(tables)
    return Style(counts.reshape(*SHAPE, NUM_BINS))


def _situations(game: Game, hands: int, seed: int) -> Iterator[Tables]:
    """Yield tables in the order of the situations, `hands` for each, some thousand at once."""
    decks = [_decks(game, street, hands, seed) for street in range(STREETS)]
    each = DECILES * hands
    at_once = max(1, _AT_ONCE // each)
    bases = list(product(range(STREETS), range(SEATS), range(len(PLAYERS)), range(len(INVESTMENTS))))
    for first in range(0, len(bases), at_once):
        chosen = bases[first : first + at_once]
        tables = np.concatenate([_base(game.config, *base) for base in chosen]).repeat(each)
        for k, (street, seat, *_) in enumerate(chosen):
            tables["deck"][k * each : (k + 1) * each, :_DEALT] = _rotate_to_seat(seat, decks[street])
        yield tables


def _rotate_to_seat(seat: int, decks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return decks (n, 17) in which `seat` has the hole cards that seat 0 had."""
    order = np.arange(_DEALT)
    order[[0, 1, 2 * seat, 2 * seat + 1]] = [2 * seat, 2 * seat + 1, 0, 1]
    return decks[:, order]


def _decks(game: Game, street: int, hands: int, seed: int) -> NDArray[np.uint8]:
    """Return decks (10 * hands, 17): first those in which seat 0's hand is in the lowest decile on this street."""
    rng = np.random.default_rng([seed, street])
    found: list[list[NDArray[np.uint8]]] = [[] for _ in range(DECILES)]
    while min(map(len, found)) < hands:
        drawn = np.argsort(rng.random((20 * hands, DECK_SIZE)), axis=1)[:, :_DEALT].astype(np.uint8)
        tables = game.new_tables(len(drawn))
        tables["deck"][:, :_DEALT], tables["street"] = drawn, street
        percentiles = np.empty(len(drawn))
        write_percentiles(tables, percentiles)
        for deck, decile in zip(drawn, np.ceil(DECILES * percentiles).astype(np.int64) - 1, strict=True):
            found[decile].append(deck)
    return np.array([decks[:hands] for decks in found]).reshape(-1, _DEALT)


@lru_cache(maxsize=4096)
def _base(config: HoldemConfig, street: int, seat: int, players: int, investment: int) -> Tables:
    """Return a table (1,) at which `seat` has to decide in one of the situations, with any cards."""
    blinds, pressed = INVESTMENTS[investment]
    script = _Script(config, street, seat, PLAYERS[players], blinds * config.chips_per_reward, pressed)
    for _ in range(_MOST_DECISIONS):
        if script.is_reached():
            return script.tables
        script.decide()
    raise AssertionError(f"street {street}, seat {seat}, {PLAYERS[players]} players, investment {investment}")


class _Script:
    """Plays decisions that lead to a situation."""

    def __init__(
        self, config: HoldemConfig, street: int, seat: int, players: int, invested: int, pressed: bool
    ) -> None:
        self._street, self._seat, self._invested, self._pressed = street, seat, invested, pressed
        self._staying = {(seat + k) % SEATS for k in range(players)}
        self._rival = (seat + 1) % SEATS
        self.tables = config.new_tables(1)  # the button stands on the last seat
        self.tables["deck"][0, :_DEALT] = np.arange(_DEALT)
        kernels.deal_known(self.tables, 0, _DEALT)
        self._t: Any = self.tables[0]

    def is_reached(self) -> bool:
        """Return True if the seat has to decide in the situation that was asked for."""
        t = self._t
        if t.actor != self._seat or t.street != self._street:
            return False
        if self._street == 0:
            return bool(t.hand_commit[self._seat] == self._invested)
        return bool(amount_to_call(t) > 0) == self._pressed

    def decide(self) -> None:
        """Take the next decision."""
        t = self._t
        goal = self._goal()
        if t.actor not in self._staying and amount_to_call(t) > 0:
            kernels.apply_decision(self.tables, 0, FOLD, 0)
        elif t.actor in self._staying and goal > t.current_bet:
            kernels.apply_decision(self.tables, 0, RAISE, min(goal, int(t.max_raise_to)))
        else:
            kernels.apply_decision(self.tables, 0, CALL, 0)

    def _goal(self) -> int:
        """Return the street commitment that the actor would raise to, 0 for none."""
        t = self._t
        if t.street < self._street:
            return self._invested if t.street == 0 else 0
        if self._street > 0:
            return int(t.pot) if self._pressed and t.actor == self._rival else 0
        if t.actor == self._seat:
            return self._invested
        has_invested = t.hand_commit[self._seat] == self._invested
        return self._invested * (5 if self._pressed else 2) if has_invested and t.actor == self._rival else 0


@kernel
def write_percentiles(tables: Tables, percentiles: Any) -> None:
    """Write the share of hands of as many cards that are not better than seat 0's, at each table."""
    for i in range(tables.shape[0]):
        percentiles[i] = percentile_at(tables[i], np.int64(0), num_board_cards(tables[i]))


@kernel
def write_bins(tables: Tables, actions: Any, bins: Any) -> None:
    """Write which of the 53 kinds the actors' actions are."""
    for i in range(tables.shape[0]):
        t = tables[i]
        if actions[i] > CALL:
            stack = np.int64(t.hand_commit[t.actor]) + t.stack[t.actor]
            bins[i] = FIRST_RAISE + min(
                np.int64(RAISE_BINS) - 1, (raise_to_of(t, actions[i]) - 1) * RAISE_BINS // stack
            )
        elif actions[i] == CALL:
            bins[i] = CALLS if amount_to_call(t) > 0 else CHECKS
        else:
            bins[i] = FOLDS
