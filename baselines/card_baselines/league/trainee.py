"""Trainees: agents that learn from the rounds they play, and can be saved."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions
from card_envs.game import Game


class Choices(NamedTuple):
    """Actions of a student in n decisions, with notes."""

    actions: NDArray[np.int64]
    """(n,): legal actions."""
    notes: NDArray[Any] | None = None
    """(n, ...): data that the student needs in its `Experience`, such as the outputs that led to the actions."""


@dataclass(frozen=True, eq=False)
class Experience:
    """The n >= 1 decisions of one student in hands that were played side by side, in the order in which it took them.

    The decisions of a hand are in order, but not adjacent.
    """

    game: Game
    """Game with the encoder of the student."""
    observations: NDArray[Any]
    """(n, d)."""
    action_masks: NDArray[np.int8]
    """(n, num_actions): 1 for legal actions."""
    actions: NDArray[np.int64]
    """(n,): chosen actions."""
    notes: NDArray[Any] | None
    """(n, ...): notes of the student, see `Choices`."""
    hands: NDArray[np.int64]
    """(n,): index of the hand, 0 .. num_hands - 1; hands without a decision of the student are missing."""
    seats: NDArray[np.int64]
    """(n,): seat of the student, which may have several at a table."""
    rewards: NDArray[np.float64]
    """(n,): winnings of the seat in the whole hand, in `game.unit`: the same for all its decisions of the hand."""
    num_hands: int
    """Number of hands that were played side by side."""

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self.actions)

    @cached_property
    def following(self) -> NDArray[np.int64]:
        """(n,): index of the seat's next decision in the same hand; -1 for the last one."""
        chains = self.hands * self.game.num_seats + self.seats
        order = np.argsort(chains, kind="stable")
        goes_on = chains[order[1:]] == chains[order[:-1]]
        following = np.full(len(self), -1)
        following[order[:-1][goes_on]] = order[1:][goes_on]
        return following


class Trainee(Agent):
    """An agent that learns in a league.

    A *student* explores and learns. A *teacher* is a clone of a student, which only plays: `act` returns its actions.
    The class is called with `game` and `seed` (an int), as far as its parameters have these names. A league plays each
    round in any process, so a student is saved after a round and loaded before the next one.
    """

    def explore(self, decisions: Decisions, rng: np.random.Generator) -> Choices:
        """Return the actions of a student; by default those of `act`.

        Args:
            decisions: The n decisions.
            rng: Random generator of the match.
        """
        return Choices(self.act(decisions, rng))

    @abstractmethod
    def learn(self, experience: Experience, rng: np.random.Generator) -> Mapping[str, float]:
        """Update the student after hands are over.

        Args:
            experience: The student's decisions in these hands.
            rng: Random generator of the student.

        Returns:
            Measures of the update, such as a loss, for the store of the league.
        """

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Save the student, so that it can play and continue to learn.

        Args:
            folder: An empty folder. If it gets a config.json whose "agent" is a registered kind, `find_agent` loads the
                folder as an agent.
        """

    def save_policy(self, folder: Path) -> None:
        """Save a clone, which only plays; by default the same as `save`.

        Args:
            folder: An empty folder.
        """
        self.save(folder)

    @classmethod
    @abstractmethod
    def load(cls, folder: Path, game: Game) -> Self:
        """Return the trainee in a folder.

        Args:
            folder: Folder written by `save` or `save_policy`.
            game: The game that it plays.
        """
