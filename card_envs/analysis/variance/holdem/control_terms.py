"""Control variates of hold'em if no agent can be asked about other hands: numbers with mean zero.

Each control variate is a product of two factors. The first has mean zero given everything before: a chance term of the
cards (`chance_terms`). The second was known before: the pot, who raised last, the position, equities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.analysis.variance.control_terms import Controls, ControlTerms, ControlUnits
from card_envs.analysis.variance.holdem.chance_terms import (
    AHEAD,
    CHANCE_TERMS,
    EQUITY,
    STRENGTH,
    STRONG,
    write_chance_terms,
)
from card_envs.chance.contested import contested_pot
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MAX_LEVELS, MAX_STREETS, NOBODY
from card_envs.games.holdem.view import positions_of
from card_envs.match.callbacks import MatchBatch
from card_envs.poker.hands import NUM_HANDS
from card_envs.poker.starting_hands import (
    STARTING_EQUITIES,
    STARTING_HAND_COUNTS,
    STARTING_PERCENTILES,
    starting_hands,
)
from card_envs.rng import seed_streams, wrap_seed
from card_envs.typing import Floats, Rows

_NUM_BOARDS = 300
"""Number of random boards for expectations before the flop."""
_BOARD_STREAM = np.uint64(0x8F3C1A57)
"""Offset of the seed of the match, so that random boards and deals use different random numbers."""
_TOP_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95)
_KNOWN_BEFORE_CARDS, _TERMS_OF_CARDS = 7, 6
"""Number of known factors, and of chance terms; the control variates of a street are their products."""
LEAST_STAKE = 0.25
"""Floor of the standard deviation of controls that are stakes, as a fraction of the largest loss: a few deals may have
no large pot, and coefficients from small pots must not be used for large ones."""


def _starting_hand_controls() -> NDArray[np.float64]:
    probabilities = STARTING_HAND_COUNTS / NUM_HANDS
    thresholds = [(share < STARTING_PERCENTILES).astype(np.float64) for share in _TOP_SHARES]
    features = np.stack([STARTING_EQUITIES, STARTING_EQUITIES**2, *thresholds])
    return np.asarray(features - (features @ probabilities)[:, None], np.float64)


STARTING_CONTROLS = _starting_hand_controls()
"""(features, 169): features of the strength of a starting hand, minus their means over all hands."""


def max_loss(config: HoldemConfig) -> float:
    """Return approximately the largest loss of a seat in a hand, in rewards."""
    chips = sorted(config.stack_list)[-2]  # nobody matches the rest of the largest stack
    if config.structure == "limit" and config.max_raises is not None:
        streets = zip(config.max_raises, config.raise_sizes, strict=True)
        chips = min(chips, sum(raises * size for raises, size in streets))
    return chips / config.chips_per_reward


@kernel
def _write_contested_pots(tables: Tables, pots: Any) -> None:
    for i in range(tables.shape[0]):
        for seat in range(pots.shape[1]):
            pots[i, seat] = contested_pot(tables[i], seat)


def contested_pots(tables: Tables, num_seats: int) -> Floats:
    """Return `contested_pot` of every seat at every table, (n, num_seats), in chips."""
    pots = np.empty((len(tables), num_seats))
    _write_contested_pots(tables, pots)
    return pots


def last_raisers(tables: Tables, street: Rows) -> Rows:
    """Return the seats (n,) that raised last on the street before `street` (n,), NOBODY where nobody raised."""
    rows = np.arange(len(tables))
    raises = tables["street_raises"][rows, street - 1].astype(np.int64)
    raiser = tables["raiser"][rows, street - 1, np.clip(raises - 1, 0, MAX_LEVELS - 2)]
    return np.where(raises > 0, raiser.astype(np.int64), NOBODY)


class HoldemControlTerms(ControlTerms):
    """`ControlTerms` without counterfactual hands."""

    def __init__(self, config: HoldemConfig, seed: int) -> None:
        self._num_seats, self._chips_per_reward = config.num_players, config.chips_per_reward
        self._seed = np.uint64(wrap_seed(seed))
        self._max_loss = max_loss(config)

    @property
    def units(self) -> ControlUnits:
        """Units of the controls, in their order."""
        seats, starting = self._num_seats, 1 + len(STARTING_CONTROLS)
        hole_cards = 2 * (2 * starting - 1) if seats == 2 else seats * starting + starting - 1
        boards = (MAX_STREETS - 1) * _KNOWN_BEFORE_CARDS * _TERMS_OF_CARDS
        is_stake = np.array([*[False] * hole_cards, *[True] * boards])
        return ControlUnits(is_stake, LEAST_STAKE * self._max_loss)

    def on_deal(self, batch: MatchBatch) -> None:
        """Prepare for new hands."""
        n = len(batch.tables)
        self._street = np.zeros(n, np.int64)  # the last one observed
        self._pot = np.zeros((n, self._num_seats, MAX_STREETS))  # `contested_pots` when the cards came, in rewards
        self._live = np.zeros((n, MAX_STREETS), np.uint16)
        self._raiser = np.full((n, MAX_STREETS), NOBODY)  # agent that raised last on the previous street

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows, probabilities: NDArray[np.float64]) -> None:
        """Record the streets that began."""
        tables = batch.tables
        began = rows[tables["street"][rows] > self._street[rows]]
        street = tables["street"][began].astype(np.int64)
        self._street[began] = street
        self._pot[began, :, street] = self._contested_pots(tables[began])
        self._live[began, street] = tables["in_hand"][began]
        raiser = last_raisers(tables[began], street)
        self._raiser[began, street] = np.where(raiser != NOBODY, batch.agents[began, raiser], NOBODY)

    def compute_controls(self, batch: MatchBatch, agents: Sequence[int]) -> list[Controls]:
        """Return the controls of each agent, given by its index; all hands of the batch must be over."""
        self._record_all_in_streets(batch)
        terms = np.zeros(len(batch.tables), CHANCE_TERMS)
        terms["live"] = self._live
        for run in np.split(np.arange(len(terms)), np.flatnonzero(np.diff(batch.hands) != 1) + 1):
            seed_streams(terms[run[0] : run[-1] + 1], self._seed + _BOARD_STREAM, np.uint64(batch.hands[run[0]]))
        write_chance_terms(batch.tables, terms, np.int64(_NUM_BOARDS))
        return [self._agent_controls(batch, terms, agent) for agent in agents]

    def _record_all_in_streets(self, batch: MatchBatch) -> None:
        """Record the streets whose cards came after the last decision."""
        tables = batch.tables
        live = tables["in_hand"].astype(np.int64)
        shown = live & (live - 1) != 0
        for street in range(1, MAX_STREETS):
            came = shown & (street > self._street)
            self._pot[came, :, street] = self._contested_pots(tables[came])
            self._live[came, street] = live[came]

    def _contested_pots(self, tables: Tables) -> Floats:
        """Return the pot that each seat can win, (n, num_seats), in rewards."""
        return contested_pots(tables, self._num_seats) / self._chips_per_reward

    def _agent_controls(self, batch: MatchBatch, terms: NDArray[np.void], agent: int) -> Controls:
        hands = _AgentTerms(batch, terms, agent, self._num_seats)
        columns = [*hands.hole_card_controls(), *self._board_controls(hands, agent)]
        return Controls(np.zeros(len(terms)), np.stack(columns, axis=1))

    def _board_controls(self, hands: _AgentTerms, agent: int) -> list[NDArray[np.float64]]:
        columns = []
        rows = np.arange(len(self._pot))
        pots = self._pot[rows, hands.seats]
        for street in range(1, MAX_STREETS):
            pot, raiser = pots[:, street], self._raiser[:, street]
            equity, large = hands.own_value[:, street - 1, EQUITY], pot * pot / self._max_loss
            known = [
                pot,
                pot * (raiser == agent),
                pot * ((raiser != agent) & (raiser != NOBODY)),
                large,
                pot * equity,
                large * equity,
                pot * hands.is_last,
            ]
            terms = [hands.own_terms[:, street, feature] for feature in (EQUITY, AHEAD, STRENGTH, STRONG)]
            terms += [hands.other_terms[:, street, feature] for feature in (STRENGTH, STRONG)]
            columns += [factor * term for factor in known for term in terms]
        return columns


class _AgentTerms:
    """Chance terms and values of the hands of a batch, from the perspective of one agent."""

    def __init__(self, batch: MatchBatch, terms: NDArray[np.void], agent: int, seats: int) -> None:
        rows = np.arange(len(batch.tables))
        self.seats = own = batch.seats[:, agent]
        self.own_terms = terms["term"][rows, :, own]
        self.other_terms = terms["term"][:, :, :seats].sum(axis=2) - self.own_terms
        self.own_value = terms["value"][rows, :, own]
        self._positions = positions_of(seats, batch.tables)[rows, own]
        self._num_seats = seats
        self.is_last = self._positions == seats - 1
        hole_cards = batch.tables["deck"][:, : 2 * seats].reshape(-1, seats, 2)
        hands = STARTING_CONTROLS[:, starting_hands(hole_cards)]  # (features, hands, seats)
        self._own_hands = hands[:, rows, own]
        self._other_hands = hands.sum(axis=2) - self._own_hands

    def hole_card_controls(self) -> list[NDArray[np.float64]]:
        """Return the controls of the agent's and the others' hole cards, by position."""
        columns = []
        for position in range(self._num_seats):
            here = self._positions == position
            columns += [self.own_terms[:, 0, EQUITY] * here, *(self._own_hands * here)]
            if self._num_seats == 2:
                columns += [*(self._other_hands * here)]
        return columns if self._num_seats == 2 else [*columns, *self._other_hands]
