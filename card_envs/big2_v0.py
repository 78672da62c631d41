"""`big2-v0`: Big 2 as a PettingZoo AEC environment."""

from __future__ import annotations

from card_envs.aec import ConventionalAEC, GameAEC
from card_envs.envs import make_env, make_raw_env
from card_envs.observation import Encoder

__all__ = ["env", "raw_env"]


def env(
    *,
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
    render_mode: str | None = None,
) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode.

    The arguments are those of `card_envs.games.big2.presets.big2`, and `render_mode`.
    """
    return make_env("big2-v0", **locals())


def raw_env(
    *,
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
    render_mode: str | None = None,
) -> GameAEC:
    """Return the fast path: an illegal action raises IllegalActionError and changes nothing; arguments as for `env`."""
    return make_raw_env("big2-v0", **locals())
