"""Tables at which one seat learns and agents play the others: the engine of all single-learner environments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, SupportsAct, choose, decisions_at, find_agent, require_playable
from card_envs.compiler import kernel
from card_envs.game import NOBODY, Game, IllegalActionError, Tables, check_actions, check_count, is_whole
from card_envs.observation import mask_records, observation_records
from card_envs.rng import random_unit, seeded_streams
from card_envs.typing import Rows

Opponents = SupportsAct | str | Sequence[SupportsAct | str]
"""One agent for all other seats, or several, of which one is drawn for each deal. Strings as in `find_agent`."""

ILLEGAL_ACTIONS = ("raise", "penalty", "random")
"""Ways to treat a learner's illegal action: refuse it; play a random legal one in its place, and take
something from the reward or not."""

_OTHER_STREAMS = 0xA0761D6478BD642F
"""Offset of the seed for seats, opponents and their random numbers, which must not be those that deal the cards."""
_MAX_DEALS = 10_000
_MAX_DEALS_WITH_OPTIONS = 1_000  # one at a time, so slower


@dataclass(frozen=True, eq=False)
class LearnerStep:
    """Result of `reset` or `step` for the learner at each of N tables. All arrays are new: they may be kept."""

    observation: NDArray[Any]
    """(N, d): at its next decision."""
    action_mask: NDArray[np.int8]
    """(N, num_actions): its legal actions there, at least one."""
    seats: Rows
    """(N,): its seat there."""
    rewards: NDArray[np.float32]
    """(N,): everything that was paid to it since its previous decision, whoever acted."""
    is_over: NDArray[np.bool_]
    """(N,): the episode ended; observation, mask and seat belong to the next one."""
    game: Game
    final_tables: Tables
    """(number of ended episodes,): the tables as the episodes ended, in the order of np.flatnonzero(is_over)."""
    final_seats: Rows
    """(number of ended episodes,): the learner's seat in them."""

    @cached_property
    def final_observation(self) -> NDArray[Any]:
        """(number of ended episodes, d): what the learner saw as they ended; no action was legal then."""
        observation = np.empty((len(self.final_seats), self.game.layout.size), self.game.layout.dtype)
        records = observation_records(observation)
        unused = mask_records(np.empty((1, self.game.num_actions), np.int8))
        for j, seat in enumerate(self.final_seats.tolist()):
            self.game.encoder.observe(self.final_tables, j, seat, records[j : j + 1], unused)
        return observation


