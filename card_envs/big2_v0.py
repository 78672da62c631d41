"""`big2-v0` as a PettingZoo AEC environment: `env()` with PettingZoo's conventions, `raw_env()` the fast path."""

from __future__ import annotations

from typing import Any

from card_envs.aec import ConventionalAEC, GameAEC
from card_envs.envs import make_env, make_raw_env

__all__ = ["env", "raw_env"]


def env(**settings: Any) -> ConventionalAEC:
    """Return the environment; illegal actions end the episode. Settings: see `card_envs.games.big2.presets.big2`."""
    return make_env("big2-v0", **settings)


def raw_env(**settings: Any) -> GameAEC:
    """Return the environment that raises IllegalActionError for illegal actions, and changes nothing then."""
    return make_raw_env("big2-v0", **settings)
