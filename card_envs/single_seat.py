"""The engine of all single-agent environments: many tables with a learner at one seat and agents at the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, SupportsAct, choose, decisions_at, to_agent
from card_envs.agent.hooks import end_deals, show_actions
from card_envs.compiler import kernel
from card_envs.game import NOBODY, Game, IllegalActionError, Tables, check_actions, check_count, check_switch, is_whole
from card_envs.game_loops import NO_ACTION
from card_envs.observation import mask_records
from card_envs.rng import make_generator, random_seed, random_unit, seeded_streams
from card_envs.typing import Rows

__all__ = [
    "ILLEGAL_ACTIONS",
    "LearnerStep",
    "Opponents",
    "SingleSeatTables",
    "check_illegal_action",
    "final_mask",
]

Opponents = SupportsAct | str | Sequence[SupportsAct | str | Sequence[SupportsAct | str]]
"""An agent for all other seats, or a sequence, from which each deal draws one. An item of it may be a sequence of
agents, one for each other seat, in the order of play after the learner. Strings as in `find_agent`."""

ILLEGAL_ACTIONS = ("raise", "penalty", "random")
"""Ways to treat an illegal action of the learner: raise an error; play a random legal action instead and subtract a
penalty from the reward; play one without a penalty."""

_OTHER_STREAMS = 0xA0761D6478BD642F
"""Offset of the seed for seats, opponents and their decisions, so that the deals use different random numbers."""
_MAX_DEALS = 10_000
_MAX_DEALS_WITH_OPTIONS = 1_000  # one at a time, so slower


@dataclass(frozen=True, eq=False)
class LearnerStep:
    """Result of `reset` or `step` for the learner at each of N tables. All arrays are new and may be changed."""

    observation: NDArray[Any]
    """(N, d): observation of the learner at its next decision."""
    action_mask: NDArray[np.int8]
    """(N, num_actions): legal actions at that decision, at least one per row."""
    seats: Rows
    """(N,): seat of the learner at that decision."""
    rewards: NDArray[np.float32]
    """(N,): sum of the learner's rewards since its previous decision."""
    is_over: NDArray[np.bool_]
    """(N,): True if the episode ended; observation, mask and seat then belong to the next episode."""
    game: Game
    """The game, with the learner's encoder."""
    final_tables: Tables
    """(number of ended episodes,): the tables at the end of the episodes, in the order of np.flatnonzero(is_over)."""
    final_seats: Rows
    """(number of ended episodes,): seats of the learner in the ended episodes."""

    @cached_property
    def final_observation(self) -> NDArray[Any]:
        """(number of ended episodes, d): last observations of the ended episodes."""
        rows = np.arange(len(self.final_seats))
        return self.game.observe_seats(self.final_tables, rows, self.final_seats)[0]


def final_mask(game: Game) -> NDArray[np.int8]:
    """Return the action mask (num_actions,) of a final observation: all ones.

    No action is taken there, but policies compute a distribution over actions, which needs at least one.
    """
    return np.ones(game.num_actions, np.int8)