class SingleSeatTables:
    """N tables; at each the learner has one seat, fixed or drawn for every deal. Finished tables deal anew at once.

    An episode is one deal. It goes on when the learner has folded, until everybody knows what they won: so the rewards
    of an episode add up to the seat's payoff. Deals that end before the learner has anything to decide (everybody folds
    to its blind, say) are no episodes: they are played and left out.

    Options of `reset` fix the first deal of every table: where it ends before the learner has a decision, it is played
    again with the same options, and new random numbers for whatever they leave open. Later deals are as always.

    Seed and table number fix cards, seats and opponents at a table, and the random numbers that agents find in
    `Decisions.random_numbers`, whatever the number of tables beside it.

    Args:
        game: The game, with the encoder of the learner.
        num_tables: Number of tables.
        opponents: An agent or its name for all other seats, or several, of which one is drawn for each deal.
        seat: The learner's seat; None draws it for each deal.
        seed: Fixes everything that is random; None for an unpredictable one.

    Raises:
        ValueError: For numbers out of range, unknown agents, and agents that do not play the game.

    Example:
        >>> from card_envs import make_game
        >>> tables = SingleSeatTables(make_game("leduc_holdem-v0"), 8, opponents="random", seed=0)
        >>> step = tables.step(tables.reset().action_mask.argmax(axis=1))
        >>> step.observation.shape[0], step.rewards.dtype.name
        (8, 'float32')
    """

    def __init__(
        self, game: Game, num_tables: int, opponents: Opponents, seat: int | None = None, seed: int | None = None
    ) -> None:
        self.num_tables = check_count("num_tables", num_tables)
        if seat is not None and (not is_whole(seat) or not 0 <= seat < game.num_seats):
            raise ValueError(f"seat {seat!r} must be None or a whole number in 0..{game.num_seats - 1}")
        self.game = game
        self.opponents = _agents(opponents, game)
        self._games = [agent.apply_encoder(game) for agent in self.opponents]
        self._fixed_seat = seat
        self._rows = np.arange(self.num_tables, dtype=np.int64)
        self._opponent = np.zeros(self.num_tables, np.int64)
        self._had_options = np.zeros(self.num_tables, np.bool_)
        self._is_ready = False
        self.seats = np.zeros(self.num_tables, np.int64)
        """(N,): the learner's seat at each table."""
        self._start(seed)

    def _start(self, seed: int | None) -> None:
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self.tables = self.game.seeded_tables(self.num_tables, seed)
        self._streams = seeded_streams(self.num_tables, int(seed) + _OTHER_STREAMS)
        self._rng = np.random.default_rng(int(seed) % 2**64)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> LearnerStep:
        """Begin a new episode at every table.

        Args:
            seed: Start all random streams anew from it; None goes on with them.
            options: What fixes the deal, the same at every table; keys are `Game.option_names`.

        Raises:
            TypeError, ValueError: As `check_options`.
            RuntimeError: Where the learner never has a decision; then only another `reset` may follow.
        """
        known = self.check_options(options)
        if seed is not None:
            self._start(seed)
        self._is_ready = False
        self._begin(self._rows, known)
        self._is_ready = True
        return self._begin_episodes(np.zeros(self.num_tables, np.float32), self._rows[:0])

    def check_options(self, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return reset options as a dict, empty for None; nothing changes.

        Raises:
            TypeError: For what is no mapping.
            ValueError: For unknown keys, and for values that no deal can have.
        """
        if options is None:
            return {}
        if not isinstance(options, Mapping):
            raise TypeError(f"reset options {options!r} must be a dict")
        names = self.game.option_names
        unknown = sorted(map(str, set(options) - set(names)))
        if unknown:
            raise ValueError(f"reset options {unknown} are not known: choose from {list(names)}")
        if options:
            self.game.deal_with(self.tables[:1].copy(), 0, options)
        return dict(options)

    def restart(self, rows: Rows, options: Mapping[str, Any] | None = None) -> LearnerStep:
        """Begin a new episode at some tables, wherever they are in theirs; the others stay as they are.

        Args:
            rows: Numbers of the tables.
            options: What fixes the deal, as in `reset`.
        """
        known = self.check_options(options)
        if not self._is_ready:
            raise RuntimeError("call reset() before restart()")
        self._is_ready = False
        self._begin(rows, known)
        self._is_ready = True
        return self._begin_episodes(np.zeros(self.num_tables, np.float32), self._rows[:0])

    def step(self, actions: Any, rows: Rows | None = None) -> LearnerStep:
        """Take the learner's actions and let the others act until its next decision or the end.

        Args:
            actions: (N,) of any integer type. An illegal one raises and changes no table.
            rows: Numbers of the tables at which actions are taken, None for all; nothing happens at the others.

        Returns:
            What the learner sees at every table, and its rewards since its previous decisions.

        Raises:
            IllegalActionError: For an illegal action, with table and reason. No table is changed.
            RuntimeError: Before the first `reset`, and for opponents that act illegally.
        """
        if not self._is_ready:
            raise RuntimeError("call reset() before step()")
        rewards, chosen = np.zeros(self.num_tables, np.float32), check_actions(actions, self.num_tables)
        rows = self._rows if rows is None else rows
        illegal = self._apply(rows, chosen[rows], rewards)
        if illegal is not None:
            raise IllegalActionError(illegal)
        self._is_ready = False  # stays so if an opponent fails
        self._play_on(rows, rewards)
        step = self._begin_episodes(rewards, np.flatnonzero(self.tables["is_over"]))
        self._is_ready = True
        return step

    def _begin_episodes(self, rewards: NDArray[np.float32], finished: Rows) -> LearnerStep:
        """Begin the next episode at finished tables and return what the learner sees everywhere."""
        is_over = np.zeros(self.num_tables, np.bool_)
        is_over[finished] = True
        final_tables, final_seats = self.tables.take(finished), self.seats[finished]
        self._begin(finished)
        observation = np.empty((self.num_tables, self.game.layout.size), self.game.layout.dtype)
        mask = np.empty((self.num_tables, self.game.num_actions), np.int8)
        self.game.encoder.observe_batch(self.tables, self._rows, observation_records(observation), mask_records(mask))
        return LearnerStep(observation, mask, self.seats.copy(), rewards, is_over, self.game, final_tables, final_seats)

    def _begin(self, rows: Rows, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Deal at `rows`, and again where the deal ends before the learner has a decision."""
        most = _MAX_DEALS_WITH_OPTIONS if options else _MAX_DEALS
        for _ in range(most):
            if not len(rows):
                return
            self._deal(rows, options)
            units = self._units(rows)
            self.seats[rows] = units * self.game.num_seats if self._fixed_seat is None else self._fixed_seat
            self._opponent[rows] = self._units(rows) * len(self.opponents)
            for agent, theirs in self._agents_with_deal_events(rows):
                agent.deal_starts(theirs)
            self._play_on(rows, np.zeros(self.num_tables, np.float32))
            rows = rows[self.tables["is_over"][rows] == 1]
        with_options = f" with reset options {sorted(options)}" if options else ""
        raise RuntimeError(
            f"in {most} deals{with_options}, the learner never had a decision: look at stacks, seat and opponents"
        )

    def _deal(self, rows: Rows, options: Mapping[str, Any]) -> None:
        """Deal at `rows`, with the options if there are any; the stacks of earlier ones do not stay."""
        apart = rows if options else rows[self._had_options[rows]]
        for row in apart.tolist():
            self.game.deal_with(self.tables, row, options)
        if not len(apart):
            self.game.deal_batch(self.tables, rows)
        elif not options:
            self.game.deal_batch(self.tables, np.setdiff1d(rows, apart))
        self._had_options[rows] = bool(options)

    def _play_on(self, rows: Rows, rewards: NDArray[np.float32]) -> None:
        """Let opponents act at `rows` until the learner has a decision or the deal is over; add up what it is paid."""
        waiting = rows
        while len(waiting):
            actors = self.tables["actor"][waiting]
            waiting = waiting[(actors != NOBODY) & (actors != self.seats[waiting])]
            for index in range(len(self.opponents)):
                theirs = waiting[self._opponent[waiting] == index]
                if len(theirs):
                    self._act(index, theirs, rewards)
        for agent, theirs in self._agents_with_deal_events(rows[self.tables["is_over"][rows] == 1]):
            self._show_ends(agent, theirs)
            agent.deal_ends(theirs, self.tables["payoff"][theirs, : self.game.num_seats] / self.game.chips_per_reward)

    def _show_ends(self, agent: Agent, rows: Rows) -> None:
        """Let an opponent that wants to see how deals ended, from each seat but the learner's."""
        for step in range(1, self.game.num_seats if agent.needs_showdowns else 1):
            seats = (self.seats[rows] + step) % self.game.num_seats
            agent.sees_end(
                Decisions(agent.apply_encoder(self.game), seats, rows, np.zeros(len(rows)), self.tables, rows)
            )

    def _act(self, index: int, rows: Rows, rewards: NDArray[np.float32]) -> None:
        agent = self.opponents[index]
        decisions = decisions_at(self._games[index], self.tables, rows, rows, self._units(rows))
        try:
            actions = check_actions(agent.act(decisions, self._rng), len(rows))
        except IllegalActionError as error:
            raise RuntimeError(f"opponent {agent.name!r} returned {error}") from error
        illegal = self._apply(rows, actions, rewards)
        if illegal is not None:
            raise RuntimeError(f"opponent {agent.name!r}: {illegal}")

    def _apply(self, rows: Rows, actions: Rows, rewards: NDArray[np.float32]) -> str | None:
        """Take one action at each of `rows`, or say which is illegal and change nothing."""
        paid = np.empty((len(rows), self.game.num_seats), np.float32)
        is_over = np.empty(len(rows), np.uint8)
        illegal = self.game.step_batch(self.tables, rows, actions, paid, is_over, False)
        if illegal >= 0:
            table = int(rows[illegal])
            return f"table {table}: {self.game.why_illegal(self.tables, table, int(actions[illegal]))}"
        rewards[rows] += paid[np.arange(len(rows)), self.seats[rows]]
        return None

    def _agents_with_deal_events(self, rows: Rows) -> Iterator[tuple[Agent, Rows]]:
        """Yield the agents that follow deals, each with those of `rows` at which it plays, if there are any."""
        for index, agent in enumerate(self.opponents):
            if agent.needs_deal_events:
                theirs = rows[self._opponent[rows] == index]
                if len(theirs):
                    yield agent, theirs

    def _units(self, rows: Rows) -> NDArray[np.float64]:
        """Return a random number in [0, 1) for each row."""
        units = np.empty(len(rows))
        _write_units(self._streams, rows, units)
        return units


def check_illegal_action(illegal_action: str) -> str:
    """Return `illegal_action`, or raise a ValueError if it is none of `ILLEGAL_ACTIONS`."""
    if illegal_action not in ILLEGAL_ACTIONS:
        raise ValueError(f"illegal_action {illegal_action!r} is not known: choose one of {list(ILLEGAL_ACTIONS)}")
    return illegal_action


def replace_illegal(
    actions: Rows, mask: NDArray[np.int8], illegal_action: str, rng: np.random.Generator
) -> tuple[Rows, NDArray[np.bool_]]:
    """Replace illegal actions by random legal ones.

    Args:
        actions: (n,) action ids.
        mask: (n, num_actions) action masks.
        illegal_action: One of `ILLEGAL_ACTIONS`; with "raise" nothing is replaced.
        rng: Generator of the random legal actions.

    Returns:
        The actions (n,), and where they were replaced (n,), bool.

    Raises:
        IllegalActionError: For ids outside 0..num_actions - 1.
    """
    n, num_actions = mask.shape
    inside = (actions >= 0) & (actions < num_actions)
    if not inside.all():
        wrong = int(np.flatnonzero(~inside)[0])
        raise IllegalActionError(f"table {wrong}: action {actions[wrong]} is outside 0..{num_actions - 1}")
    is_illegal = mask[np.arange(n), actions] == 0
    if illegal_action == "raise" or not is_illegal.any():
        return actions, np.zeros(n, np.bool_)
    return np.where(is_illegal, choose(mask, rng.random((n,))), actions), is_illegal


@kernel
def _write_units(streams: Any, rows: Any, units: Any) -> None:
    for j in range(rows.shape[0]):
        units[j] = random_unit(streams[rows[j]])


def _agents(opponents: Opponents, game: Game) -> list[Agent]:
    listed = list(opponents) if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents]
    if not listed:
        raise ValueError("opponents are an empty list: name at least one agent")
    return [find_agent(agent, game) if isinstance(agent, str) else require_playable(agent, game) for agent in listed]
