"""What a trainee is: an agent that learns from the rounds it plays, and can be written down."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.experience import Experience
from card_envs import plugins
from card_envs.agent import Agent, Decisions
from card_envs.agent.loading import class_at
from card_envs.game import Game
from card_envs.locations import UnknownNameError, require_allowed, suggest_name


class Choices(NamedTuple):
    """Actions of a student in n decisions, with notes."""

    actions: NDArray[np.int64]
    """(n,): legal ones."""
    notes: NDArray[Any] | None = None
    """(n, ...): what it wants to find beside them in its `Experience`, such as the outputs that they came from."""


class Trainee(Agent):
    """An agent that learns. As a *student* it explores and learns, as a *teacher*, a clone of a student, it just plays.

    `act` is how a teacher plays. The class is called with `game` and `seed` (an int), as far as its parameters have
    these names. The league gives a student to one round at a time, possibly in another process each time: what it has
    learned travels by `save` and `load`.
    """

    def explore(self, decisions: Decisions, rng: np.random.Generator) -> Choices:
        """Return its actions (n,) while it learns; by default those that `act` does."""
        return Choices(self.act(decisions, rng))

    @abstractmethod
    def learn(self, experience: Experience, rng: np.random.Generator) -> Mapping[str, float]:
        """Change by what happened in hands that are over; return measures of it, such as a loss, for the store."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write into an empty folder everything that it needs to play and to learn on.

        A config.json there whose "agent" is a registered kind makes it an agent by its path: see `find_agent`.
        """

    def save_policy(self, folder: Path) -> None:
        """Write into an empty folder what a clone needs, which only plays; by default the same as `save`."""
        self.save(folder)

    @classmethod
    @abstractmethod
    def load(cls, folder: Path, game: Game) -> Self:
        """Return the trainee that `save`, or `save_policy`, wrote into a folder."""


def trainee_class(spec: str) -> type[Trainee]:
    """Return a class of trainees.

    Args:
        spec: A registered name (entry points `card_envs.trainees`), "module:Class" or "path/to/file.py:Class".

    Raises:
        ValueError: If there is no such class, with the nearest name.
        UntrustedNameError: If the name was read from a store and the user did not allow it.
    """
    known = plugins.list_plugins(plugins.TRAINEES)
    if spec not in known and ":" not in spec:
        raise UnknownNameError(
            f"trainee {spec!r} is not known{suggest_name(spec, known)}: choose one of {sorted(known)}, or pass "
            '"module:Class" or "path/to/file.py:Class"'
        )
    if spec not in known:
        require_allowed("trainee", spec)
    found: type = class_at(spec, known.get(spec, spec))
    if not issubclass(found, Trainee):
        raise ValueError(f"{spec!r} is no trainee: a student is of a class derived from card_baselines.league.Trainee")
    return found