class SingleSeatTables:
    """N tables with a learner at one seat each. A table whose episode ends deals the next one in the same step.

    An episode is one deal. It continues after the learner has folded, until the deal is over, so that the rewards of an
    episode add up to the payoff of the learner's seat. Deals that end before the learner has a decision (all others
    fold to its blind, for example) are no episodes: they are played and skipped.

    Options of `reset` apply to the first deal of every table. If it ends before the learner has a decision, it is
    repeated with the same options and new random numbers.

    Cards, seats, opponents and the random numbers of decisions at a table depend on the seed and the index of the
    table, not on the number of tables.

    Args:
        game: The game, with the encoder of the learner.
        num_tables: Number of tables N.
        opponents: An agent or its name for all other seats, or a sequence, from which each deal draws one: an agent, or
            a sequence of agents for the seats after the learner's, such as [["chen", "equity"]] with three seats.
        seat: The learner's seat; None draws it for each deal.
        seed: Seed of deals, seats and opponents; None: unpredictable.
        skip_forced: Whether decisions of the learner with one legal action are taken without being shown, so that every
            mask has at least two legal actions. Deals, opponents and rewards are the same.

    Raises:
        ValueError: For numbers out of range, unknown agents, and agents that cannot play the game.

    Example:
        >>> from card_envs import make_game
        >>> tables = SingleSeatTables(make_game("leduc_holdem-v0"), 8, opponents="random", seed=0)
        >>> step = tables.step(tables.reset().action_mask.argmax(axis=1))
        >>> step.observation.shape[0], step.rewards.dtype.name
        (8, 'float32')
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        opponents: Opponents,
        seat: int | None = None,
        seed: int | None = None,
        skip_forced: bool = False,
    ) -> None:
        self.num_tables = check_count("num_tables", num_tables)
        if seat is not None and (not is_whole(seat) or not 0 <= seat < game.num_seats):
            raise ValueError(f"seat {seat!r} must be None or a whole number in 0..{game.num_seats - 1}")
        self.game = game
        self.opponents, self._lineups = _find_lineups(opponents, game)
        self._encoders = [agent.find_encoder(game) for agent in self.opponents]
        self._remembering = [index for index, agent in enumerate(self.opponents) if agent.needs_deal_events]
        self._observing = [index for index, agent in enumerate(self.opponents) if agent.needs_actions]
        self._fixed_seat = seat
        self.skip_forced = check_switch("skip_forced", skip_forced)
        self._rows = np.arange(self.num_tables, dtype=np.int64)
        self._lineup = np.zeros(self.num_tables, np.int64)
        self._is_ready = False
        self.seats = np.zeros(self.num_tables, np.int64)
        """(N,): the learner's seat at each table."""
        self._start(seed)

    def _start(self, seed: int | None) -> None:
        if seed is None:
            seed = random_seed()
        self.tables = self.game.seeded_tables(self.num_tables, seed)
        self._streams = seeded_streams(self.num_tables, int(seed) + _OTHER_STREAMS)
        self._rng = make_generator(seed)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> LearnerStep:
        """Begin a new episode at every table.

        Args:
            seed: Restarts all random streams; None continues them.
            options: Options of the first deal, the same at every table; keys are `Game.option_names`.

        Raises:
            TypeError: If the options are no mapping.
            ValueError: For unknown options, and values that no deal can have.
            RuntimeError: If the learner never has a decision; only another `reset` may follow.
        """
        known = self.check_options(options)
        if seed is not None:
            self._start(seed)
        return self._restart(self._rows, known)

    def _restart(self, rows: Rows, options: Mapping[str, Any]) -> LearnerStep:
        self._is_ready = False
        self._begin(rows, options)
        self._is_ready = True
        return self._begin_episodes(np.zeros(self.num_tables, np.float32), self._rows[:0])

    def check_options(self, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the known reset options as a dict, empty for None, without dealing; warn of others.

        Raises:
            TypeError: If the options are no mapping.
            ValueError: For values that no deal can have.
        """
        known = self.game.check_options(options)
        if known:
            self.game.deal_with(self.tables[:1].copy(), 0, known)
        return known

    def restart(self, rows: Rows, options: Mapping[str, Any] | None = None) -> LearnerStep:
        """Begin a new episode at some tables, even in the middle of one; the others do not change.

        Args:
            rows: (k,) indices of the tables, increasing.
            options: Options of their first deal, as in `reset`.

        Raises:
            ValueError: For rows that are no tables.
            RuntimeError: Before the first `reset`.
        """
        known, chosen = self.check_options(options), self._check_rows(rows)
        if not self._is_ready:
            raise RuntimeError("call reset() before restart()")
        return self._restart(chosen, known)

    def _check_rows(self, rows: Any) -> Rows:
        """Return the rows; ValueError for what kernels would read or write outside of the tables, or twice."""
        chosen = np.asarray(rows)
        if not chosen.size and chosen.ndim == 1:
            return self._rows[:0]
        if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            raise ValueError(f"rows of shape {chosen.shape} and dtype {chosen.dtype} must be integers (k,)")
        first, last = int(chosen[0]), int(chosen[-1])
        if first < 0 or last >= self.num_tables or not (chosen[1:] > chosen[:-1]).all():
            raise ValueError(f"rows {chosen} must be different tables in 0..{self.num_tables - 1}, in increasing order")
        return np.ascontiguousarray(chosen, np.int64)

    def step(self, actions: Any, rows: Rows | None = None) -> LearnerStep:
        """Take the learner's actions; the opponents act until its next decision or the end of the deal.

        Args:
            actions: (N,) action ids, of any integer type.
            rows: (k,) indices of the tables at which actions are taken, increasing, None for all; the others do not
                change.

        Returns:
            Observations of the learner at every table, and its rewards since its previous decisions.

        Raises:
            IllegalActionError: If an action is illegal; the message names table and reason, no table is changed.
            ValueError: For rows that are no tables.
            RuntimeError: Before the first `reset`, and if an opponent acts illegally.
        """
        if not self._is_ready:
            raise RuntimeError("call reset() before step()")
        rewards, chosen = np.zeros(self.num_tables, np.float32), check_actions(actions, self.num_tables)
        rows = self._rows if rows is None else self._check_rows(rows)
        illegal = self._apply(rows, chosen[rows], rewards)
        if illegal is not None:
            raise IllegalActionError(illegal)
        self._is_ready = False  # stays so if an opponent fails
        self._play_on(rows, rewards)
        step = self._begin_episodes(rewards, np.flatnonzero(self.tables["is_over"]))
        self._is_ready = True
        return step

    def action_masks(self) -> NDArray[np.int8]:
        """Return the legal actions (N, num_actions) of the learner at its next decision, in a new array.

        They are computed from the tables, so they do not depend on what a caller did to the masks it got.
        """
        mask = np.empty((self.num_tables, self.game.num_actions), np.int8)
        self.game.mask_batch(self.tables, self._rows, mask_records(mask))
        return mask

    def replace_illegal(
        self, actions: Rows, illegal_action: str, rng: np.random.Generator, rows: Rows | None = None
    ) -> tuple[Rows, NDArray[np.bool_]]:
        """Replace illegal actions by random legal ones.

        Args:
            actions: (N,) action ids.
            illegal_action: One of `ILLEGAL_ACTIONS`; with "raise" nothing is replaced.
            rng: Generator of the random legal actions.
            rows: (k,) indices of the tables at which actions are taken, None for all; the others are not checked.

        Returns:
            Actions (N,), and True where they were replaced (N,).

        Raises:
            IllegalActionError: For ids outside 0..num_actions - 1.
        """
        last = self.game.num_actions - 1
        inside = (actions >= 0) & (actions <= last)
        if not inside.all():
            wrong = int(np.flatnonzero(~inside)[0])
            raise IllegalActionError(f"table {wrong}: action {actions[wrong]} is outside 0..{last}")
        is_illegal = np.zeros(self.num_tables, np.bool_)
        rows = self._rows if rows is None else rows
        if illegal_action == "raise" or self.game.first_illegal(self.tables, rows, actions[rows]) < 0:
            return actions, is_illegal
        mask = self.action_masks()
        is_illegal[rows] = mask[rows, actions[rows]] == 0
        legal, numbers = actions.copy(), rng.random((self.num_tables,))
        legal[is_illegal] = choose(mask[is_illegal], numbers[is_illegal])
        return legal, is_illegal

    def _begin_episodes(self, rewards: NDArray[np.float32], finished: Rows) -> LearnerStep:
        """Begin the next episode at finished tables and return the observations of the learner at all tables."""
        is_over = np.zeros(self.num_tables, np.bool_)
        is_over[finished] = True
        final_tables, final_seats = self.tables.take(finished), self.seats[finished]
        self._begin(finished)
        observation, mask = self.game.observe_actors(self.tables, self._rows)
        return LearnerStep(observation, mask, self.seats.copy(), rewards, is_over, self.game, final_tables, final_seats)

    def _begin(self, rows: Rows, options: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Deal at `rows`; deal again where the deal ends before the learner has a decision."""
        most = _MAX_DEALS_WITH_OPTIONS if options else _MAX_DEALS
        for _ in range(most):
            if not len(rows):
                return
            if options:
                for row in rows.tolist():
                    self.game.deal_with(self.tables, row, options)
            else:
                self.game.deal_batch(self.tables, rows)
            drawn = self._draw(rows) * self.game.num_seats
            self.seats[rows] = drawn if self._fixed_seat is None else self._fixed_seat
            self._lineup[rows] = self._draw(rows) * len(self._lineups)
            for index, theirs, _ in self._select_rows(self._remembering, rows):
                self.opponents[index].deal_starts(theirs)
            self._play_on(rows, np.zeros(self.num_tables, np.float32))
            rows = rows[self.tables["is_over"][rows] == 1]
        with_options = f" with reset options {sorted(options)}" if options else ""
        raise RuntimeError(
            f"the learner had no decision in {most} deals{with_options}: check stacks, seat and opponents"
        )

    def _play_on(self, rows: Rows, rewards: NDArray[np.float32]) -> None:
        """Let opponents act at `rows` until the learner has a decision or the deal is over; add to its `rewards`."""
        waiting = rows
        while len(waiting):
            waiting = waiting[self.tables["actor"][waiting] != NOBODY]
            is_learner = self.tables["actor"][waiting] == self.seats[waiting]
            learners, waiting = waiting[is_learner], waiting[~is_learner]
            after_learner = (self.tables["actor"][waiting] - self.seats[waiting]) % self.game.num_seats - 1
            acting = self._lineups[self._lineup[waiting], after_learner]
            for index in range(len(self.opponents)):
                theirs = waiting[acting == index]
                if len(theirs):
                    self._act(index, theirs, rewards)
            if self.skip_forced and len(learners):
                waiting = np.union1d(waiting, self._take_forced(learners, rewards))
        if self._remembering:
            for index, theirs, seats in self._select_rows(self._remembering, rows[self.tables["is_over"][rows] == 1]):
                end_deals(self.game, self.opponents[index], self.tables, theirs, theirs, seats)

    def _take_forced(self, rows: Rows, rewards: NDArray[np.float32]) -> Rows:
        """Act for the learner where it has one legal action, and return these rows."""
        actions = np.empty(len(rows), np.int64)
        self.game.forced_batch(self.tables, rows, actions)
        is_forced = actions != NO_ACTION
        if is_forced.any():
            self._apply(rows[is_forced], actions[is_forced], rewards)
        forced: Rows = rows[is_forced]
        return forced

    def _act(self, index: int, rows: Rows, rewards: NDArray[np.float32]) -> None:
        agent = self.opponents[index]
        encoder = self._encoders[index]
        decisions = decisions_at(self.game, self.tables, rows, rows, self._draw(rows), encoder=encoder)
        try:
            actions = check_actions(agent.act(decisions, self._rng), len(rows))
        except IllegalActionError as error:
            raise RuntimeError(f"opponent {agent.name!r} returned {error}") from error
        illegal = self._apply(rows, actions, rewards)
        if illegal is not None:
            raise RuntimeError(f"opponent {agent.name!r}: {illegal}")

    def _apply(self, rows: Rows, actions: Rows, rewards: NDArray[np.float32]) -> str | None:
        """Take one action at each of `rows`; if one is illegal, change nothing and return the reason."""
        paid = np.empty((len(rows), self.game.num_seats), np.float32)
        is_over = np.empty(len(rows), np.uint8)
        if self._observing and self.game.first_illegal(self.tables, rows, actions) < 0:
            taken_at = np.zeros(self.num_tables, np.int64)
            taken_at[rows] = actions
            for index, theirs, seats in self._select_rows(self._observing, rows):
                show_actions(self.game, self.opponents[index], self.tables, theirs, theirs, seats, taken_at[theirs])
        illegal = self.game.step_batch(self.tables, rows, actions, paid, is_over, False)
        if illegal >= 0:
            table = int(rows[illegal])
            return f"table {table}: {self.game.why_illegal(self.tables, table, int(actions[illegal]))}"
        rewards[rows] += paid[np.arange(len(rows)), self.seats[rows]]
        return None

    def _select_rows(self, opponents: list[int], rows: Rows) -> Iterator[tuple[int, Rows, Rows]]:
        """Yield the index of an opponent, the rows (n,) at which it plays, and its seats there (k, n).

        An opponent with different numbers of seats in different lineups is yielded once for each lineup.
        """
        for index in opponents:
            for number, lineup in enumerate(self._lineups):
                after_learner = np.flatnonzero(lineup == index) + 1
                theirs = rows[self._lineup[rows] == number]
                if len(after_learner) and len(theirs):
                    yield index, theirs, (self.seats[theirs] + after_learner[:, None]) % self.game.num_seats

    def _draw(self, rows: Rows) -> NDArray[np.float64]:
        """Return a random number in [0, 1) for each row."""
        random_numbers = np.empty(len(rows))
        _write_random_numbers(self._streams, rows, random_numbers)
        return random_numbers


def check_illegal_action(illegal_action: str) -> str:
    """Return `illegal_action`, or raise a ValueError if it is none of `ILLEGAL_ACTIONS`."""
    if illegal_action not in ILLEGAL_ACTIONS:
        raise ValueError(f"illegal_action {illegal_action!r} is not known: choose one of {list(ILLEGAL_ACTIONS)}")
    return illegal_action


@kernel
def _write_random_numbers(streams: Any, rows: Any, random_numbers: Any) -> None:
    for j in range(rows.shape[0]):
        random_numbers[j] = random_unit(streams[rows[j]])


def _find_lineups(opponents: Opponents, game: Game) -> tuple[list[Agent], Rows]:
    """Return the different opponents, each once, and the lineups (lineups, num_seats - 1) from which deals draw.

    A lineup has the index of the agent at each seat after the learner's. An empty list, a lineup of another length,
    unknown agents, and agents that cannot play the game are a ValueError.
    """
    listed = list(opponents) if _is_sequence(opponents) else [opponents]
    if not listed:
        raise ValueError("opponents is an empty list: name at least one agent")
    others = game.num_seats - 1
    lineups: list[tuple[Any, ...]] = [tuple(each) if _is_sequence(each) else (each,) * others for each in listed]
    for lineup in lineups:
        if len(lineup) != others:
            raise ValueError(
                f"opponents {list(lineup)!r}: {game.name} has {others} other seats here, so name {others} agents in "
                "each inner list"
            )
    # a name that occurs twice is one agent, whose decisions are taken together
    different = {_key(agent): agent for lineup in lineups for agent in lineup}
    indices = {key: index for index, key in enumerate(different)}
    agents = [to_agent(agent, game) for agent in different.values()]
    return agents, np.array([[indices[_key(agent)] for agent in lineup] for lineup in lineups], np.int64)


def _is_sequence(opponents: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(opponents, Sequence) and not isinstance(opponents, str)


def _key(agent: SupportsAct | str) -> str | int:
    return agent if isinstance(agent, str) else id(agent)
