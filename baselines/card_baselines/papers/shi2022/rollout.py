"""Many tables of six-max limit hold'em at once, and what the learners among the players remember of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.shi2022.networks import PokerNetwork, TableHistories, compute_actor_probabilities
from card_envs.agent import choose
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import seat_position
from card_envs.games.holdem.encoders.texas import percentile_at
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.poker.hands import HOLE_CARDS
from card_envs.typing import Rows


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Decisions of one learner in one round: hands, each with the rows of its decisions, in order.

    A row's next state is the row behind it, unless the row is `done`.
    """

    tokens: NDArray[np.uint16]
    """(hands, most decisions): the betting, as in the encoder `shi2022`."""
    holes: NDArray[np.uint8]
    """(hands, 2 * seats): everybody's hole cards, by position."""
    counts: NDArray[np.int64]
    """(hands,): rows of each hand."""
    rows: dict[str, NDArray[Any]]
    """Arrays of shape (sum of counts, ...), by name: see `ROW_FIELDS`."""


ROW_FIELDS: dict[str, np.dtype[Any]] = {
    "fixed": np.dtype(np.float16),  # what the actor reads beside the history
    "percentiles": np.dtype(np.float16),  # of everybody's hand, by position
    "length": np.dtype(np.int16),  # decisions so far
    "mask": np.dtype(np.int8),
    "action": np.dtype(np.int8),
    "cost": np.dtype(np.float32),  # chips that the action put in
    "share": np.dtype(np.float32),  # chips of the pot won, in the last row of a hand
    "done": np.dtype(np.bool_),
}


def deal_tables(game: Game, num_tables: int, seed: int, number: int) -> Tables:
    """Return the freshly dealt tables of round `number`; of each `num_seats` in a row, every seat has one button."""
    tables = game.seeded_tables(num_tables, seed, first_table=number * num_tables)
    tables["button"] = np.arange(num_tables) % game.num_seats
    game.deal_batch(tables, np.arange(num_tables))
    return tables


class Rollout:
    """One hand at every table, played to its end."""

    def __init__(
        self,
        game: Game,
        tables: Tables,
        actors: Sequence[PokerNetwork],
        actor_of_seat: Sequence[int],
        learner_of_seat: Sequence[int | None],
        *,
        fixed_size: int,
        exploration: float,
        rng: np.random.Generator,
    ) -> None:
        """Seat actors and learners; learners play a random legal action with probability `exploration`."""
        self._game, self._tables, self._actors = game, tables, actors
        self._actor_of_seat = np.array(actor_of_seat)
        self._learners = sorted({learner for learner in learner_of_seat if learner is not None})
        self._learner_of_seat = np.array([-1 if learner is None else learner for learner in learner_of_seat])
        self._fixed_size, self._exploration, self._rng = fixed_size, exploration, rng
        self._history = game.layout.slices["history"]
        self._histories = [TableHistories(actor.history, len(tables), actor.device) for actor in actors]
        self._tokens = np.zeros((len(tables), game.layout.size - self._history.start), np.uint16)
        self._steps: list[dict[str, NDArray[Any]]] = []
        self.counts = np.zeros(game.num_actions, np.int64)
        """Number of times that learners chose each action."""

    def play(self) -> list[Trajectories]:
        """Play all hands; return what each learner saw, in the order of their numbers."""
        rewards = np.empty((len(self._tables), self._game.num_seats), np.float32)
        is_over = np.empty(len(self._tables), np.uint8)
        active = np.flatnonzero(self._tables["is_over"] == 0)
        while len(active):
            self._step(active, rewards, is_over)
            active = active[is_over[: len(active)] == 0]
        return [self._trajectories(learner) for learner in self._learners]

    def _step(self, active: Rows, rewards: NDArray[np.float32], is_over: NDArray[np.uint8]) -> None:
        seats = self._tables["actor"][active].astype(np.int64)
        observation, mask = self._game.observe_actors(self._tables, active)
        tokens = observation[:, self._history].astype(np.int64)
        self._tokens[active] = tokens
        actions = self._choose(active, seats, observation, tokens, mask)
        mine = np.flatnonzero(self._learner_of_seat[seats] >= 0)
        before = self._tables["hand_commit"][active, seats]
        percentiles = np.empty((len(mine), self._game.num_seats), np.float32)
        write_percentiles(self._tables, active[mine], percentiles)
        self._game.step_batch(self._tables, active, actions, rewards, is_over, False)
        paid = self._tables["hand_commit"][active, seats] - before
        self.counts += np.bincount(actions[mine], minlength=len(self.counts))
        self._steps.append({
            "table": active[mine],
            "seat": seats[mine],
            "fixed": observation[mine, : self._fixed_size].astype(np.float16),
            "percentiles": percentiles.astype(np.float16),
            "length": (tokens[mine] > 0).sum(axis=1).astype(np.int16),
            "mask": mask[mine],
            "action": actions[mine].astype(np.int8),
            "cost": paid[mine].astype(np.float32),
        })  # fmt: skip

    def _choose(
        self, active: Rows, seats: Rows, observation: NDArray[np.float32], tokens: Rows, mask: NDArray[np.int8]
    ) -> Rows:
        probabilities = compute_actor_probabilities(
            self._actors, self._actor_of_seat[seats], observation[:, : self._fixed_size], mask,
            lambda number, mine: self._histories[number].read(active[mine], tokens[mine]),
        )  # fmt: skip
        explores = self._rng.random(len(seats)) < self._exploration * (self._learner_of_seat[seats] >= 0)
        probabilities[explores] = mask[explores]
        return choose(probabilities, self._rng.random(len(seats)))

    def _trajectories(self, learner: int) -> Trajectories:
        game, tables = self._game, self._tables
        steps = {name: np.concatenate([step[name] for step in self._steps]) for name in self._steps[0]}
        mine = np.flatnonzero(self._learner_of_seat[steps["seat"]] == learner)
        hand = steps["table"][mine] * game.num_seats + steps["seat"][mine]
        order = np.argsort(hand, kind="stable")
        rows = {name: column[mine[order]] for name, column in steps.items()}
        _, first, counts = np.unique(hand[order], return_index=True, return_counts=True)
        table, seat = rows.pop("table"), rows.pop("seat")
        rows["done"] = np.zeros(len(table), np.bool_)
        rows["done"][first + counts - 1] = True
        won = np.maximum(0, tables["payoff"][table, seat] + tables["hand_commit"][table, seat])
        rows["share"] = np.where(rows["done"], won, 0).astype(np.float32)
        return Trajectories(self._tokens[table[first]], holes_by_position(game, tables)[table[first]], counts, rows)


def holes_by_position(game: Game, tables: Tables) -> NDArray[np.uint8]:
    """Return the hole cards of all seats (n, 2 * seats), first those of the seat left of the button."""
    seats = (tables["button"][:, None].astype(np.int64) + 1 + np.arange(game.num_seats)) % game.num_seats
    places = (HOLE_CARDS * seats[:, :, None] + np.arange(HOLE_CARDS)).reshape(len(tables), -1)
    return np.asarray(np.take_along_axis(tables["deck"], places, axis=1), np.uint8)


@kernel
def write_percentiles(tables: Any, rows: Any, percentiles: Any) -> None:
    """Write, by position, the share of all hands that are not better than each seat's at tables[rows[j]]."""
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        n, shown = np.int64(t.num_seats), num_board_cards(t)
        for seat in range(n):
            percentiles[j, seat_position(t, seat)] = percentile_at(t, seat, shown)
