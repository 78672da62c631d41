"""One session: its players, the deals it plays, and the table as it stands. It knows no network and no file.

Without a secret, hands are those of `card_envs.match.play_match` with the same seed: the same cards, seats, and random
numbers of agents. With one, they are as random, and nobody can compute them.
For agents with memory, a session is one of the match's tables (`hands_per_table`).
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.secret_deals import secret_generator, secret_uniform, with_secret
from card_envs.agent import Agent, Decisions, decisions_at, write_random_numbers
from card_envs.agent.hooks import end_deals, group_by_agent, show_actions
from card_envs.game import ILLEGAL, NOBODY, Game, Tables, check_actions
from card_envs.rng import make_generator, wrap_seed

_LOG = logging.getLogger("card_baselines.web")

_ROW = np.zeros(1, np.int64)
"""Row and table id of a session's only table. The id is the same in all hands, so agents remember."""


@dataclass(frozen=True)
class Player:
    """A player of a session. Players move around the table from hand to hand."""

    name: str
    agent: str | None
    """Name of the agent, None for a person."""


@dataclass(frozen=True)
class Plan:
    """The settings that determine a session, apart from the decisions of people. Players are known by their index."""

    env: str
    settings: Mapping[str, Any]
    players: tuple[Player, ...]
    seed: int = 0
    block: int = 0
    """Number of deals after which they are repeated with seats exchanged; 0: every deal is played once."""
    secret: bytes = field(default=b"", repr=False)
    """Secret that decides the deals together with the seed; without it, anybody who finds the seed knows all cards."""

    @property
    def num_players(self) -> int:
        """Number of players, one for each seat."""
        return len(self.players)

    def match_hand(self, hand: int) -> int:
        """Return the number of the session's `hand` in the match that plays the same deals.

        Without blocks it is the same number. With blocks it is the number in a duplicate match, which plays each deal n
        times in a row: here, `block_size` deals are played once, then again n - 1 times, so that nobody remembers the
        cards.
        """
        if not self.block:
            return hand
        n, size = self.num_players, self.block_size
        whole, within = divmod(hand, n * size)
        return (whole * size + within % size) * n + hand % n

    @property
    def block_size(self) -> int:
        """Deals of a block: at least `block`, and coprime to the number of players, so that all get every seat."""
        sizes = range(self.block, self.block + 2 * self.num_players)
        return next(size for size in sizes if math.gcd(size, self.num_players) == 1)

    def deal(self, hand: int) -> int:
        """Return the number of the deal that a hand plays."""
        return self.match_hand(hand) // (self.num_players if self.block else 1)

    def seat_of(self, index: int, hand: int) -> int:
        """Return the seat of a player in a hand."""
        return (index + self.match_hand(hand)) % self.num_players

    def player_at(self, seat: int, hand: int) -> int:
        """Return the index of the player at a seat in a hand."""
        return (seat - self.match_hand(hand)) % self.num_players

    def names_at(self, hand: int) -> tuple[str, ...]:
        """Return the names of the players in a hand, by seat."""
        return tuple(self.players[self.player_at(seat, hand)].name for seat in range(self.num_players))


class AgentFault(RuntimeError):
    """Raised when an agent fails or returns an illegal action; names the agent and the error."""


