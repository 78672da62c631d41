"""The style of an agent in no-limit hold'em: the frequencies of its actions in 4,320 constructed situations.

Kaminsky and Liebendörfer (2020), section 3.3.2: an agent decides with hands of every strength, for each number of cards
on the board, seat, number of players left and investment, 4,320 situations in all. The frequencies of 53 kinds of
actions are its *strategy vector*. All agents get the same hands and the same `Decisions.random_numbers`. Aggression and
tightness (section 3.3.3) follow from the vector.

The paper does not print the values of players and investment. Here 2, 4 or 6 players are left: the seat itself and
those who sit left of it. An investment is the amount that the seat has put in, 2, 6 or 20 big blinds, and whether it is
pressed. Each situation is reached by legal decisions, so that its betting history is complete: before the flop the seat
has raised to its investment, and its left neighbour raises to twice (pressed: five times) as much; later, all players
put the same in before the flop, and on the street in question the seat may check, or (pressed) faces a bet of the pot.
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
from card_envs.games.holdem.encoders.texas import percentile_at
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import CALL, FOLD, RAISE

STREETS, SEATS, PLAYERS, DECILES = 4, 6, (2, 4, 6), 10
INVESTED = (2, 6, 20)
"""Amounts that the seat has put in, in big blinds."""
INVESTMENTS = tuple(product(INVESTED, (False, True)))
"""(big blinds, pressed)."""
SHAPE = STREETS, SEATS, len(PLAYERS), len(INVESTMENTS), DECILES
NUM_SITUATIONS = 4320
FOLDS, CALLS, CHECKS, FIRST_RAISE = 0, 1, 2, 3
RAISE_BINS = 50
NUM_BINS = FIRST_RAISE + RAISE_BINS
"""Number of kinds of actions: fold, call, check, and raises to each fiftieth of the stack."""
DEPTH = 100
"""Stacks in big blinds."""
SEED = 2020
"""Seed of the hands and of the agents' random numbers."""
_BATCH_SIZE = 8192
_MAX_DECISIONS = 80
_NUM_DEALT = 2 * SEATS + 5


@dataclass(frozen=True, eq=False)
class Style:
    """Counts of an agent's actions in each situation."""

    counts: NDArray[np.int64]
    """(4 streets, 6 seats from the small blind on, 3 numbers of players, 6 investments, 10 deciles of hands, 53)."""

    @property
    def vector(self) -> NDArray[np.float64]:
        """(4320 * 53,): the strategy vector, the frequencies of all actions."""
        return np.asarray((self.counts / self.counts.sum(axis=-1, keepdims=True)).ravel())

    @property
    def point(self) -> tuple[float, float]:
        """The style in the plane: distorted aggression, and the share of folds among folds, calls and raises.

        Distorted aggression is the share of bets and raises among these and calls (eq. 3.3), 0 if there are neither.
        The paper plots the tightness t, folds per call, bet or raise (eq. 3.4), which is unbounded. The share of folds
        is t / (1 + t), as distorted aggression is a / (1 + a) of the aggression a, bets and raises per call (eq. 3.2).
        """
        by_bin = self.counts.reshape(-1, NUM_BINS).sum(axis=0)
        folds, calls, raises = int(by_bin[FOLDS]), int(by_bin[CALLS]), int(by_bin[FIRST_RAISE:].sum())
        if not calls + raises:
            return 0.0, 1.0
        tightness = folds / (calls + raises)
        return raises / (calls + raises), tightness / (1 + tightness)


def supports_style(game: Game) -> bool:
    """Return True for six-max no-limit hold'em with stacks of 100 big blinds."""
    config = game.config
    if not is_texas_holdem(game) or config.structure != "no_limit" or game.num_seats != SEATS:
        return False
    return config.stack_list == [DEPTH * game.chips_per_reward] * SEATS and not any(config.ante_list)


