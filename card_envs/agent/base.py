"""What an agent is: something that gets a batch of decisions and returns actions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agent.decisions import Decisions
from card_envs.game import Game
from card_envs.observation import Encoder


class SupportsAct(Protocol):
    """The least that an agent has to be; `as_agent` makes an `Agent` of it."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        """Return one legal action for each decision (n,)."""
        ...


class _NameOfClass:
    """The name of an agent that gives itself none: its class, in snake case."""

    def __get__(self, agent: object, owner: type) -> str:
        return snake_case(owner.__name__)


class Agent(ABC):
    """Whoever decides. A subclass has to define `act`; everything else has a default."""

    name: str = _NameOfClass()  # type: ignore[assignment]  # a descriptor that any string replaces
    """In results and messages."""
    encoder: str | Encoder | None = None
    """Encoder (name, "module:NAME" or `Encoder`) in which it wants its observations; None for that of the game."""

    greedy: bool | None = None
    """True to take the likeliest action, False to draw one; None for agents that cannot do both."""
    mixes: bool = True
    """False if what it sees decides its action, whatever the random numbers: it then needs to be asked but once."""

    acts_by_uniforms: bool = False
    """True if `act` depends on each decision and its `uniforms` alone: on no other decision, no memory, not on `rng`.

    Control variates ask such agents what they would have done with other cards.
    """

    @abstractmethod
    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one legal action for each decision (n,)."""

    def can_play(self, game: Game) -> bool:
        """Return False for games that it does not know."""
        return True

    def deal_starts(self, tables: NDArray[np.int64]) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Hear the numbers (n,) of the tables whose deal begins."""

    def deal_ends(self, tables: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:  # noqa: B027  likewise
        """Hear the numbers (n,) of the tables whose deal is over, and the rewards of all seats (n, num_seats)."""

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:  # noqa: B027  likewise
        """See what the actors (`decisions.views["actor"]`) of some tables are about to do, from one seat at each.

        Called for every action of every deal in which the agent has a seat, its own included, once for each of its
        places: what a record of the betting needs, of which a view keeps the last decisions alone.

        Args:
            decisions: The tables before the actions, `seats` being the agent's own; `views` are censored for them.
            actions: (n,): what the actors do, legal.
        """

    def sees_end(self, ends: Decisions) -> None:  # noqa: B027  likewise
        """See how deals ended, from one of its seats at each table: before `deal_ends`, once for each place it has.

        `ends.views` show what the seats then see, the cards of a showdown included; there is nothing to decide.
        """

    def probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return with which probability `act` takes each action, (n, num_actions), rows that sum to 1.

        Control variates and exploitability ask, also for decisions that nobody faces in the match. Agents that cannot
        tell leave it out: `shows_probabilities` is then False, and raises NotImplementedError here.
        """
        raise NotImplementedError(f"agent {self.name!r} does not show its probabilities")

    def explain(self, decisions: Decisions) -> list[str]:
        """Return in words, one text for each of the decisions that it has just taken, what it thinks; "" for nothing.

        For people who watch: `card-envs play`, the table in a browser. It may tell of the agent's own cards.
        """
        return [""] * len(decisions)

    @property
    def shows_probabilities(self) -> bool:
        """True if the class defines `probabilities`, and not as None, with which a subclass hides them."""
        return callable(self.probabilities) and type(self).probabilities is not Agent.probabilities

    @property
    def follows_deals(self) -> bool:
        """True if the class defines `deal_starts`, `deal_ends`, `sees_end` or `observe_actions`: it may remember."""
        kind = type(self)
        hears = kind.deal_starts is not Agent.deal_starts or kind.deal_ends is not Agent.deal_ends
        return hears or self.watches_ends or self.watches_actions

    @property
    def watches_ends(self) -> bool:
        """True if the class defines `sees_end`."""
        return type(self).sees_end is not Agent.sees_end

    @property
    def watches_actions(self) -> bool:
        """True if the class defines `observe_actions`."""
        return type(self).observe_actions is not Agent.observe_actions

    def encoded(self, game: Game) -> Game:
        """Return the game with the encoder that the agent wants."""
        return game if self.encoder is None else game.with_encoder(self.encoder)


