"""One session: who plays, which deal comes when, and the table as it stands. It knows no network and no file.

Without a secret, hands are those of `card_envs.match.play_match` with the same seed: the same cards, seats, and random
numbers of agents. With one, they are as random, and nobody can compute them.
For agents with memory, a session is one of the match's tables (`hands_per_table`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from card_envs.agent import Agent, Decisions, decisions_at, write_random_numbers
from card_envs.game import NOBODY, Game, Tables, check_actions
from card_envs.secret_deals import secret_generator, secret_uniform, with_secret

_ROW = np.zeros(1, np.int64)
"""The table of a session: the first and only one of an array, under one number in all hands, so agents remember."""


@dataclass(frozen=True)
class Place:
    """A player of a session; places move around the table from hand to hand."""

    name: str
    agent: str | None
    """Name of the agent, None for a person."""


@dataclass(frozen=True)
class Plan:
    """The settings that determine a session, apart from the decisions of people."""

    env: str
    settings: Mapping[str, Any]
    places: tuple[Place, ...]
    seed: int = 0
    block: int = 0
    """Deals after which they come again with seats exchanged; 0: every deal is played once."""
    secret: bytes = field(default=b"", repr=False)
    """Secret that decides the deals together with the seed; without it, whoever finds the seed knows all cards."""

    @property
    def num_places(self) -> int:
        """Seats of the table."""
        return len(self.places)

    def match_hand(self, hand: int) -> int:
        """Return the number of the session's `hand` in the match that plays the same deals.

        Without blocks it is the same number. With blocks it is the number in a duplicate match, which plays each deal n
        times in a row: here, `block_size` deals come once, then again n - 1 times, so that nobody remembers the cards.
        """
        if not self.block:
            return hand
        n, size = self.num_places, self.block_size
        whole, within = divmod(hand, n * size)
        return (whole * size + within % size) * n + hand % n

    @property
    def block_size(self) -> int:
        """Deals of a block: at least `block`, without a common divisor with n, so that everybody gets every seat."""
        return next(size for size in range(self.block, self.block + 2 * self.num_places) if self._is_coprime(size))

    def _is_coprime(self, size: int) -> bool:
        return math.gcd(size, self.num_places) == 1

    def deal(self, hand: int) -> int:
        """Return the number of the deal that a hand plays."""
        return self.match_hand(hand) // (self.num_places if self.block else 1)

    def seat_of(self, place: int, hand: int) -> int:
        """Return where a place sits in a hand."""
        return (place + self.match_hand(hand)) % self.num_places

    def place_at(self, seat: int, hand: int) -> int:
        """Return which place sits at a seat in a hand."""
        return (seat - self.match_hand(hand)) % self.num_places


class AgentFault(RuntimeError):
    """Raised when an agent fails or returns something illegal; says which, and what."""


class Session:
    """A table that people and agents play at, hand after hand."""

    def __init__(self, plan: Plan, game: Game, agents: Mapping[int, Agent]) -> None:
        """Start before the first hand; `agents` are those of the places that no person has."""
        if game.num_seats != plan.num_places:
            raise ValueError(f"{game.name} has {game.num_seats} seats here, but {plan.num_places} places are filled")
        self.plan, self.game, self.agents = plan, game, agents
        self._games = {place: agent.apply_encoder(game) for place, agent in agents.items()}
        self._streams = {place: _generator(plan, place) for place in agents}
        self.hand = -1
        self.actions: list[int] = []
        """Actions of the current hand, in order."""
        self.tables = game.new_tables(1)

    @property
    def is_over(self) -> bool:
        """Whether the current hand is over."""
        return int(self.tables["is_over"][0]) == 1

    @property
    def seat_to_act(self) -> int | None:
        """The seat that everybody waits for; None when the hand is over."""
        actor = int(self.tables["actor"][0])
        return None if actor == NOBODY else actor

    @property
    def place_to_act(self) -> int | None:
        """Whose turn it is."""
        seat = self.seat_to_act
        return None if seat is None else self.plan.place_at(seat, self.hand)

    @property
    def payoffs(self) -> list[int]:
        """Chips or points that each place won in this hand, zero until it is over."""
        won = self.tables["payoff"][0]
        return [int(won[self.plan.seat_of(place, self.hand)]) for place in range(self.plan.num_places)]

    def deal(self, hand: int) -> None:
        """Begin a hand."""
        self.hand, self.actions = hand, []
        self.tables = deal_table(self.game, self.plan, hand)
        for agent in self.agents.values():
            agent.deal_starts(_ROW)
        if self.is_over:  # the blinds put everybody all-in
            self._tell_end()

    def check_action(self, action: int) -> int:
        """Return an action that is legal for the seat to act; a ValueError says why another is not."""
        if self.seat_to_act is None:
            raise ValueError("the hand is over")
        action = int(check_actions([action], 1)[0])
        if self.game.first_illegal(self.tables, _ROW, np.array([action])) >= 0:
            raise ValueError(self.game.why_illegal(self.tables, 0, action))
        return action

    def act(self, action: int) -> None:
        """Take a legal action for the seat to act; a ValueError says why one is illegal, and nothing has changed."""
        action = self.check_action(action)
        self._tell_action(action)
        self.game.step(self.tables, 0, action)
        self.actions.append(action)
        if self.is_over:
            self._tell_end()

    def _tell_action(self, action: int) -> None:
        """Let agents see what the seat to act is about to do."""
        for place, agent in self.agents.items():
            if agent.needs_actions:
                seats = np.array([self.plan.seat_of(place, self.hand)])
                before = Decisions(self._games[place], seats, _ROW, np.zeros(1), self.tables, _ROW)
                agent.observe_actions(before, np.array([action]))

    def _tell_end(self) -> None:
        """Let agents see how the hand ended, and what everybody won."""
        for place, agent in self.agents.items():
            if agent.needs_showdowns:
                seats = np.array([self.plan.seat_of(place, self.hand)])
                agent.sees_end(Decisions(self._games[place], seats, _ROW, np.zeros(1), self.tables, _ROW))
        rewards = self.tables["payoff"][:, : self.game.num_seats] / self.game.chips_per_reward
        for agent in self.agents.values():
            agent.deal_ends(_ROW, rewards)

    def agent_action(self) -> int:
        """Return the action of the agent to act; an AgentFault says how it failed."""
        place = self.place_to_act
        assert place is not None
        agent = self.agents[place]
        decisions = decisions_of(self._games[place], self.plan, self.tables, self.hand, len(self.actions))
        try:
            return self.check_action(int(check_actions(agent.act(decisions, self._streams[place]), 1)[0]))
        except Exception as error:  # an agent is anybody's code
            raise AgentFault(f"{agent.name} failed: {type(error).__name__}: {error}") from error

    def restore(self, hands: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Play recorded hands (number, actions) again, in their order; the last one is left on the table.

        Agents decide again, so that those with memory remember. Without any, the earlier hands are left out.
        """
        remembering = {place for place, agent in self.agents.items() if agent.needs_deal_events}
        for hand, actions in hands[:-1] if remembering else ():
            self._replay(hand, actions, remembering)
        self._replay(*hands[-1], set(self.agents))

    def _replay(self, hand: int, actions: Sequence[int], asked: set[int]) -> None:
        self.deal(hand)
        for action in actions:
            if self.place_to_act in asked:
                with suppress(AgentFault):  # it may have failed then, too: the recorded action is what counts
                    self.agent_action()
            self.act(action)

    def legal_actions(self) -> list[int]:
        """Return the ids of the legal actions of the seat to act."""
        return decisions_of(self.game, self.plan, self.tables, self.hand, len(self.actions)).legal_actions(0)


