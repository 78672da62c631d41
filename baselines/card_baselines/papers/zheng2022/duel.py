"""Hand after hand between learners and their rivals at many tables side by side, one pair at each.

The pairs have nothing to do with each other: table k is the k-th run of an experiment, often one seed of it. Playing
and training them together is faster because networks of ten or forty runs cost little more than one. Where a run has
to train before its next hand, its table waits until all others have to as well, or are done.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.zheng2022.situation import BIG_BLIND, column_of
from card_envs.agent import Agent, decisions_at, write_random_numbers
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.holdem.presets import limit_holdem
from card_envs.rng import make_generator
from card_envs.typing import Rows

MOST_DECISIONS = 64
"""Maximum number of decisions in a hand; under RLCard's rules at most 26 are possible."""
_HANDS_OF_TABLE = 2**32


def make_paper_game(encoder: str = "rlcard") -> Game:
    """Return heads-up limit hold'em under RLCard's rules."""
    return limit_holdem(rules="rlcard", encoder=encoder)


@dataclass(frozen=True, eq=False)
class Hand:
    """One hand that is over, with all cards."""

    tables: Tables
    """(n,): the table before each decision."""
    columns: NDArray[np.int64]
    """(n,): what was decided: call, raise, fold, check."""
    final: Tables
    """(1,): the table after the last decision."""
    payoffs: NDArray[np.float64]
    """(2,): big blinds won by each seat."""

    def decisions_of(self, seat: int) -> Rows:
        """Return the places of a seat's decisions, in order."""
        return np.flatnonzero(self.tables["actor"] == seat)

    def rewards_of(self, seat: int) -> NDArray[np.float64]:
        """Return the rewards of a seat's decisions: 0 but for the last, which gets the payoff."""
        rewards = np.zeros(len(self.decisions_of(seat)))
        rewards[-1:] = self.payoffs[seat]
        return rewards


class Learners(Agent):
    """Learners of one kind, one at each table: `act` explores for the learner of each decision's table."""

    steps_of_training: int
    """Gradient steps of a training, roughly: of two kinds the cheaper one trains first."""

    @abstractmethod
    def learn(self, table: int, hand: Hand, seat: int) -> None:
        """Store the decisions of a hand that the learner of a table played at `seat`."""

    @abstractmethod
    def needs_training(self) -> NDArray[np.bool_]:
        """Return (tables,): True for learners that have to train before the next hand."""

    @abstractmethod
    def train(self, tables: Rows) -> None:
        """Train the learners of these tables, all of which wait."""

    @abstractmethod
    def make_player(self, table: int) -> Agent:
        """Return the trained player of a learner, which neither explores nor learns."""


class Duels:
    """Matches of learner k, at table k, against a rival: learner k of another kind, or a player that does not learn."""

    def __init__(self, learners: Learners, rivals: Learners | Sequence[Agent], num_tables: int, seed: int) -> None:
        """Seat learners at 0 and rivals, one for each table, at 1."""
        self.game = make_paper_game()
        opponents = [rivals] * num_tables if isinstance(rivals, Learners) else rivals
        self.learners = [(seat, each) for seat, each in enumerate((learners, rivals)) if isinstance(each, Learners)]
        self._different: list[Agent] = list({id(player): player for player in (learners, *opponents)}.values())
        places = {id(player): k for k, player in enumerate(self._different)}
        self._player_at = np.array([[0] * num_tables, [places[id(player)] for player in opponents]])
        self._encoders = [player.find_encoder(self.game) for player in self._different]
        self._tables = self.game.seeded_tables(num_tables, seed)
        self._before = np.zeros((num_tables, MOST_DECISIONS), self._tables.dtype)
        self._columns = np.zeros((num_tables, MOST_DECISIONS), np.int64)
        self._length = np.zeros(num_tables, np.int64)
        self._seed, self._rng = seed, make_generator(seed)
        self.hands = np.zeros(num_tables, np.int64)
        """(tables,): played so far."""

    def play(self, hands: int, progress: Callable[[int], None] | None = None) -> None:
        """Play until every table has seen `hands` hands; `progress` gets the number of hands since its last call."""
        while True:
            waits = np.zeros(len(self._tables), bool)
            for _, learners in self.learners:
                waits |= learners.needs_training()
            ready = np.flatnonzero((self.hands < hands) & ~waits)
            if len(ready):
                self._play_hands(ready)
                if progress is not None:
                    progress(len(ready))
            elif waits.any():  # the expensive kind once many wait for it, which costs no more than one
                waiting = [learners for _, learners in self.learners if learners.needs_training().any()]
                cheapest = min(waiting, key=lambda learners: learners.steps_of_training)
                cheapest.train(np.flatnonzero(cheapest.needs_training()))
            else:
                return

    def _play_hands(self, rows: Rows) -> None:
        tables = self._tables
        self.game.deal_batch(tables, rows)
        self._length[rows] = 0
        active, number = rows, 0
        rewards, is_over = np.empty((len(rows), 2), np.float32), np.empty(len(rows), np.uint8)
        while len(active):
            actions = self._actions(active, number)
            append_decisions(tables, active, actions, self._before, self._columns, self._length)
            illegal = self.game.step_batch(tables, active, actions, rewards, is_over, False)
            if illegal >= 0:
                raise ValueError(self.game.why_illegal(tables, int(active[illegal]), int(actions[illegal])))
            active = active[is_over[: len(active)] == 0]
            number += 1
        for row in rows.tolist():
            hand = self._hand(row)
            for seat, learners in self.learners:
                learners.learn(row, hand, seat)
        self.hands[rows] += 1

    def _actions(self, rows: Rows, number: int) -> Rows:
        seats = self._tables["actor"][rows].astype(np.int64)
        random_numbers, actions = np.empty(len(rows)), np.empty(len(rows), np.int64)
        deals = rows * _HANDS_OF_TABLE + self.hands[rows]
        write_random_numbers(np.uint64(self._seed), deals, number, seats, random_numbers)
        players = self._player_at[seats, rows]
        for k, player in enumerate(self._different):
            mine = np.flatnonzero(players == k)
            if len(mine):
                asked = decisions_at(
                    self.game, self._tables, rows[mine], rows[mine], random_numbers[mine], encoder=self._encoders[k]
                )
                actions[mine] = player.act(asked, self._rng)
        return actions

    def _hand(self, row: int) -> Hand:
        end, final = int(self._length[row]), self._tables[row : row + 1]
        payoffs = final["payoff"][0, :2] / BIG_BLIND
        return Hand(self._before[row, :end], self._columns[row, :end].copy(), final, payoffs)


@kernel
def append_decisions(tables: Any, rows: Any, actions: Any, before: Any, columns: Any, length: Any) -> None:
    """Append each row's table and what is decided there."""
    for j in range(rows.shape[0]):
        row = rows[j]
        if length[row] < MOST_DECISIONS:
            before[row, length[row]] = tables[row]
            columns[row, length[row]] = column_of(tables[row], actions[j])
            length[row] += 1
