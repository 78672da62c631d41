"""`kuhn_poker-v0` as a PettingZoo AEC environment."""

from __future__ import annotations

from typing import Any

from card_envs.aec import ConventionalAEC, GameAEC
from card_envs.envs import make_env, make_raw_env

__all__ = ["env", "raw_env"]


def env(**settings: Any) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode.

    Settings are the parameters of `card_envs.games.holdem.presets.kuhn_poker`, and `render_mode`.
    """
    return make_env("kuhn_poker-v0", **settings)


def raw_env(**settings: Any) -> GameAEC:
    """Return the fast path: an illegal action raises IllegalActionError and changes nothing. Settings as for `env`."""
    return make_raw_env("kuhn_poker-v0", **settings)
