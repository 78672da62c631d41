"""`leduc_holdem-v0`: Leduc hold'em as a PettingZoo AEC environment."""

from __future__ import annotations

from card_envs.aec import ConventionalAEC, GameAEC
from card_envs.envs import make_env, make_raw_env
from card_envs.observation import Encoder

__all__ = ["env", "raw_env"]


def env(
    *,
    num_players: int = 2,
    encoder: str | Encoder = "default",
    render_mode: str | None = None,
) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode.

    The arguments are those of `card_envs.games.holdem.presets.leduc_holdem`, and `render_mode`.
    """
    return make_env("leduc_holdem-v0", **locals())


def raw_env(
    *,
    num_players: int = 2,
    encoder: str | Encoder = "default",
    render_mode: str | None = None,
) -> GameAEC:
    """Return the fast path: an illegal action raises IllegalActionError and changes nothing; arguments as for `env`."""
    return make_raw_env("leduc_holdem-v0", **locals())
