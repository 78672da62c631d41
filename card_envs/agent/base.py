"""Agents: players that map a batch of decisions to actions."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agent.decisions import Decisions, choose, likeliest
from card_envs.game import Game
from card_envs.observation import Encoder, find_encoder

_OPTIONAL_ATTRIBUTES = (
    "name", "encoder", "mixes", "is_stateless", "can_play", "deal_starts", "deal_ends", "observe_actions", "sees_end",
    "probabilities", "explain",
)  # fmt: skip
"""Attributes of `Agent` that a `DuckTypedAgent` takes over from its object."""


class SupportsAct(Protocol):
    """Any object with a method `act`; `as_agent` makes an `Agent` of it."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        """Return one legal action for each decision (n,); see `Agent.act`."""
        ...


class _ClassName:
    """Default name of an agent: its class in snake case."""

    def __get__(self, agent: object, owner: type) -> str:
        return snake_case(owner.__name__)


class Agent(ABC):
    """A player: maps a batch of decisions to actions. Subclasses implement `act`; everything else has a default.

    Example:
        >>> import numpy as np
        >>> from card_envs.agent import Agent
        >>> class Caller(Agent):
        ...     def act(self, decisions, rng):
        ...         return np.ones(len(decisions), np.int64)
        >>> Caller().name
        'caller'
    """

    name: str = _ClassName()  # type: ignore[assignment]  # a descriptor that any string replaces
    """Name in results and messages."""
    encoder: str | Encoder | None = None
    """Encoder of the agent's observations (name, "module:NAME" or `Encoder`); None for that of the game."""

    greedy: bool | None = None
    """True to take the most probable action, False to sample one; None for agents without that choice."""
    mixes: bool = True
    """False if the action depends on the observation alone, not on random numbers."""

    is_stateless: bool = False
    """True if `act` depends on each decision and its random number alone: not on other decisions, memory or `rng`.

    Control variates ask such agents for their actions with other cards.
    """

    @abstractmethod
    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose one legal action for each decision.

        Args:
            decisions: A batch of n decisions.
            rng: Random numbers that depend on the batch. Draw from `decisions.random_numbers` instead where results
                should not depend on how decisions are batched.

        Returns:
            (n,) action ids.
        """

    def can_play(self, game: Game) -> bool:
        """Return False for games that the agent cannot play; by default it can play all."""
        return True

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:  # noqa: B027  a hook: the default is to do nothing
        """Called when deals begin.

        Args:
            table_ids: (n,) ids of their tables, as in `Decisions.table_ids`.
        """

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:  # noqa: B027  likewise
        """Called when deals are over.

        Args:
            table_ids: (n,) ids of their tables.
            payoffs: (n, seats) rewards of all seats, in the unit of the game.
        """

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:  # noqa: B027  likewise
        """Called before every action of a deal in which the agent has a seat, its own actions included.

        Agents that keep the whole betting history need it: a view holds only the last decisions. An agent with several
        seats at a table is called once for each.

        Args:
            decisions: The tables before the actions; `seats` are the agent's own, observations and views are what they
                see, and `views["actor"]` are the seats that act. Masks of seats that do not act are all zeros.
            actions: (n,) legal actions of these actors.
        """

    def sees_end(self, ends: Decisions) -> None:  # noqa: B027  likewise
        """Called when deals are over, before `deal_ends`, once for each seat of the agent.

        Args:
            ends: The tables; observations and `ends.views` show what the agent's seats see at the end, the latter with
                the cards of a showdown. There is nothing to decide: all masks are zeros.
        """

    def probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the probability with which `act` takes each action.

        Control variates and exploitability ask for it, also at counterfactual decisions. Optional: agents that cannot
        compute it do not define it.

        Returns:
            (n, num_actions) probabilities; rows sum to 1.

        Raises:
            NotImplementedError: If the subclass does not define it (`shows_probabilities`).
        """
        raise NotImplementedError(f"agent {self.name!r} does not show its probabilities")

    def explain(self, decisions: Decisions) -> list[str]:
        """Explain the decisions that the agent has just taken, for people who watch it play.

        Returns:
            One text for each decision, "" for none. It may reveal the agent's own cards.
        """
        return [""] * len(decisions)

    @property
    def shows_probabilities(self) -> bool:
        """True if the agent defines `probabilities`; a subclass may hide it by `probabilities = None`."""
        return self._defines("probabilities")

    @property
    def needs_deal_events(self) -> bool:
        """True if the agent defines `deal_starts`, `deal_ends`, `sees_end` or `observe_actions`."""
        return any(map(self._defines, ("deal_starts", "deal_ends", "sees_end", "observe_actions")))

    @property
    def needs_showdowns(self) -> bool:
        """True if the agent defines `sees_end`."""
        return self._defines("sees_end")

    @property
    def needs_actions(self) -> bool:
        """True if the agent defines `observe_actions`."""
        return self._defines("observe_actions")

    def _defines(self, name: str) -> bool:
        """Return True if a method is not the default of `Agent`."""
        method = getattr(self, name)
        return method is not None and getattr(method, "__func__", method) is not getattr(Agent, name)

    def find_encoder(self, game: Game) -> Encoder:
        """Return the encoder of the agent's observations; ValueError if it is unknown or not for this game."""
        encoder = game.encoder if self.encoder is None else find_encoder(game.encoders, self.encoder)
        game.find_layout(encoder)
        return encoder