class AdoptedAgent(Agent):
    """An object with a method `act` whose class is not derived from `Agent`; what it defines besides is used."""

    def __init__(self, player: SupportsAct) -> None:
        """Read what the object defines. Its class gives the name where it has none."""
        self.player = player
        self.name = str(getattr(player, "name", snake_case(type(player).__name__)))
        self.encoder = getattr(player, "encoder", None)
        self.mixes = bool(getattr(player, "mixes", True))
        self.acts_by_uniforms = bool(getattr(player, "acts_by_uniforms", False))
        self._can_play = getattr(player, "can_play", None)
        self._deal_starts = getattr(player, "deal_starts", None)
        self._deal_ends = getattr(player, "deal_ends", None)
        self._sees_end = getattr(player, "sees_end", None)
        self._observe_actions = getattr(player, "observe_actions", None)
        self._probabilities = getattr(player, "probabilities", None)
        self._explain = getattr(player, "explain", None)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return what the object returns, unchecked."""
        actions: NDArray[np.int64] = self.player.act(decisions, rng)
        return actions

    def can_play(self, game: Game) -> bool:
        """Return what the object says; True if it says nothing."""
        return self._can_play is None or bool(self._can_play(game))

    def deal_starts(self, tables: NDArray[np.int64]) -> None:
        """Tell the object if it wants to know."""
        if self._deal_starts is not None:
            self._deal_starts(tables)

    def deal_ends(self, tables: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        """Tell the object if it wants to know."""
        if self._deal_ends is not None:
            self._deal_ends(tables, payoffs)

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Show the object the actions if it wants to see them."""
        if self._observe_actions is not None:
            self._observe_actions(decisions, actions)

    def sees_end(self, ends: Decisions) -> None:
        """Show the object the end if it wants to see it."""
        if self._sees_end is not None:
            self._sees_end(ends)

    def probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return what the object says; raises NotImplementedError if it says nothing."""
        if self._probabilities is None:
            return super().probabilities(decisions)
        shown: NDArray[np.floating] = self._probabilities(decisions)
        return shown

    def explain(self, decisions: Decisions) -> list[str]:
        """Return what the object says; empty texts if it says nothing."""
        return super().explain(decisions) if self._explain is None else list(self._explain(decisions))

    @property
    def shows_probabilities(self) -> bool:
        """True if the object defines `probabilities`."""
        return self._probabilities is not None

    @property
    def follows_deals(self) -> bool:
        """True if the object defines `deal_starts`, `deal_ends`, `sees_end` or `observe_actions`."""
        hears = self._deal_starts is not None or self._deal_ends is not None
        return hears or self.watches_ends or self.watches_actions

    @property
    def watches_ends(self) -> bool:
        """True if the object defines `sees_end`."""
        return self._sees_end is not None

    @property
    def watches_actions(self) -> bool:
        """True if the object defines `observe_actions`."""
        return self._observe_actions is not None


class RandomAgent(Agent):
    """Plays every legal action with the same probability."""

    name = "random"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return uniformly random legal actions."""
        legal = np.flatnonzero(decisions.action_mask.view(np.bool_))  # of all decisions, one after the other
        counts = decisions.num_legal
        picks = np.cumsum(counts) - counts + (decisions.uniforms * counts).astype(np.int64)
        return np.asarray(legal[picks] % decisions.game.num_actions, np.int64)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the same probability for every legal action."""
        return decisions.action_mask / decisions.num_legal[:, None]


def as_agent(player: SupportsAct) -> Agent:
    """Return an `Agent` as it is, and any other object that has a method `act` as one; else raise TypeError."""
    if isinstance(player, Agent):
        return player
    if isinstance(player, type) or not callable(getattr(player, "act", None)):
        hint = f"; find_agent({player!r}, game) returns the agent of a name" if isinstance(player, str) else ""
        raise TypeError(f"{player!r} is not an agent: it needs a method act(decisions, rng){hint}")
    return AdoptedAgent(player)


def snake_case(name: str) -> str:
    """Return the name of a class in small letters, words joined by "_": TightCaller -> tight_caller."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
