"""`no_limit_holdem-v0`: no-limit and pot-limit Texas hold'em as a PettingZoo AEC environment."""

from __future__ import annotations

from collections.abc import Sequence

from card_envs.aec import ConventionalAEC, GameAEC
from card_envs.envs import make_env, make_raw_env
from card_envs.games.holdem.bet_menu import BetMenu
from card_envs.observation import Encoder

__all__ = ["env", "raw_env"]


def env(
    *,
    num_players: int = 2,
    stacks: int | Sequence[int] = 200,
    small_blind: int = 1,
    big_blind: int = 2,
    ante: int = 0,
    bet_menu: BetMenu | str | Sequence[float] = "fchpa",
    structure: str = "no_limit",
    encoder: str | Encoder = "default",
    rules: str = "standard",
    render_mode: str | None = None,
) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode.

    The arguments are those of `card_envs.games.holdem.presets.no_limit_holdem`, and `render_mode`.
    """
    return make_env("no_limit_holdem-v0", **locals())


def raw_env(
    *,
    num_players: int = 2,
    stacks: int | Sequence[int] = 200,
    small_blind: int = 1,
    big_blind: int = 2,
    ante: int = 0,
    bet_menu: BetMenu | str | Sequence[float] = "fchpa",
    structure: str = "no_limit",
    encoder: str | Encoder = "default",
    rules: str = "standard",
    render_mode: str | None = None,
) -> GameAEC:
    """Return the fast path: an illegal action raises IllegalActionError and changes nothing; arguments as for `env`."""
    return make_raw_env("no_limit_holdem-v0", **locals())
