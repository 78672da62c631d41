"""The controls of hold'em hands for agents that can be asked what they would have done with other cards.

Everything is seen from where all actions, the pools of `counterfactual_hands` and the agents' probabilities are known,
and no hand. A control is what an event (an action, the cards of a street) changed, less what was to be expected of it
from there, times what was known before. Given all that came before, its mean is zero by construction, for any number.
The *AIVAT correction*, of events and showdown, is subtracted without any regression: by how many chips the hand would
have become better for a seat if nobody bet any more, less what was to be expected. Each of its parts has mean zero in
the same way, however wrong that value is. The result thereby becomes its mean over all hands that the seats may hold,
and over all boards that could have come after the last decision: where both are all in, the pot times an exact equity.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from card_envs.game import Tables
from card_envs.game_info import Controls, ControlUnits
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.evaluation.control_terms import LEAST_STAKE, STARTING_CONTROLS, most_lost
from card_envs.games.holdem.evaluation.counterfactual_hands import (
    BOARD_VALUES,
    COUNTERFACTUAL,
    SCRATCH,
    deal_counterfactual,
)
from card_envs.games.holdem.evaluation.counterfactual_values import (
    ACTION_VALUES,
    KINDS,
    write_action_terms,
    write_board_terms,
    write_equities,
    write_showdown_correction,
)
from card_envs.games.holdem.positions import positions_of
from card_envs.games.holdem.state import MAX_LEVELS, MAX_STREETS, NOBODY
from card_envs.play_statistics import Hands
from card_envs.poker.starting_hands import starting_hands
from card_envs.typing import Floats, Rows

_POOL_STREAM = 0x8F3C1A57
"""Offset of the match's seed for the pools, which must not follow from the streams of the deals."""
_KNOWN_BEFORE_CARDS = 3
_HAND_CONTROLS = STARTING_CONTROLS[:2]
"""Equity and its square: more tell no more, once averaged over the hands of a pool."""


