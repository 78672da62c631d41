"""Control variates of hold'em if agents can be asked for their action probabilities with other hands.

Expectations are those of an observer who knows all actions, the pools of `counterfactual_hands` and the agents'
strategies, but no hand. A control variate is the effect of an event (an action, the cards of a street) on a feature,
minus its expectation, times a factor that was known before; its mean is zero. The *AIVAT correction* is subtracted
without a regression: it is the change, minus its expectation, of the chips that a seat would win without more betting,
summed over all events and the showdown. Each part has mean zero, even if these values are inaccurate. The correction
replaces the result by its mean over all hands that the seats may hold and all boards after the last decision; for two
seats that are all-in, this is the pot times the exact equity.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from card_envs.analysis.variance.control_terms import Controls, ControlUnits
from card_envs.analysis.variance.holdem.control_terms import (
    LEAST_STAKE,
    STARTING_CONTROLS,
    contested_pots,
    last_raisers,
    max_loss,
)
from card_envs.analysis.variance.holdem.counterfactual_hands import (
    BOARD_VALUES,
    COUNTERFACTUAL,
    SCRATCH,
    deal_counterfactual,
)
from card_envs.analysis.variance.holdem.counterfactual_values import (
    ACTION_VALUES,
    KINDS,
    write_action_terms,
    write_board_terms,
    write_equities,
    write_showdown_correction,
)
from card_envs.game import Tables
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MAX_STREETS
from card_envs.games.holdem.view import positions_of
from card_envs.match.callbacks import MatchBatch
from card_envs.poker.starting_hands import starting_hands
from card_envs.rng import wrap_seed
from card_envs.typing import Floats, Rows

_POOL_STREAM = 0x8F3C1A57
"""Offset of the seed of the match, so that pools and deals use different random numbers."""
_KNOWN_BEFORE_CARDS = 3
_HAND_CONTROLS = STARTING_CONTROLS[:2]
"""Equity and its square; further features explain no more after averaging over the hands of a pool."""


class CounterfactualControlTerms:
    """`ControlTerms` with counterfactual hands, `hands_per_agent` of each agent; 1 for the true one only."""

    def __init__(self, config: HoldemConfig, seed: int, hands_per_agent: Sequence[int]) -> None:
        self._num_seats, self._chips_per_reward = config.num_players, config.chips_per_reward
        self._seed = np.uint64(wrap_seed(int(seed) + _POOL_STREAM))
        self._hands_per_agent = np.array(hands_per_agent, np.int64)
        self._max_loss = max_loss(config)
        self._scratch = np.zeros(1, SCRATCH)[0]

    @property
    def units(self) -> ControlUnits:
        """Units of the controls, in their order."""
        starting = self._num_seats * (1 + 2 * len(_HAND_CONTROLS))
        boards = (MAX_STREETS - 1) * _KNOWN_BEFORE_CARDS * BOARD_VALUES
        actions = MAX_STREETS * KINDS * ACTION_VALUES * (2 if self._num_seats == 2 else 3)
        is_stake = np.array([*[False] * starting, *[True] * (boards + actions)])
        return ControlUnits(is_stake, LEAST_STAKE * self._max_loss)

    def on_deal(self, batch: MatchBatch) -> None:
        """Deal the counterfactual hands."""
        n, seats = len(batch.tables), self._num_seats
        self._all = np.arange(n)
        self._hands = np.zeros(n, COUNTERFACTUAL)
        wanted = self._hands_per_agent[batch.agents]
        deal_counterfactual(batch.tables, batch.deals, self._seed, wanted, self._hands, self._scratch)
        self._street = np.zeros(n, np.int64)  # the last one observed
        self._equity = np.zeros((n, seats))  # by seat, when the street began
        live = np.full(n, 2**seats - 1)
        write_equities(self._hands, self._scratch, live, self._street, self._equity)
        self._starting = self._hole_card_values(batch)
        self._own = np.zeros((n, seats, MAX_STREETS, KINDS * ACTION_VALUES))  # by agent
        self._others = np.zeros((n, seats, 2, MAX_STREETS, KINDS * ACTION_VALUES))
        self._board = np.zeros((n, seats, MAX_STREETS - 1, _KNOWN_BEFORE_CARDS * BOARD_VALUES))
        self._correction = np.zeros((n, seats))  # by seat, in rewards, without the showdown

    def counterfactual_tables(self, batch: MatchBatch, rows: Rows) -> tuple[Tables, Rows]:
        """Return tables[rows] with each hand that the actor may hold, and the index in `rows` of each of them."""
        seats = batch.tables["actor"][rows].astype(np.int64)
        first, end = self._hands["first"][rows, seats], self._hands["first"][rows, seats + 1]
        places = np.arange(int((end - first).max(initial=0)))
        hands = first[:, None] + places
        held = (hands < end[:, None]) & (self._hands["weight"][rows[:, None], np.minimum(hands, end[:, None] - 1)] > 0)
        row, place = np.nonzero(held)
        tables = batch.tables[rows[row]]
        cards, cells = self._hands["hole"][rows[row], hands[row, place]], np.arange(len(row))
        for k in range(2):
            tables["deck"][cells, 2 * seats[row] + k] = cards[:, k]
        self._cells = np.searchsorted(row, np.arange(len(rows)))
        return tables, row

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows, probabilities: Floats) -> None:
        """Record streets that began, write the terms of the actions, and update the weights of the hands."""
        self._record_streets(batch, rows, batch.tables["street"][rows].astype(np.int64))
        seats = batch.tables["actor"][rows].astype(np.int64)
        terms, correction = np.empty((len(rows), KINDS * ACTION_VALUES)), np.empty(len(rows))
        write_action_terms(
            batch.tables, rows, actions, probabilities, self._cells, self._hands, self._scratch, terms, correction
        )
        terms /= self._chips_per_reward
        self._add_correction(batch, rows, seats, correction / self._chips_per_reward)
        agents, street = batch.agents[rows, seats], self._street[rows]
        self._own[rows, agents, street] += terms  # rows are distinct
        if self._num_seats > 2:
            live = batch.tables["in_hand"][rows].astype(np.int64)
            for seat in range(self._num_seats):
                part = np.flatnonzero((seats != seat) & (live >> seat & 1 == 1))
                theirs, agent = rows[part], batch.agents[rows[part], seat]
                self._others[theirs, agent, 0, street[part]] += terms[part]
                self._others[theirs, agent, 1, street[part]] += terms[part] * self._equity[theirs, seat, None]

    def _add_correction(self, batch: MatchBatch, rows: Rows, seats: Rows, correction: Floats) -> None:
        """Add the correction of an action to that of the actor; subtract it from the others in proportion to equity."""
        live = (batch.tables["in_hand"][rows].astype(np.int64)[:, None] >> np.arange(self._num_seats)) & 1
        paid = np.where(np.arange(self._num_seats) == seats[:, None], 0.0, live * (self._equity[rows] + 1e-9))
        self._correction[rows] -= correction[:, None] * paid / paid.sum(axis=1, keepdims=True)
        self._correction[rows, seats] += correction

    def _record_streets(self, batch: MatchBatch, rows: Rows, street: Rows) -> None:
        """Record the cards of all streets up to `street` that came at tables[rows]."""
        while len(rows := rows[came := street > self._street[rows]]):
            street = street[came]
            self._street[rows] += 1
            self._record_cards(batch, rows)

    def _record_cards(self, batch: MatchBatch, rows: Rows) -> None:
        """Write the terms of the cards of the current street."""
        tables, street, seats = batch.tables, self._street[rows], self._num_seats
        live = tables["in_hand"][rows].astype(np.int64)
        values, before = np.empty((len(rows), seats, BOARD_VALUES)), np.empty((len(rows), seats))
        write_board_terms(self._hands, rows, street, live, self._scratch, values, before)
        raiser = last_raisers(tables[rows], street)
        pots = contested_pots(tables[rows], seats) / self._chips_per_reward
        for seat in range(seats):
            pot = pots[:, seat]
            large = pot * pot / self._max_loss
            known = np.stack([pot, pot * (raiser == seat), large], axis=1)
            terms = (known[:, :, None] * values[:, seat, None, :]).reshape(len(rows), -1)
            self._board[rows, batch.agents[rows, seat], street - 1] = terms
            self._correction[rows, seat] += pot * values[:, seat, 0]
        self._equity[rows] = before + values[:, :, 0]

    def compute_controls(self, batch: MatchBatch, agents: Sequence[int]) -> list[Controls]:
        """Return the controls of each agent, given by its index; all hands of the batch must be over."""
        correction = np.empty((len(batch.tables), self._num_seats))
        write_showdown_correction(batch.tables, self._street, self._hands, self._scratch, correction)
        correction = self._correction + correction / self._chips_per_reward
        return [self._agent_controls(batch, correction, agent) for agent in agents]

    def _agent_controls(self, batch: MatchBatch, correction: Floats, agent: int) -> Controls:
        seats, n = batch.seats[:, agent], len(batch.tables)
        others = self._own[:, 1 - agent] if self._num_seats == 2 else self._others[:, agent]
        parts = self._starting[self._all, :, seats], self._board[:, agent], self._own[:, agent], others
        return Controls(correction[self._all, seats], np.concatenate([part.reshape(n, -1) for part in parts], axis=1))

    def _hole_card_values(self, batch: MatchBatch) -> Floats:
        """Return (n, k, num_seats): strengths of a seat's and the others' counterfactual hands, by position."""
        n, seats = len(batch.tables), self._num_seats
        hands = _HAND_CONTROLS[:, starting_hands(self._hands["hole"])] * self._hands["weight"]  # (k, n, hands)
        slots, first = np.arange(hands.shape[2]), self._hands["first"]
        belongs = [(slots >= first[:, [seat]]) & (slots < first[:, [seat + 1]]) for seat in range(seats)]
        own = np.stack([(hands * mine).sum(axis=2) for mine in belongs], axis=2)  # (k, n, seats)
        equity = self._equity - self._equity.mean(axis=1, keepdims=True)
        whole = np.concatenate([equity[None], own, own.sum(axis=2, keepdims=True) - own])
        here = positions_of(seats, batch.tables)[:, None, :] == np.arange(seats)[None, :, None]  # (n, position, seat)
        return np.asarray((whole[:, :, None, :] * here).transpose(1, 2, 0, 3).reshape(n, -1, seats))
