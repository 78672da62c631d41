"""How agents play, not only what they win: callbacks that count during a match, many hands at a time."""

from __future__ import annotations

from card_envs.game import Game
from card_envs.statistic import PlayCounter, Statistic, statistics_json

__all__ = ["PlayCounter", "Statistic", "play_statistics", "statistics_json"]


def play_statistics(game: Game) -> PlayCounter:
    """Return a callback that collects the statistics of a game; ValueError for games that have none."""
    if game.info.statistics is None:
        raise ValueError(f"there are no play statistics for {game.name}")
    return game.info.statistics()