class Session:
    """A table that people and agents play at, hand after hand."""

    def __init__(self, plan: Plan, game: Game, agents: Mapping[int, Agent]) -> None:
        """Start before the first hand.

        Args:
            plan: Settings of the session.
            game: Game of the plan.
            agents: Index of a player -> agent, for all players who are not people.
        """
        if game.num_seats != plan.num_players:
            raise ValueError(f"{game.name} has {game.num_seats} seats here, but {plan.num_players} players are named")
        self.plan, self.game, self.agents = plan, game, agents
        self._listeners = group_by_agent(agents)
        self._streams = {
            index: secret_generator(plan.secret, index) if plan.secret else make_generator(plan.seed, index)
            for index in agents
        }
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
        """The seat to act; None when the hand is over."""
        actor = int(self.tables["actor"][0])
        return None if actor == NOBODY else actor

    @property
    def player_to_act(self) -> int | None:
        """Index of the player to act; None when the hand is over."""
        seat = self.seat_to_act
        return None if seat is None else self.plan.player_at(seat, self.hand)

    @property
    def payoffs(self) -> list[int]:
        """Chips or points that each player won in this hand, zero until it is over."""
        return self._payoffs_at(self.tables, self.hand)

    def _payoffs_at(self, tables: Tables, hand: int) -> list[int]:
        won = tables["payoff"][0]
        return [int(won[self.plan.seat_of(index, hand)]) for index in range(self.plan.num_players)]

    def payoffs_after_deal(self, hand: int) -> list[int] | None:
        """Return the payoffs by player of a hand that its deal ends, None for others; nothing changes."""
        tables = deal_table(self.game, self.plan, hand)
        return self._payoffs_at(tables, hand) if int(tables["is_over"][0]) else None

    def payoffs_after(self, action: int) -> list[int] | None:
        """Return the payoffs by player if a legal action ends the hand, otherwise None; nothing changes."""
        tables = self.tables.copy()
        self.game.step(tables, 0, action)
        return self._payoffs_at(tables, self.hand) if int(tables["is_over"][0]) else None

    def own_decision(self, index: int, hand: int, actions: Sequence[int], step: int) -> Tables:
        """Return one table at a decision of a player, after `step` of the `actions` of a hand.

        Raises:
            ValueError: The decision is another player's, whose cards are hidden.
        """
        if not 0 <= step <= len(actions):
            raise ValueError(f"step {step} must be in 0..{len(actions)}")
        tables = table_after(self.game, self.plan, hand, actions[:step])
        if int(tables["actor"][0]) != self.plan.seat_of(index, hand):
            raise ValueError("this is not a decision of yours")
        return tables

    def deal(self, hand: int) -> None:
        """Begin a hand."""
        self.hand, self.actions = hand, []
        self.tables = deal_table(self.game, self.plan, hand)
        for agent, _ in self._listeners:
            _call_of_agent(agent, agent.deal_starts, _ROW)
        if self.is_over:  # the blinds put everybody all-in
            self._call_hook(end_deals)

    def check_action(self, action: int) -> int:
        """Return the action if it is legal for the seat to act; raise ValueError with the reason if it is not."""
        if self.seat_to_act is None:
            raise ValueError("the hand is over")
        action = int(check_actions([action], 1)[0])
        if self.game.first_illegal(self.tables, _ROW, np.array([action])) >= 0:
            raise ValueError(self.game.why_illegal(self.tables, 0, action))
        return action

    def act(self, action: int) -> None:
        """Take an action for the seat to act; for an illegal one, raise ValueError and change nothing."""
        action = self.check_action(action)
        self._call_hook(show_actions, np.array([action]))
        self.game.step(self.tables, 0, action)
        self.actions.append(action)
        if self.is_over:
            self._call_hook(end_deals)

    def _call_hook(self, hook: Callable[..., None], *actions: NDArray[np.int64]) -> None:
        """Call a function of `card_envs.agent.hooks` for every agent."""
        for agent, indices in self._listeners:
            seats = (indices[:, None] + self.plan.match_hand(self.hand)) % self.plan.num_players
            call = partial(_call_of_agent, agent)
            hook(self.game, agent, self.tables, _ROW, _ROW, seats, *actions, call=call)

    def agent_action(self) -> int:
        """Return the action of the agent to act; raise AgentFault if it fails."""
        index = self.player_to_act
        assert index is not None
        agent = self.agents[index]
        decisions = decisions_of(self.game, agent, self.plan, self.tables, self.hand, len(self.actions))
        try:
            return self.check_action(int(check_actions(agent.act(decisions, self._streams[index]), 1)[0]))
        except Exception as error:  # an agent is anybody's code
            raise AgentFault(f"{agent.name} failed: {type(error).__name__}: {error}") from error

    def restore(self, hands: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Replay recorded hands (number, actions) in order, and leave the last one on the table.

        Agents with memory decide again, so that they remember. If there are none, only the last hand is replayed.
        """
        remembering = {index for index, agent in self.agents.items() if agent.needs_deal_events}
        for hand, actions in hands[:-1] if remembering else ():
            self._replay(hand, actions, remembering)
        self._replay(*hands[-1], set(self.agents))

    def _replay(self, hand: int, actions: Sequence[int], deciding: Collection[int]) -> None:
        """Replay a hand; the agents of the players `deciding` are called at their decisions."""
        self.deal(hand)
        for action in actions:
            if self.player_to_act in deciding:
                with suppress(AgentFault):  # it may have failed then, too: the recorded action is what counts
                    self.agent_action()
            self.act(action)


def _call_of_agent(agent: Agent, hook: Callable[..., None], *arguments: Any) -> None:
    """Call a hook of an agent. An error is logged: the hand goes on, since its next decision is stored already."""
    try:
        hook(*arguments)
    except Exception as error:  # an agent is anybody's code
        _LOG.warning("%s failed in %s: %s: %s", agent.name, hook.__name__, type(error).__name__, error)


_SEAT_WORDS = frozenset(("hu", "six", "max"))
"""Words in names of agents for a number of seats."""


def name_players(players: Sequence[Player], env: str) -> tuple[Player, ...]:
    """Return players with different names, short ones for agents: the second "ppo_limit_six_max" becomes "ppo (2)".

    Short names lack the words of the environment id and of numbers of seats, which everybody at the table knows. Agents
    keep their whole name if two that differ had the same short one.
    """
    known = _SEAT_WORDS.union(env.partition("-")[0].split("_"))
    short = {player.agent: _shorten_name(player.agent, known) for player in players if player.agent}
    shared = Counter(short.values())
    counts: Counter[str] = Counter()
    named = []
    for player in players:
        name = player.name if player.agent is None else short[player.agent]
        name = player.name if shared[name] > 1 else name
        counts[name] += 1
        named.append(replace(player, name=name if counts[name] == 1 else f"{name} ({counts[name]})"))
    return tuple(named)


def _shorten_name(agent: str, words: Collection[str]) -> str:
    """Return the name of an agent without some words: "ppo:rollout" for "ppo_big2:rollout"."""
    name, colon, choice = agent.partition(":")
    kept = "_".join(word for word in name.split("_") if word not in words)
    return f"{kept or name}{colon}{choice}"


def name_actions(game: Game, tables: Tables, actions: Sequence[int]) -> list[tuple[int, str]]:
    """Return seat and name of each action of a hand; plays `tables` to the end of the hand.

    Raises:
        ValueError: If an action is not legal.
    """
    moves = []
    for action in actions:
        before = tables.copy()
        if game.step(tables, 0, action) == ILLEGAL:
            raise ValueError(f"a stored decision, {action}, is not legal")
        moves.append((int(before["actor"][0]), game.action_name(before, 0, action)))
    return moves


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


def decisions_of(game: Game, agent: Agent, plan: Plan, tables: Tables, hand: int, step: int) -> Decisions:
    """Return the decision that an agent is to make at a single table, after `step` others of the hand."""
    seats, random_numbers = tables["actor"].astype(np.int64), np.empty(1)
    if plan.secret:
        random_numbers[0] = secret_uniform(plan.secret, plan.deal(hand), step, int(seats[0]))
    else:
        write_random_numbers(np.uint64(wrap_seed(plan.seed)), np.array([plan.deal(hand)]), step, seats, random_numbers)
    return decisions_at(game, tables, _ROW, _ROW, random_numbers, encoder=agent.find_encoder(game))
