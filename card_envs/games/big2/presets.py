"""The published Big 2 game: what its environment's arguments mean."""

from __future__ import annotations

from card_envs.game import Game
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import big2_game
from card_envs.observation import Encoder


def big2(
    rules: str = "charlesworth2018",
    encoder: str | Encoder = "charlesworth412",
    opening_decision: bool | None = None,
    forced_passes: str | None = None,
    higher_straight_flush_wins: bool | None = None,
    all_triples: bool | None = None,
    straights: str | None = None,
    flushes: str | None = None,
    double_from: int | None = None,
    triple_from: int | None = None,
    points_per_two: int | None = None,
    double_per_two: bool | None = None,
) -> Game:
    """Return Big 2 with the named `rules`; options other than None replace single rules (see `Big2Config`)."""
    options = {
        "opening_decision": opening_decision,
        "forced_passes": forced_passes,
        "higher_straight_flush_wins": higher_straight_flush_wins,
        "all_triples": all_triples,
        "straights": straights,
        "flushes": flushes,
        "double_from": double_from,
        "triple_from": triple_from,
        "points_per_two": points_per_two,
        "double_per_two": double_per_two,
    }
    chosen = {name: value for name, value in options.items() if value is not None}
    return big2_game(Big2Config.profile(rules, **chosen), encoder)
