"""Strategy vectors of a league's members, for maps: where the game is the one that `style` is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.league import League
from card_baselines.league.rounds import make_trainee
from card_baselines.league.runner import read_files
from card_baselines.league.store import Member
from card_baselines.league.style import DEPTH, NUM_SITUATIONS, SEATS, Style, has_style, style_of
from card_envs.agent import Agent, find_agent
from card_envs.game import Game

HANDS = 5
"""Hands of each situation and member: 21,600 decisions."""


@dataclass(frozen=True, eq=False)
class Strategies:
    """Strategy vectors: actions of members in situations that are the same for all of them."""

    members: tuple[int, ...]
    styles: tuple[Style, ...]
    hands: int
    """Hands of each situation."""
    missing: Mapping[int, str]
    """Member -> reason why it is left out."""

    @property
    def vectors(self) -> NDArray[np.float64]:
        """(n, 4320 * 53): the strategy vectors."""
        return np.array([style.vector for style in self.styles])

    @property
    def decisions(self) -> int:
        """Number of decisions of each member."""
        return NUM_SITUATIONS * self.hands


def require_strategies(game: Game) -> None:
    """Raise ValueError if players of a game cannot be told apart by strategy vectors."""
    if not has_style(game):
        raise ValueError(
            f"a map by strategy is for no-limit hold'em with {SEATS} seats and stacks of {DEPTH} big blinds, not for "
            f"{game.name} with {game.num_seats} seats as it is set here: choose the map by statistics"
        )


def strategies_of(
    league: League, members: Collection[int], hands: int = HANDS, progress: Callable[[], None] = lambda: None
) -> Strategies:
    """Return the strategies of members. A member that cannot be made, or fails, is left out and named in `missing`.

    Args:
        league: League of the members.
        members: Numbers of the members.
        hands: Hands of each situation.
        progress: Called after each member.

    Raises:
        ValueError: For games without strategy vectors.
    """
    game, everybody = league.game, league.members
    require_strategies(game)
    styles: dict[int, Style] = {}
    missing: dict[int, str] = {}
    for number in members:
        try:
            with league.allowed_names():
                agent = _agent(everybody[number], league.folder, game)
            styles[number] = style_of(agent, game, hands)
        except Exception as error:  # whatever the code of a member does
            missing[number] = f"{type(error).__name__}: {error}"
        progress()
    return Strategies(tuple(styles), tuple(styles.values()), hands, missing)


def _agent(member: Member, league_folder: Path, game: Game) -> Agent:
    """Return a member that does not learn as it plays in rounds."""
    if not member.is_trainee:
        return find_agent(member.spec, game)
    files = None if member.folder is None else read_files(league_folder, member.folder)
    return make_trainee(member.spec, files, game, seed=0)
