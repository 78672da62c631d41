"""`no_limit_holdem-v0`: no-limit and pot-limit Texas hold'em as a PettingZoo AEC environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from card_envs.aec import GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.envs import make_env, make_raw_env
from card_envs.games.holdem.presets import NoLimitHoldemSettings, no_limit_holdem
from card_envs.signatures import show_arguments_of

if TYPE_CHECKING:
    from card_envs.typing import NumberType, RenderMode

__all__ = ["env", "raw_env"]


@show_arguments_of(no_limit_holdem)
def env(
    *, render_mode: RenderMode | None = None, dtype: NumberType | None = None, **settings: Unpack[NoLimitHoldemSettings]
) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode.

    Args:
        render_mode: None, "ansi", "rgb_array" or "human".
        dtype: Type of the numbers in observations, "float32" or "int8"; None for the encoder's own.
        **settings: Arguments of `card_envs.games.holdem.presets.no_limit_holdem`.

    Raises:
        UnknownSettingError: For an argument that the environment does not have; the message lists its arguments.
    """
    return make_env("no_limit_holdem-v0", render_mode, dtype=dtype, **settings)


@show_arguments_of(no_limit_holdem)
def raw_env(
    *, render_mode: RenderMode | None = None, dtype: NumberType | None = None, **settings: Unpack[NoLimitHoldemSettings]
) -> GameAEC:
    """Return the environment whose `step` raises IllegalActionError for illegal actions; arguments as for `env`."""
    return make_raw_env("no_limit_holdem-v0", render_mode, dtype=dtype, **settings)
