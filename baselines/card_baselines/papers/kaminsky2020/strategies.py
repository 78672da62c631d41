"""Strategy vectors of a league's members, for maps; in games that `style` supports."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from card_baselines.league.league import League
from card_baselines.league.maps import Play
from card_baselines.league.rounds import make_trainee
from card_baselines.league.runner import read_files
from card_baselines.league.store import Member
from card_baselines.papers.kaminsky2020.style import DEPTH, NUM_SITUATIONS, SEATS, Style, measure_style, supports_style
from card_envs.agent import Agent, find_agent
from card_envs.game import Game

__all__ = ["HANDS", "measure_strategies", "require_strategies"]

HANDS = 5
"""Hands of each situation and member: 21,600 decisions."""


def require_strategies(game: Game) -> None:
    """Raise ValueError if strategy vectors are not defined in a game."""
    if not supports_style(game):
        raise ValueError(
            f"a map by strategy is for no-limit hold'em with {SEATS} seats and stacks of {DEPTH} big blinds, not for "
            f"{game.name} with {game.num_seats} seats as it is set here: choose the map by statistics"
        )


def measure_strategies(
    league: League, members: Collection[int], hands: int = HANDS, progress: Callable[[], None] = lambda: None
) -> Play:
    """Return how members play in the situations of strategy vectors, which are the same for all of them.

    A member that cannot be made, or fails, is left out and named in `missing`.

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
    decisions = f"{NUM_SITUATIONS * hands:,} decisions"
    return Play(
        members=tuple(styles),
        names=("raises per call", "raises among raises and calls", "folds per call or raise"),
        values=np.array([(each.aggression, each.distorted_aggression, each.tightness) for each in styles.values()]),
        vectors=np.array([each.vector for each in styles.values()]),
        title=f"what they do in {decisions} that are the same for all",
        caption=f"Members by their strategy vectors, {decisions} each: near means alike",
        missing=missing,
    )


def _load_member(member: Member, league_folder: Path, game: Game) -> Agent:
    """Return the agent of a member that does not learn."""
    if not member.is_trainee:
        return find_agent(member.spec, game)
    files = None if member.folder is None else read_files(league_folder, member.folder)
    return make_trainee(member.spec, files, game, seed=0)
