"""The controls of hold'em hands: numbers with mean zero that go with what the agents win.

Every control is a product of two factors. One has mean zero given all that came before: luck with cards (`luck`), or
which action an agent drew less the probability of it. The other was known before: the pot, who raised last, the
position, equities. (Cards yet to come may be in the second factor of an action, which they cannot have influenced.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import SupportsAct, action_probabilities, as_agent, decisions_at
from card_envs.analysis.variance.chance_terms import AHEAD, CHANCE_TERMS, EQUITY, STRENGTH, STRONG, write_chance_terms
from card_envs.cards import DECK_SIZE
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MAX_LEVELS, MAX_STREETS, NOBODY
from card_envs.match.callbacks import Batch, Rows
from card_envs.match.positions import positions_of
from card_envs.poker.percentile_tables import NUM_RANKS
from card_envs.poker.percentiles import STARTING_EQUITIES, STARTING_PERCENTILES
from card_envs.rng import seed_streams

_NUM_BOARDS = 300
"""Random boards for expectations before the flop."""
_BOARD_STREAM = np.uint64(0x8F3C1A57)
"""Added to the seed of the match: the random boards must not be those of the deals."""
_TOP_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95)
_FOLDS, _RAISES = 0, 1


def _starting_hand_controls() -> NDArray[np.float64]:
    pairs, suited = np.eye(NUM_RANKS, dtype=bool), np.tri(NUM_RANKS, k=-1, dtype=bool)
    chances = np.where(pairs, 6, np.where(suited, 4, 12)).ravel() / 1326
    thresholds = [(share < STARTING_PERCENTILES).astype(np.float64) for share in _TOP_SHARES]
    features = np.stack([STARTING_EQUITIES, STARTING_EQUITIES**2, *thresholds])
    return np.asarray(features - (features @ chances)[:, None], np.float64)


_STARTING_HANDS = _starting_hand_controls()
"""(features, 169): how good a starting hand is, in several ways, less what hands are on average."""


class HandControls:
    """Follows the hands of a batch, as a callback does, and returns their controls at the end."""

    def __init__(self, game: Game, agents: Sequence[SupportsAct], seed: int) -> None:
        config = game.config
        if not isinstance(config, HoldemConfig) or (config.num_hole_cards, config.deck_size) != (2, DECK_SIZE):
            raise ValueError(f"control variates are for Texas hold'em, not for {game.name}")
        self._seed = np.uint64(seed % 2**64)
        self._agents = [as_agent(agent) for agent in agents]
        self._showing = [place for place, agent in enumerate(self._agents) if agent.shows_probabilities]
        self._games = [agent.encoded(game) for agent in self._agents]

    def on_deal(self, batch: Batch) -> None:
        """Prepare for new hands."""
        n, seats = len(batch.tables), batch.game.num_seats
        self._street = np.zeros(n, np.int64)  # the last one seen
        self._pot = np.zeros((n, MAX_STREETS))  # when the street's cards came, as are the next two; in rewards
        self._live = np.zeros((n, MAX_STREETS), np.uint16)
        self._raiser = np.full((n, MAX_STREETS), NOBODY)  # place of who raised last on the street before
        self._surprise = np.zeros((n, seats, MAX_STREETS, 2))  # by place: actions less their probabilities
        self._pot_surprise = np.zeros((n, seats, MAX_STREETS, 2))  # the same times the pot

    def on_actions(self, batch: Batch, rows: Rows, actions: Rows) -> None:
        """Note streets that began, and the actions of agents that show their probabilities."""
        self._note_streets(batch, rows)
        places = batch.places(rows, batch.tables["actor"][rows].astype(np.int64))
        for place in self._showing:
            mine = np.flatnonzero(places == place)
            if len(mine):
                self._note_actions(batch, place, rows[mine], actions[mine])

    def _note_streets(self, batch: Batch, rows: Rows) -> None:
        tables = batch.tables
        began = rows[tables["street"][rows] > self._street[rows]]
        street = tables["street"][began].astype(np.int64)
        self._street[began] = street
        self._pot[began, street] = tables["pot"][began] / batch.game.chips_per_reward
        self._live[began, street] = tables["in_hand"][began]
        raises = tables["street_raises"][began, street - 1].astype(np.int64)
        raiser = tables["raiser"][began, street - 1, np.clip(raises - 1, 0, MAX_LEVELS - 2)].astype(np.int64)
        self._raiser[began, street] = np.where(raises > 0, batch.places(began, raiser), NOBODY)

    def _note_actions(self, batch: Batch, place: int, rows: Rows, actions: Rows) -> None:
        game, tables = self._games[place], batch.tables
        decisions = decisions_at(game, tables, rows, batch.numbers[rows], np.full(len(rows), 0.5))
        chances = action_probabilities(self._agents[place], decisions)
        kinds = np.stack([actions == FOLD_ACTION, actions >= FIRST_RAISE_ACTION], axis=1)
        expected = np.stack([chances[:, FOLD_ACTION], chances[:, FIRST_RAISE_ACTION:].sum(axis=1)], axis=1)
        surprise, street = kinds - expected, tables["street"][rows].astype(np.int64)
        pot = tables["pot"][rows, None] / game.chips_per_reward
        self._surprise[rows, place, street] += surprise  # a table decides once at a time: no row comes twice
        self._pot_surprise[rows, place, street] += surprise * pot

    def of_batch(self, batch: Batch, places: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return the controls (hands, k) of each of `places`; all hands of the batch must be over."""
        self._note_run_outs(batch)
        lucks = np.zeros(len(batch.tables), CHANCE_TERMS)
        lucks["live"] = self._live
        seed_streams(lucks, self._seed + _BOARD_STREAM, np.uint64(batch.hands[0]))
        write_chance_terms(batch.tables, lucks, np.int64(_NUM_BOARDS))
        return [self._controls_of(batch, lucks, place) for place in places]

    def _note_run_outs(self, batch: Batch) -> None:
        """Note the streets whose cards came although nobody could bet any more."""
        tables = batch.tables
        live = tables["in_hand"].astype(np.int64)
        shown = live & (live - 1) != 0
        for street in range(1, MAX_STREETS):
            came = shown & (street > self._street)
            self._pot[came, street] = tables["pot"][came] / batch.game.chips_per_reward
            self._live[came, street] = live[came]

    def _controls_of(self, batch: Batch, lucks: NDArray[np.void], place: int) -> NDArray[np.float64]:
        hands = _SeenBy(batch, lucks, place)
        columns = [*hands.of_hole_cards(), *self._of_boards(hands, place), *self._of_actions(hands, place)]
        return np.stack(columns, axis=1)

    def _of_boards(self, hands: _SeenBy, place: int) -> list[NDArray[np.float64]]:
        columns = []
        for street in range(1, MAX_STREETS):
            pot, raiser = self._pot[:, street], self._raiser[:, street]
            equity = hands.own_value[:, street - 1, EQUITY]
            known = [
                pot,
                pot * (raiser == place),
                pot * ((raiser != place) & (raiser != NOBODY)),
                pot * pot,
                pot * equity,
                pot * pot * equity,
                pot * hands.is_last,
            ]
            luck = [hands.own_luck[:, street, feature] for feature in (EQUITY, AHEAD, STRENGTH, STRONG)]
            luck += [hands.other_luck[:, street, feature] for feature in (STRENGTH, STRONG)]
            columns += [factor * lucky for factor in known for lucky in luck]
        return columns

    def _of_actions(self, hands: _SeenBy, place: int) -> list[NDArray[np.float64]]:
        columns = []
        others = [other for other in range(self._surprise.shape[1]) if other != place]
        for street in range(MAX_STREETS):
            for who in ([place], others):
                surprise = self._surprise[:, who, street].sum(axis=1)
                of_pot = self._pot_surprise[:, who, street].sum(axis=1)
                for kind in (_FOLDS, _RAISES):
                    known = 1.0, hands.own_value[:, street, EQUITY], hands.own_outcome
                    columns += [surprise[:, kind], *(of_pot[:, kind] * factor for factor in known)]
        return columns