class StochasticAgent(Agent):
    """An agent that is defined by action probabilities: it samples from them, or if `greedy` takes the likeliest.

    Subclasses implement `compute_probabilities`.

    Example:
        >>> from card_envs.agent import StochasticAgent
        >>> class Uniform(StochasticAgent):
        ...     def compute_probabilities(self, decisions):
        ...         return decisions.action_mask / decisions.num_legal[:, None]
        >>> Uniform().shows_probabilities
        True
    """

    greedy: bool | None = False

    @abstractmethod
    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the probability of every action (n, num_actions), zero for illegal ones, whatever `greedy` is."""

    def probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the probability with which `act` takes each action, (n, num_actions)."""
        found = self.compute_probabilities(decisions)
        return likeliest(found) if self.greedy else found

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return actions (n,) drawn by their probabilities with `decisions.random_numbers`."""
        return choose(self.probabilities(decisions), decisions.random_numbers)


class DuckTypedAgent(Agent):
    """Adapter for an object that has a method `act` but is no `Agent`; its other methods of agents are used too."""

    def __init__(self, player: SupportsAct) -> None:
        """Take over the attributes of the object; without a name it gets that of its class."""
        self.player = player
        self.name = snake_case(type(player).__name__)
        for name in _OPTIONAL_ATTRIBUTES:
            if hasattr(player, name):
                setattr(self, name, getattr(player, name))

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions of the object, unchecked."""
        actions: NDArray[np.int64] = self.player.act(decisions, rng)
        return actions


class RandomAgent(Agent):
    """An agent that plays every legal action with the same probability."""

    name = "random"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return uniformly random legal actions."""
        legal = np.flatnonzero(decisions.action_mask.view(np.bool_))  # of all decisions, one after the other
        counts = decisions.num_legal
        picks = np.cumsum(counts) - counts + (decisions.random_numbers * counts).astype(np.int64)
        return np.asarray(legal[picks] % decisions.game.num_actions, np.int64)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the same probability for every legal action."""
        return decisions.action_mask / decisions.num_legal[:, None]


def as_agent(player: SupportsAct) -> Agent:
    """Return the player as an `Agent`: itself if it is one, else an adapter for its method `act`.

    Raises:
        TypeError: If the player has no method `act`.

    Example:
        >>> import numpy as np
        >>> class FirstLegal:
        ...     def act(self, decisions, rng):
        ...         return decisions.action_mask.argmax(axis=1)
        >>> as_agent(FirstLegal()).name
        'first_legal'
    """
    if isinstance(player, Agent):
        return player
    if isinstance(player, type) or not callable(getattr(player, "act", None)):
        hint = f"; find_agent({player!r}, game) returns the agent of a name" if isinstance(player, str) else ""
        raise TypeError(f"{player!r} is not an agent: it needs a method act(decisions, rng){hint}")
    return DuckTypedAgent(player)


def snake_case(name: str) -> str:
    """Return the name of a class in snake case: TightCaller -> tight_caller."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
