"""Strategy vectors of a league's members, for maps; in games that `style` supports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.league import League
from card_baselines.league.rounds import make_trainee
from card_baselines.league.runner import read_files
from card_baselines.league.store import Member
from card_baselines.papers.kaminsky2020.style import DEPTH, NUM_SITUATIONS, SEATS, Style, measure_style, supports_style
from card_baselines.text_table import Columns, TextTable
from card_envs.agent import Agent, find_agent
from card_envs.game import Game

__all__ = ["HANDS", "Strategies", "measure_strategies", "require_strategies"]

HANDS = 5
"""Hands of each situation and member: 21,600 decisions."""


@dataclass(frozen=True, eq=False)
class Strategies:
    """Frequencies of the actions of members in situations that are the same for all of them."""

    members: tuple[int, ...]
    """Ids of the members."""
    styles: tuple[Style, ...]
    """Frequencies of each member's actions."""
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

    @property
    def caption(self) -> str:
        """Caption of a map of the vectors."""
        return f"Members by their strategy vectors, {self.decisions:,} decisions each: near means alike"

    def table(self, names: Mapping[int, str], order: Sequence[int]) -> TextTable:
        """Return aggression and tightness of the members."""
        styles = {member: style for member, style in zip(self.members, self.styles, strict=True)}
        columns: Columns = {
            "member": lambda member: names[member],
            "raises per call": lambda member: _format(styles[member].aggression),
            "raises among raises and calls": lambda member: _format(styles[member].distorted_aggression),
            "folds per call or raise": lambda member: _format(styles[member].tightness),
        }
        title = f"what they do in {self.decisions:,} decisions that are the same for all"
        return TextTable.from_columns(title, columns, [member for member in order if member in styles])


def _format(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3g}"


def require_strategies(game: Game) -> None:
    """Raise ValueError if strategy vectors are not defined in a game."""
    if not supports_style(game):
        raise ValueError(
            f"a map by strategy is for no-limit hold'em with {SEATS} seats and stacks of {DEPTH} big blinds, not for "
            f"{game.name} with {game.num_seats} seats as it is set here: choose the map by statistics"
        )


def measure_strategies(
    league: League, members: Collection[int], hands: int = HANDS, progress: Callable[[], None] = lambda: None
) -> Strategies:
    """Return the strategies of members. A member that cannot be made, or fails, is left out and named in `missing`.

    Args:
        league: League of the members.
        members: Ids of the members.
        hands: Hands of each situation.
        progress: Called after each member.

    Raises:
        ValueError: Strategy vectors are not defined in the game of the league.
    """
    game, all_members = league.game, league.members
    require_strategies(game)
    styles: dict[int, Style] = {}
    missing: dict[int, str] = {}
    for number in members:
        try:
            with league.restrict_names():
                agent = _load_member(all_members[number], league.folder, game)
            styles[number] = measure_style(agent, game, hands)
        except Exception as error:  # a member is anybody's code
            missing[number] = f"{type(error).__name__}: {error}"
        progress()
    return Strategies(tuple(styles), tuple(styles.values()), hands, missing)


def _load_member(member: Member, league_folder: Path, game: Game) -> Agent:
    """Return the agent of a member that does not learn."""
    if not member.is_trainee:
        return find_agent(member.spec, game)
    files = None if member.folder is None else read_files(league_folder, member.folder)
    return make_trainee(member.spec, files, game, seed=0)
