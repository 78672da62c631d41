"""Evaluation panels: the opponents of evaluations, by game."""

from __future__ import annotations

from card_envs.game import Game
from card_envs.games.big2.config import is_big2
from card_envs.games.holdem.config import is_holdem, is_texas_holdem

SMALL_POKER = ("random", "always_call", "always_raise")
TEXAS_HOLDEM = (*SMALL_POKER, "chen", "sklansky", "loose_passive", "tight_aggressive", "equity")
BIG2 = ("random", "big2_lowest", "big2_greedy", "big2_planner")


def evaluation_panel(game: Game) -> tuple[str, ...]:
    """Return the names of the agents that others are evaluated against in a game.

    A game may name its panel (`GameInfo.evaluation_panel`); other games of other packages have random play only.
    """
    if game.info.evaluation_panel:
        return game.info.evaluation_panel
    if is_texas_holdem(game):
        return TEXAS_HOLDEM
    if is_holdem(game):
        return SMALL_POKER
    return BIG2 if is_big2(game) else ("random",)
