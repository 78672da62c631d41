"""Matches: agents play a number of hands against each other, many tables at a time.

A deal is fixed by the seed of the match and its number, a decision's random number by seed, deal, decision and seat.
So results do not depend on how many tables play side by side, for agents that draw from `Decisions.random_numbers`
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from card_envs.agent import Agent, Decisions, SupportsAct, decisions_at, require_playable, write_random_numbers
from card_envs.game import Game, Tables, checked_count
from card_envs.match.callbacks import MatchBatch, MatchCallback, Rows
from card_envs.match.positions import position_names, positions_of
from card_envs.match.result import AgentError, MatchInterrupted, MatchResult, units_of
from card_envs.match.runner import AgentRunner, Player
from card_envs.match.stopping import StoppingRule


def play_match(
    game: Game,
    agents: Sequence[SupportsAct],
    hands: int,
    seed: int,
    duplicate: bool = False,
    num_tables: int = 4096,
    progress: Callable[[int], None] | None = None,
    *,
    hands_per_table: int = 1,
    until: StoppingRule | None = None,
    on_error: str = "abort",
    callbacks: Sequence[MatchCallback] = (),
) -> MatchResult:
    """Return the result of `hands` hands between `agents`, one for each seat.

    In hand h, agent j sits at seat (j + h) % n, so that everybody has every seat equally often. With `duplicate`, each
    deal (cards, button, stacks) is played n times in a row with the agents moved around the table, which takes most
    of the chance out; `hands` is then rounded up to whole deals.

    Agents with memory: `hands_per_table` hands follow each other at the same table (`Decisions.table_ids`), the next
    only when the last is over; `hands` is rounded up to whole tables, and intervals count a table as one sample.

    With `until`, the match ends as soon as its rule finds the result decided; `hands` is then the most that are played.
    `callbacks` follow the match (see `MatchCallback`); they may hear of more hands than were needed to decide it.
    An agent that fails ends the match with an AgentError that carries the result so far; with on_error="forfeit" the
    first legal action is taken in its place, and the result lists the faults.

    An agent may be given several times. Objects that have a method `act` and are no `Agent` are taken as one (see
    `as_agent`). Agents are asked in batches of up to `num_tables` hands. `progress` is called with the number of hands
    that were finished since its last call.

    Raises ValueError for arguments that do not fit, AgentError for agents that fail, and MatchInterrupted, which is a
    KeyboardInterrupt, for Ctrl-C; both carry the result of the hands that were complete.
    """
    for name, count in {"hands": hands, "num_tables": num_tables, "hands_per_table": hands_per_table}.items():
        checked_count(name, count)
    if len(agents) != game.num_seats:
        raise ValueError(
            f"{game.name} has {game.num_seats} seats: {game.num_seats} agents are needed, not {len(agents)}"
        )
    match = _Match(game, agents, seed, game.num_seats if duplicate else 1, hands_per_table, on_error, callbacks)
    samples = -(-hands // match.hands_per_sample)
    record = _Record(match, samples, until)
    samples_at_once = max(1, num_tables // match.plays)
    for first in range(0, samples, samples_at_once):
        try:
            match.play_samples(first, min(first + samples_at_once, samples), record)
        except AgentError as error:
            error.result = record.result() if record.samples else None
            raise
        except KeyboardInterrupt as interrupt:
            raise MatchInterrupted(record.result() if record.samples else None) from interrupt
        if progress is not None:
            progress((record.samples - first) * match.hands_per_sample)
        if record.is_decided():
            break
    return record.result()


class _Record:
    """What each agent won, where, in the hands played so far."""

    def __init__(self, match: _Match, samples: int, until: StoppingRule | None) -> None:
        self._match, self._until = match, until
        shape = samples * match.hands_per_sample, match.game.num_seats
        self.payoffs = np.empty(shape, np.int64)
        self.positions = np.empty(shape, np.int8)
        self.samples = 0
        """How many are complete."""

    def add(self, batch: MatchBatch) -> None:
        """Write the hands of a batch, which are over."""
        self.payoffs[batch.hands] = batch.by_place(batch.tables["payoff"][:, : batch.game.num_seats].astype(np.int64))
        self.positions[batch.hands] = batch.by_place(positions_of(batch.game, batch.tables))

    def is_decided(self) -> bool:
        """Return True if the stopping rule says so; the samples after the look that decided are then dropped."""
        if self._until is None:
            return False
        decided = self._until.first_decision(self.result().deal_means[:, 0])
        if decided is not None:
            self.samples = decided
        return decided is not None

    def result(self) -> MatchResult:
        """Return the result of the complete samples."""
        match, hands = self._match, self.samples * self._match.hands_per_sample
        return MatchResult(
            names=tuple(agent.name for agent in match.agents),
            payoffs=self.payoffs[:hands],
            positions=self.positions[:hands],
            position_names=position_names(match.game),
            seed=match.seed,
            duplicate=match.plays > 1,
            hands_per_table=match.hands_per_table,
            unit=match.game.unit,
            chips_per_unit=match.game.chips_per_reward,
            units=units_of(match.game),
            until=self._until,
            faults=match.runner.faults(),
        )


class _Match:
    def __init__(
        self, game: Game, agents: Sequence[SupportsAct], seed: int, plays: int, hands_per_table: int, on_error: str,
        callbacks: Sequence[MatchCallback],
    ) -> None:  # fmt: skip
        self.game, self.seed, self.plays, self.hands_per_table = game, seed, plays, hands_per_table
        self.callbacks = callbacks
        self.runner = AgentRunner(game, seed, on_error, checks_legality=len(callbacks) > 0)
        different = {id(agent): require_playable(agent, game) for agent in agents}
        self.agents = [different[id(agent)] for agent in agents]
        self.players = [self._player(agent, number) for number, agent in enumerate(different.values())]
        numbers = {key: number for number, key in enumerate(different)}
        self.player_at = np.array([numbers[id(agent)] for agent in agents])
        """Place in the match -> index of the player."""

    @property
    def hands_per_sample(self) -> int:
        """Hands that depend on each other: of the same table, or of the same deals."""
        return self.plays * self.hands_per_table

    def _player(self, agent: Agent, number: int) -> Player:
        return Player(agent, agent.encoded(self.game), np.random.default_rng([self.seed % 2**64, number]))

    def play_samples(self, first: int, end: int, record: _Record) -> None:
        """Play samples first .. end - 1 to their ends, hand after hand at each table, and record them."""
        samples = np.arange(first, end)
        for number in range(self.hands_per_table):
            deals = samples * self.hands_per_table + number
            hands = (deals[:, None] * self.plays + np.arange(self.plays)).ravel()
            numbers = (samples[:, None] * self.plays + np.arange(self.plays)).ravel()  # of the tables
            batch = MatchBatch(self.game, self._dealt(deals), hands, numbers, self.plays)
            self._play_hands(batch)
            record.add(batch)
        record.samples = end

    def _play_hands(self, batch: MatchBatch) -> None:
        tables = batch.tables
        for player in self.players:
            self.runner.call(player, player.agent.deal_starts, batch.numbers)
        for callback in self.callbacks:
            callback.on_deal(batch)
        active = np.flatnonzero(tables["is_over"] == 0)
        rewards = np.empty((len(tables), self.game.num_seats), np.float32)
        is_over = np.empty(len(tables), np.uint8)
        number = 0
        while len(active):
            actions = self._actions(batch, active, number)
            for callback in self.callbacks:
                callback.on_actions(batch, active, actions)
            self._show_actions(batch, active, actions)
            illegal = self.game.step_batch(tables, active, actions, rewards, is_over, False)
            if illegal >= 0:
                raise self._illegal_action(batch, int(active[illegal]), int(actions[illegal]))
            active = active[is_over[: len(active)] == 0]
            number += 1
        payoffs = tables["payoff"][:, : self.game.num_seats] / self.game.chips_per_reward
        self._show_ends(batch)
        for player in self.players:
            self.runner.call(player, player.agent.deal_ends, batch.numbers, payoffs)
        for callback in self.callbacks:
            callback.on_end(batch)

    def _show_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Let the agents that want to see actions see them, from each of their places, before they are applied."""
        for place, index in enumerate(self.player_at.tolist()):
            player = self.players[index]
            if player.agent.needs_actions:
                seats = (place + batch.hands[rows]) % self.game.num_seats
                before = Decisions(player.game, seats, batch.numbers[rows], np.zeros(len(rows)), batch.tables, rows)
                self.runner.call(player, player.agent.observe_actions, before, actions)

    def _show_ends(self, batch: MatchBatch) -> None:
        """Let the agents that want to see how the hands ended, from each of their places."""
        rows = np.arange(len(batch.tables))
        for place, index in enumerate(self.player_at.tolist()):
            player = self.players[index]
            if player.agent.needs_showdowns:
                seats = (place + batch.hands) % self.game.num_seats
                ends = Decisions(player.game, seats, batch.numbers, np.zeros(len(rows)), batch.tables, rows)
                self.runner.call(player, player.agent.sees_end, ends)

    def _dealt(self, deals: Rows) -> Tables:
        """Return the tables of `deals`, each as often as it is played."""
        if self.hands_per_table == 1:  # deals follow each other
            tables = self.game.seeded_tables(len(deals), self.seed, int(deals[0]))
        else:
            tables = self.game.new_tables(len(deals))
            for i, deal in enumerate(deals.tolist()):
                self.game.seed(tables[i : i + 1], self.seed, deal)
        self.game.deal_batch(tables, np.arange(len(tables)))
        return tables if self.plays == 1 else np.repeat(tables, self.plays)

    def _actions(self, batch: MatchBatch, rows: Rows, number: int) -> Rows:
        """Ask the agents to act at tables[rows], whose decisions are the `number`-th of their deals."""
        seats = batch.tables["actor"][rows].astype(np.int64)
        random_numbers = np.empty(len(rows))
        write_random_numbers(np.uint64(self.seed % 2**64), batch.deals[rows], number, seats, random_numbers)
        actions = np.empty(len(rows), np.int64)
        players = self.player_at[batch.places(rows, seats)]
        for index, player in enumerate(self.players):
            mine = np.flatnonzero(players == index) if len(self.players) > 1 else np.arange(len(rows))
            if len(mine):
                decisions = decisions_at(
                    player.game, batch.tables, rows[mine], batch.numbers[rows[mine]], random_numbers[mine]
                )
                actions[mine] = self.runner.actions_of(player, decisions, batch, rows[mine])
        return actions

    def _illegal_action(self, batch: MatchBatch, row: int, action: int) -> AgentError:
        place = batch.places(np.array([row]), batch.tables["actor"][[row]].astype(np.int64))
        return self.runner.illegal(self.players[self.player_at[int(place[0])]], batch, row, action)
