"""Strategies by betting and bucket of hands in files, and the base class of the agents that play them."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.buckets.lookup import BucketFinder
from card_baselines.solvers.buckets.stored_buckets import from_stored_arrays, to_stored_arrays
from card_baselines.solvers.fifteenths import WHOLE, compress, decompress
from card_baselines.solvers.same_stakes import has_same_stakes
from card_envs.agent import Decisions, StochasticAgent
from card_envs.compiler import kernel
from card_envs.damaged_files import explain_damage
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem
from card_envs.typing import Floats

STRATEGY = "strategy.npz"
"""File of a run folder."""
DATA = Path(__file__).parent / "data"
"""Folder of the strategies that come with the package."""


class Layout(NamedTuple):
    """Places of the probabilities of each information state of the betting."""

    legal: NDArray[np.int64]
    """(states,): set of legal actions: bit a stands for action a."""
    num_buckets: NDArray[np.int64]
    """(states,): number of buckets on the street of each state."""
    first: NDArray[np.int64]
    """(states,): start of each state, which has a number per bucket for each legal action but the last."""
    size: int
    """Total number of numbers."""

    @staticmethod
    def from_states(
        legal: NDArray[np.int64], num_buckets: NDArray[np.int64], order: NDArray[np.int64] | None = None
    ) -> Layout:
        """Return the layout of states that follow each other, or lie in the `order` (states,)."""
        sizes = (np.array([int(each).bit_count() for each in legal], np.int64) - 1) * num_buckets
        order, first = np.arange(len(sizes)) if order is None else order, np.empty(len(sizes), np.int64)
        first[order] = np.cumsum(sizes[order]) - sizes[order]
        return Layout(legal, num_buckets, first, int(sizes.sum()))


class StoredStrategy:
    """Probabilities of actions, in 15ths, by information state of the betting and bucket of the hand."""

    defaults: ClassVar[Mapping[str, Any]] = {}
    """Settings of games whose files do not tell them."""

    def __init__(self, config: HoldemConfig, layout: Layout, shares: NDArray[np.uint8], buckets: HandBuckets) -> None:
        """Store the numbers; ValueError unless there are as many as the layout says."""
        if len(shares) != layout.size:
            raise ValueError(
                f"the strategy has {len(shares)} numbers, but the betting of its game asks for {layout.size}"
            )
        self.config, self.layout, self.shares, self.buckets = config, layout, shares, buckets
        self._finder = BucketFinder(buckets)

    @abstractmethod
    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities of actions (n, num_actions) of each view's actor."""

    @abstractmethod
    def states_to_store(self) -> dict[str, Any]:
        """Return the arrays of a file that tell the information states, none if the game tells them."""

    @classmethod
    @abstractmethod
    def find_layout(cls, config: HoldemConfig, data: Any, buckets: HandBuckets) -> tuple[Any, Layout]:
        """Return the information states in a file, and their layout."""

    @classmethod
    @abstractmethod
    def from_states(cls, config: HoldemConfig, states: Any, shares: NDArray[np.uint8], buckets: HandBuckets) -> Self:
        """Return a strategy for the information states of `find_layout`."""

    def find_buckets(self, views: Tables) -> NDArray[np.int64]:
        """Return the bucket (n,) of each actor's hand."""
        return self._finder.find(views)

    def look_up(self, states: NDArray[np.int64], buckets: NDArray[np.int64]) -> Floats:
        """Return the probabilities (n, num_actions) at states (n,) with hands in buckets (n,); 0 at states below 0."""
        found = np.zeros((len(states), self.config.num_actions))
        legal, num_buckets, first, _ = self.layout
        write_probabilities(states, buckets, legal, num_buckets, first, self.shares, found)
        return found

    def save(self, path: Path) -> None:
        """Write a file that `load` reads."""
        settings = {name: value for name, value in asdict(self.config).items() if value != getattr(HoldemConfig, name)}
        with path.open("wb") as file:
            np.savez(
                file, **self.states_to_store(), shares=compress(self.shares), config=np.array(json.dumps(settings)),
                **to_stored_arrays(self.buckets),
            )  # fmt: skip

    @classmethod
    def load(cls, path: Path) -> Self:
        """Return the strategy in a file written by `save`."""
        config = cls.load_config(path)
        with explain_damage(path), np.load(path) as data:
            buckets, packed = from_stored_arrays(data), data["shares"]
            states, layout = cls.find_layout(config, data, buckets)
            return cls.from_states(config, states, decompress(packed, layout.size), buckets)

    @classmethod
    def load_config(cls, path: Path) -> HoldemConfig:
        """Return the game of the strategy in a file."""
        with explain_damage(path), np.load(path) as data:
            settings = json.loads(str(data["config"]))
            values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}
            return HoldemConfig(**{**cls.defaults, **values})


@kernel
def write_probabilities(
    states: Any, buckets: Any, legal: Any, num_buckets: Any, first: Any, shares: Any, found: Any
) -> None:
    """Write the result of `StoredStrategy.look_up` to `found`, which holds zeros."""
    for j in range(states.shape[0]):
        state = states[j]
        if state < 0:
            continue
        at, left, last = first[state] + buckets[j], np.int64(WHOLE), np.int64(0)
        for action in range(found.shape[1]):
            if (legal[state] >> action) & 1:
                last = np.int64(action)
                if legal[state] >> (action + 1):
                    found[j, action] = shares[at] / WHOLE
                    left -= shares[at]
                    at += num_buckets[state]
        found[j, last] = left / WHOLE


class StoredStrategyAgent(StochasticAgent):
    """Base class of agents that play a `StoredStrategy`, in its game or in one with other bet menus."""

    strategy_class: ClassVar[type[StoredStrategy]]
    needs: ClassVar[str]
    """What a game must have, for the message of the error."""

    def _prepare(self, game: Game, path: Path) -> None:
        """Remember the game and the file of the strategy, which is read on first access."""
        self._game, self._path = game, path
        if not self.can_play(game):
            raise ValueError(f"agent {self.name!r} cannot play {game.name} with these settings: it needs {self.needs}")

    @cached_property
    def strategy(self) -> Any:
        """The strategy that is played; the file is read on first access."""
        return self.strategy_class.load(self._path)

    def can_play(self, game: Game) -> bool:
        """Return True for Texas hold'em with seats, blinds, stacks and rules of the strategy; bet menus may differ."""
        return is_texas_holdem(game) and has_same_stakes(game.config, self.strategy_class.load_config(self._path))

    @abstractmethod
    def has_same_betting(self) -> bool:
        """Return True if the strategy was made for the bet menu of the game."""

    @abstractmethod
    def translate(self, views: Tables) -> Floats:
        """Return the probabilities of the actions (n, num_actions) with another bet menu."""

    def compute_probabilities(self, decisions: Decisions) -> Floats:
        """Return the probabilities of the actions, (n, num_actions)."""
        views = decisions.views
        return self.strategy.probabilities(views) if self.has_same_betting() else self.translate(views)