def _generator(plan: Plan, place: int) -> np.random.Generator:
    """Return the random numbers that the agent of a place may use as it likes."""
    if plan.secret:
        return secret_generator(plan.secret, place)
    return np.random.default_rng([plan.seed % 2**64, place])


def format_settings(plan: Plan) -> str:
    """Return the settings of a plan as words such as "num_players=6 stacks=[50,100]"."""
    return " ".join(f"{name}={str(value).replace(' ', '')}" for name, value in plan.settings.items())


def deal_table(game: Game, plan: Plan, hand: int) -> Tables:
    """Return one table at which a hand is dealt."""
    dealing = with_secret(game, plan.secret) if plan.secret else game
    tables = dealing.seeded_tables(1, plan.seed, plan.deal(hand))
    game.deal(tables, 0)
    return tables


def table_after(game: Game, plan: Plan, hand: int, actions: Sequence[int]) -> Tables:
    """Return one table after the first actions of a hand."""
    tables = deal_table(game, plan, hand)
    for action in actions:
        game.step(tables, 0, action)
    return tables


def decisions_of(game: Game, plan: Plan, tables: Tables, hand: int, step: int) -> Decisions:
    """Return the decision that is to be made at a single table, after `step` others of the hand."""
    seats, random_numbers = tables["actor"].astype(np.int64), np.empty(1)
    if plan.secret:
        random_numbers[0] = secret_uniform(plan.secret, plan.deal(hand), step, int(seats[0]))
    else:
        write_random_numbers(np.uint64(plan.seed % 2**64), np.array([plan.deal(hand)]), step, seats, random_numbers)
    return decisions_at(game, tables, _ROW, _ROW, random_numbers)