def measure_style(agent: SupportsAct, game: Game, hands: int = 20) -> Style:
    """Return the style of an agent. It is deterministic for agents that use `Decisions.random_numbers` alone.

    Args:
        agent: The agent.
        game: Six-max no-limit hold'em with stacks of 100 big blinds.
        hands: Number of hands of each decile in each situation; the agent decides 4,320 times as often.

    Raises:
        ValueError: The game is another one, or the agent cannot play it.
    """
    if not supports_style(game):
        raise ValueError(f"styles are for six-max no-limit hold'em with {DEPTH} big blinds, not for {game.name}")
    player = require_playable(agent, game)
    encoder = player.find_encoder(game)
    rng = np.random.default_rng(SEED)
    counts = np.zeros((NUM_SITUATIONS, NUM_BINS), np.int64)
    first = 0
    for tables in _generate_situations(game, hands):
        numbers = np.arange(first, first + len(tables))
        decisions = decisions_at(
            game, tables, np.arange(len(tables)), numbers, rng.random(len(tables)), encoder=encoder
        )
        bins = np.empty(len(tables), np.int64)
        write_bins(tables, np.asarray(player.act(decisions, rng), np.int64), bins)
        np.add.at(counts, (numbers // hands, bins), 1)
        first += len(tables)
    return Style(counts.reshape(*SHAPE, NUM_BINS))


def _generate_situations(game: Game, hands: int) -> Iterator[Tables]:
    """Yield tables in the order of the situations, `hands` for each, in batches."""
    decks = [_draw_decks(game, street, hands) for street in range(STREETS)]
    each = DECILES * hands
    at_once = max(1, _BATCH_SIZE // each)
    keys = list(product(range(STREETS), range(SEATS), range(len(PLAYERS)), range(len(INVESTMENTS))))
    for first in range(0, len(keys), at_once):
        chosen = keys[first : first + at_once]
        tables = np.concatenate([_make_table(game.config, *key) for key in chosen]).repeat(each)
        for k, (street, seat, *_) in enumerate(chosen):
            tables["deck"][k * each : (k + 1) * each, :_NUM_DEALT] = _rotate_to_seat(seat, decks[street])
        yield tables


def _rotate_to_seat(seat: int, decks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return decks (n, 17) in which `seat` has the hole cards that seat 0 had."""
    order = np.arange(_NUM_DEALT)
    order[[0, 1, 2 * seat, 2 * seat + 1]] = [2 * seat, 2 * seat + 1, 0, 1]
    return decks[:, order]


def _draw_decks(game: Game, street: int, hands: int) -> NDArray[np.uint8]:
    """Return decks (10 * hands, 17), sorted by the decile of seat 0's hand on this street."""
    rng = np.random.default_rng([SEED, street])
    by_decile: list[list[NDArray[np.uint8]]] = [[] for _ in range(DECILES)]
    while min(map(len, by_decile)) < hands:
        drawn = np.argsort(rng.random((20 * hands, DECK_SIZE)), axis=1)[:, :_NUM_DEALT].astype(np.uint8)
        tables = game.new_tables(len(drawn))
        tables["deck"][:, :_NUM_DEALT], tables["street"] = drawn, street
        percentiles = np.empty(len(drawn))
        write_percentiles(tables, percentiles)
        for deck, decile in zip(drawn, np.ceil(DECILES * percentiles).astype(np.int64) - 1, strict=True):
            by_decile[decile].append(deck)
    return np.array([decks[:hands] for decks in by_decile]).reshape(-1, _NUM_DEALT)


@lru_cache(maxsize=4096)
def _make_table(config: HoldemConfig, street: int, seat: int, players: int, investment: int) -> Tables:
    """Return a table (1,) at which `seat` is to act in one of the situations, with any cards."""
    blinds, pressed = INVESTMENTS[investment]
    invested, rival = blinds * config.chips_per_reward, (seat + 1) % SEATS
    staying = {(seat + k) % SEATS for k in range(PLAYERS[players])}
    tables = config.new_tables(1)  # the button stands on the last seat
    tables["deck"][0, :_NUM_DEALT] = np.arange(_NUM_DEALT)
    kernels.deal_known(tables, 0, _NUM_DEALT)
    t: Any = tables[0]

    def is_reached() -> bool:
        if t.actor != seat or t.street != street:
            return False
        return bool(t.hand_commit[seat] == invested if street == 0 else (amount_to_call(t) > 0) == pressed)

    def find_raise() -> int:
        """Return the street commitment that the actor raises to, 0 for no raise."""
        if t.street < street:
            return invested if t.street == 0 else 0
        if street > 0:
            return int(t.pot) if pressed and t.actor == rival else 0
        if t.actor == seat:
            return invested
        return invested * (5 if pressed else 2) if t.hand_commit[seat] == invested and t.actor == rival else 0

    for _ in range(_MAX_DECISIONS):
        if is_reached():
            return tables
        raise_to = find_raise()
        if t.actor in staying and raise_to > t.current_bet:
            kernels.apply_decision(tables, 0, RAISE, min(raise_to, int(t.max_raise_to)))
        else:
            folds = t.actor not in staying and amount_to_call(t) > 0
            kernels.apply_decision(tables, 0, FOLD if folds else CALL, 0)
    raise AssertionError(f"street {street}, seat {seat}, {PLAYERS[players]} players, investment {investment}")


@kernel
def write_percentiles(tables: Tables, percentiles: Any) -> None:
    """Write the percentile of seat 0's hand at each table: the share of hands that are not better."""
    for i in range(tables.shape[0]):
        percentiles[i] = percentile_at(tables[i], np.int64(0), num_board_cards(tables[i]))


@kernel
def write_bins(tables: Tables, actions: Any, bins: Any) -> None:
    """Write the kinds, 0 .. 52, of the actors' actions."""
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