class CounterfactualControlTerms:
    """Follows the hands of a batch, as a callback does, and returns their controls at the end."""

    def __init__(self, config: HoldemConfig, seed: int, hands_of: Sequence[int]) -> None:
        """`hands_of` says for each agent how many counterfactual hands are dealt, 1: only the true one."""
        self._num_seats, self._chips_per_reward = config.num_players, config.chips_per_reward
        self._seed = np.uint64((seed + _POOL_STREAM) % 2**64)
        self._hands_of = np.array(hands_of, np.int64)
        self._most_lost = most_lost(config)
        self._scratch = np.zeros(1, SCRATCH)[0]

    @property
    def units(self) -> ControlUnits:
        """What the controls count, in their order."""
        starting = self._num_seats * (1 + 2 * len(_HAND_CONTROLS))
        boards = (MAX_STREETS - 1) * _KNOWN_BEFORE_CARDS * BOARD_VALUES
        actions = MAX_STREETS * KINDS * ACTION_VALUES * (2 if self._num_seats == 2 else 3)
        is_stake = np.array([*[False] * starting, *[True] * (boards + actions)])
        return ControlUnits(is_stake, LEAST_STAKE * self._most_lost)

    def on_deal(self, batch: Hands) -> None:
        """Deal the counterfactual hands."""
        n, seats = len(batch.tables), self._num_seats
        self._all = np.arange(n)
        self._hands = np.zeros(n, COUNTERFACTUAL)
        wanted = self._hands_of[(np.arange(seats) - batch.hands[:, None]) % seats]
        deal_counterfactual(batch.tables, batch.deals, self._seed, wanted, self._hands, self._scratch)
        self._street = np.zeros(n, np.int64)  # the last one seen
        self._equity = np.zeros((n, seats))  # by seat, when the street began
        live = np.full(n, 2**seats - 1)
        write_equities(self._hands, self._scratch, live, self._street, self._equity)
        self._starting = self._hole_card_values(batch)
        self._own = np.zeros((n, seats, MAX_STREETS, KINDS * ACTION_VALUES))  # by agent
        self._others = np.zeros((n, seats, 2, MAX_STREETS, KINDS * ACTION_VALUES))
        self._board = np.zeros((n, seats, MAX_STREETS - 1, _KNOWN_BEFORE_CARDS * BOARD_VALUES))
        self._correction = np.zeros((n, seats))  # of actions and cards, by seat, in rewards

    def counterfactual_tables(self, batch: Hands, rows: Rows) -> tuple[Tables, Rows]:
        """Return tables[rows] with every hand that the actor may still hold, and of which of `rows` each is one."""
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

    def on_actions(self, batch: Hands, rows: Rows, actions: Rows, chances: Floats) -> None:
        """Note streets that began, and what actions whose probabilities are known tell of the hands."""
        self._note_streets(batch, rows, batch.tables["street"][rows].astype(np.int64))
        seats = batch.tables["actor"][rows].astype(np.int64)
        terms, correction = np.empty((len(rows), KINDS * ACTION_VALUES)), np.empty(len(rows))
        write_action_terms(
            batch.tables, rows, actions, chances, self._cells, self._hands, self._scratch, terms, correction
        )
        terms /= self._chips_per_reward
        self._add_correction(batch, rows, seats, correction / self._chips_per_reward)
        agents, street = batch.agent_indices(rows, seats), self._street[rows]
        self._own[rows, agents, street] += terms  # a table decides once at a time: no row comes twice
        if self._num_seats > 2:
            live = batch.tables["in_hand"][rows].astype(np.int64)
            for seat in range(self._num_seats):
                part = np.flatnonzero((seats != seat) & (live >> seat & 1 == 1))
                theirs, agent = rows[part], (seat - batch.hands[rows[part]]) % self._num_seats
                self._others[theirs, agent, 0, street[part]] += terms[part]
                self._others[theirs, agent, 1, street[part]] += terms[part] * self._equity[theirs, seat, None]

    def _add_correction(self, batch: Hands, rows: Rows, seats: Rows, correction: Floats) -> None:
        """Add the correction of an action to the actor's, and take it from the others' by their equities."""
        live = (batch.tables["in_hand"][rows].astype(np.int64)[:, None] >> np.arange(self._num_seats)) & 1
        paid = np.where(np.arange(self._num_seats) == seats[:, None], 0.0, live * (self._equity[rows] + 1e-9))
        self._correction[rows] -= correction[:, None] * paid / paid.sum(axis=1, keepdims=True)
        self._correction[rows, seats] += correction

    def _note_streets(self, batch: Hands, rows: Rows, street: Rows) -> None:
        """Note the cards of streets up to `street` that came at tables[rows]."""
        while len(rows := rows[came := street > self._street[rows]]):
            street = street[came]
            self._street[rows] += 1
            self._note_cards(batch, rows)

    def _note_cards(self, batch: Hands, rows: Rows) -> None:
        tables, street, seats = batch.tables, self._street[rows], self._num_seats
        live = tables["in_hand"][rows].astype(np.int64)
        values, before = np.empty((len(rows), seats, BOARD_VALUES)), np.empty((len(rows), seats))
        write_board_terms(self._hands, rows, street, live, self._scratch, values, before)
        raises = tables["street_raises"][rows, street - 1].astype(np.int64)
        raiser = tables["raiser"][rows, street - 1, np.clip(raises - 1, 0, MAX_LEVELS - 2)].astype(np.int64)
        raiser = np.where(raises > 0, raiser, NOBODY)
        pot = tables["pot"][rows] / self._chips_per_reward
        for seat in range(seats):
            large = pot * pot / self._most_lost
            known = np.stack([pot, pot * (raiser == seat), large], axis=1)
            terms = (known[:, :, None] * values[:, seat, None, :]).reshape(len(rows), -1)
            self._board[rows, (seat - batch.hands[rows]) % seats, street - 1] = terms
            self._correction[rows, seat] += pot * values[:, seat, 0]
        self._equity[rows] = before + values[:, :, 0]

    def compute_controls(self, batch: Hands, agents: Sequence[int]) -> list[Controls]:
        """Return the controls of each of `agents`; all hands of the batch must be over."""
        correction = np.empty((len(batch.tables), self._num_seats))
        write_showdown_correction(batch.tables, self._street, self._hands, self._scratch, correction)
        correction = self._correction + correction / self._chips_per_reward
        return [self._agent_controls(batch, correction, agent) for agent in agents]

    def _agent_controls(self, batch: Hands, correction: Floats, agent: int) -> Controls:
        seats, n = (agent + batch.hands) % self._num_seats, len(batch.tables)
        others = self._own[:, 1 - agent] if self._num_seats == 2 else self._others[:, agent]
        parts = self._starting[self._all, :, seats], self._board[:, agent], self._own[:, agent], others
        return Controls(correction[self._all, seats], np.concatenate([part.reshape(n, -1) for part in parts], axis=1))

    def _hole_card_values(self, batch: Hands) -> Floats:
        """Return (n, k, num_seats): how good counterfactual hands are, own and others', by position of each seat."""
        n, seats = len(batch.tables), self._num_seats
        hands = _HAND_CONTROLS[:, starting_hands(self._hands["hole"])] * self._hands["weight"]  # (k, n, hands)
        slots, first = np.arange(hands.shape[2]), self._hands["first"]
        of_seat = [(slots >= first[:, [seat]]) & (slots < first[:, [seat + 1]]) for seat in range(seats)]
        own = np.stack([(hands * mine).sum(axis=2) for mine in of_seat], axis=2)  # (k, n, seats)
        equity = self._equity - self._equity.mean(axis=1, keepdims=True)
        whole = np.concatenate([equity[None], own, own.sum(axis=2, keepdims=True) - own])
        here = positions_of(seats, batch.tables)[:, None, :] == np.arange(seats)[None, :, None]  # (n, position, seat)
        return np.asarray((whole[:, :, None, :] * here).transpose(1, 2, 0, 3).reshape(n, -1, seats))