class _SeenBy:
    """Luck and values of the hands of a batch, arranged for the agent at one place."""

    def __init__(self, batch: Batch, lucks: NDArray[np.void], place: int) -> None:
        rows, seats = np.arange(len(batch.tables)), batch.game.num_seats
        own = (place + batch.hands) % seats
        self.own_luck = lucks["luck"][rows, :, own]
        self.other_luck = lucks["luck"][:, :, :seats].sum(axis=2) - self.own_luck
        self.own_value = lucks["value"][rows, :, own]
        self.own_outcome = lucks["outcome"][rows, own]
        self._positions = positions_of(batch.game, batch.tables)[rows, own]
        self._num_seats = seats
        self.is_last = self._positions == seats - 1
        hands = _STARTING_HANDS[:, _starting_hands(batch.tables, seats)]  # (features, hands, seats)
        self._own_hands = hands[:, rows, own]
        self._other_hands = hands.sum(axis=2) - self._own_hands

    def of_hole_cards(self) -> list[NDArray[np.float64]]:
        """Return the controls for the hole cards, own and others', by position."""
        columns = []
        for position in range(self._num_seats):
            here = self._positions == position
            columns += [self.own_luck[:, 0, EQUITY] * here, *(self._own_hands * here)]
            if self._num_seats == 2:
                columns += [*(self._other_hands * here)]
        return columns if self._num_seats == 2 else [*columns, *self._other_hands]


def _starting_hands(tables: Tables, num_seats: int) -> NDArray[np.int64]:
    """Return the numbers (n, num_seats) of the starting hands, as `poker.percentiles.starting_hand` counts."""
    cards = tables["deck"][:, : 2 * num_seats].astype(np.int64).reshape(-1, num_seats, 2)
    high, low = cards.max(axis=2) >> 2, cards.min(axis=2) >> 2
    suited = (cards[:, :, 0] & 3) == (cards[:, :, 1] & 3)
    return np.asarray(np.where(suited, high * NUM_RANKS + low, low * NUM_RANKS + high), np.int64)
