"""Matches: agents play a number of hands against each other, many tables at a time.

A deal is fixed by the seed of the match and its number, a decision's random number by seed, deal, decision and seat.
So results do not depend on how many tables play side by side, for agents that draw from `Decisions.uniforms` alone.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, decisions_at, require_playable, write_uniforms
from card_envs.game import Game, Tables, checked_actions
from card_envs.match.result import MatchResult, units_of

Rows = NDArray[np.int64]


class AgentError(RuntimeError):
    """Raised when an agent fails during a match; names agent, hand, deal, seed, seat and legal actions."""


def play_match(
    game: Game,
    agents: Sequence[Agent],
    hands: int,
    seed: int,
    duplicate: bool = False,
    num_tables: int = 4096,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Return the result of `hands` hands between `agents`, one for each seat.

    In hand h, agent j sits at seat (j + h) % n, so that everybody has every seat equally often. With `duplicate`, each
    deal (cards, button, stacks) is played n times in a row with the agents moved around the table, which takes most
    of the luck out; `hands` is then rounded up to whole deals.

    An agent may be given several times. Agents with `encoder`, `can_play`, `deal_starts` or `deal_ends` are served as
    `Agent` describes, in batches of up to `num_tables` hands; tables are numbered by hand. `progress` is called with
    the number of hands that were finished since its last call.

    Raises ValueError for arguments that do not fit, AgentError for agents that fail.
    """
    _check_number("hands", hands)
    _check_number("num_tables", num_tables)
    if len(agents) != game.num_seats:
        raise ValueError(
            f"{game.name} has {game.num_seats} seats: {game.num_seats} agents are needed, not {len(agents)}"
        )
    match = _Match(game, agents, seed, game.num_seats if duplicate else 1)
    deals = -(-hands // match.plays)
    payoffs = np.empty((deals * match.plays, game.num_seats), np.int64)
    deals_at_once = max(1, num_tables // match.plays)
    for first in range(0, deals, deals_at_once):
        done = match.play_deals(first, min(first + deals_at_once, deals), payoffs)
        if progress is not None:
            progress(done)
    return MatchResult(
        names=tuple(agent.name for agent in agents),
        payoffs=payoffs,
        seed=seed,
        duplicate=duplicate,
        unit=game.unit,
        chips_per_unit=game.chips_per_reward,
        units=units_of(game),
    )


@dataclass(frozen=True, eq=False)
class _Player:
    """An agent, once for all its places, with the game as it wants to see it."""

    agent: Agent
    game: Game
    rng: np.random.Generator


class _Match:
    def __init__(self, game: Game, agents: Sequence[Agent], seed: int, plays: int) -> None:
        self.game, self.seed, self.plays = game, seed, plays
        different = list({id(agent): agent for agent in agents}.values())
        self.players = [self._player(agent, number) for number, agent in enumerate(different)]
        numbers = {id(agent): number for number, agent in enumerate(different)}
        self.player_at = np.array([numbers[id(agent)] for agent in agents])
        """Place in the match -> index of the player."""

    def _player(self, agent: Agent, number: int) -> _Player:
        require_playable(agent, self.game)
        encoder = getattr(agent, "encoder", None)
        game = self.game if encoder is None else self.game.with_encoder(encoder)
        return _Player(agent, game, np.random.default_rng([self.seed % 2**64, number]))

    def play_deals(self, first: int, end: int, payoffs: NDArray[np.int64]) -> int:
        """Play deals first .. end - 1 to their ends, write what each agent won, return the number of hands."""
        tables = self._dealt(first, end)
        hands = np.arange(first * self.plays, end * self.plays)
        self._call("deal_starts", hands)
        active = np.flatnonzero(tables["is_over"] == 0)
        rewards = np.empty((len(tables), self.game.num_seats), np.float32)
        is_over = np.empty(len(tables), np.uint8)
        number = 0
        while len(active):
            actions = self._actions(tables, active, hands, number)
            illegal = self.game.step_rows(tables, active, actions, rewards, is_over, False)
            if illegal >= 0:
                self._raise_illegal(tables, int(active[illegal]), int(actions[illegal]), hands)
            active = active[is_over[: len(active)] == 0]
            number += 1
        won = tables["payoff"][:, : self.game.num_seats]
        self._call("deal_ends", hands, won / self.game.chips_per_reward)
        seats = (np.arange(self.game.num_seats) + hands[:, None]) % self.game.num_seats
        payoffs[hands] = np.take_along_axis(won, seats, axis=1)
        return len(hands)

    def _dealt(self, first: int, end: int) -> Tables:
        """Return the tables of deals first .. end - 1, each as often as it is played."""
        tables = self.game.seeded_tables(end - first, self.seed, first)
        for i in range(len(tables)):
            self.game.deal(tables, i)
        return tables if self.plays == 1 else np.repeat(tables, self.plays)

    def _actions(self, tables: Tables, rows: Rows, hands: Rows, number: int) -> Rows:
        """Ask the agents to act at tables[rows], whose decisions are the `number`-th of their deals."""
        hands = hands[rows]
        seats = tables["actor"][rows].astype(np.int64)
        uniforms = np.empty(len(rows))
        write_uniforms(np.uint64(self.seed % 2**64), hands // self.plays, number, seats, uniforms)
        if len(self.players) == 1:
            return self._act(self.players[0], decisions_at(self.players[0].game, tables, rows, hands, uniforms))
        actions = np.empty(len(rows), np.int64)
        players = self.player_at[(seats - hands) % self.game.num_seats]
        for index, player in enumerate(self.players):
            mine = np.flatnonzero(players == index)
            if len(mine):
                decisions = decisions_at(player.game, tables, rows[mine], hands[mine], uniforms[mine])
                actions[mine] = self._act(player, decisions)
        return actions

    def _act(self, player: _Player, decisions: Decisions) -> Rows:
        with self._blaming(player.agent, decisions):
            returned = player.agent.act(decisions, player.rng)
        try:
            return checked_actions(returned, len(decisions))
        except ValueError as error:
            raise AgentError(f"{self._whereabouts(player.agent, decisions)} returned {error}") from None

    def _call(self, hook: str, *arguments: Any) -> None:
        for player in self.players:
            if hasattr(player.agent, hook):
                with self._blaming(player.agent, None):
                    getattr(player.agent, hook)(*arguments)

    @contextmanager
    def _blaming(self, agent: Agent, decisions: Decisions | None) -> Iterator[None]:
        """Turn whatever the agent raises into an AgentError that says where."""
        try:
            yield
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            raise AgentError(
                f"{self._whereabouts(agent, decisions)} raised {type(error).__name__} at {place}: {error}"
            ) from error

    def _whereabouts(self, agent: Agent, decisions: Decisions | None) -> str:
        if decisions is None:
            return f"agent {agent.name!r} (seed {self.seed})"
        hand = int(decisions.tables[0])
        first = f"hand {hand}, deal {hand // self.plays}, seed {self.seed}, seat {decisions.seats[0]}"
        legal = decisions.legal_actions(0)
        return f"agent {agent.name!r} (asked for {len(decisions)} decisions, the first: {first}, legal actions {legal})"

    def _raise_illegal(self, tables: Tables, row: int, action: int, hands: Rows) -> None:
        hand, seat = int(hands[row]), int(tables["actor"][row])
        agent = self.players[self.player_at[(seat - hand) % self.game.num_seats]].agent
        why = self.game.why_illegal(tables, row, action)
        where = f"hand {hand}, deal {hand // self.plays}, seed {self.seed}, seat {seat}"
        raise AgentError(f"agent {agent.name!r} chose an illegal action ({where}): {why}")


def _check_number(name: str, value: int) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} {value!r} must be a whole number, at least 1")
