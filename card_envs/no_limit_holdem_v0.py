"""`no_limit_holdem-v0`: no-limit and pot-limit Texas hold'em for 2 to 10 seats, as a PettingZoo AEC environment.

Everybody gets two cards; the seats left of the button post a small and a big blind. Betting rounds follow: before the
flop (three board cards), after it, and after a fourth and a fifth board card. A bet may be as large as the stack, and
a raise adds at least as much as the last one. The best five of seven cards win the pot or side pot, or whoever is left
when all others have folded.

Actions: 0 folds, 1 checks or calls, then the sizes of `bet_menu`. Rewards: big blinds won, when the hand is over.
"""

from __future__ import annotations

from typing import Unpack

from card_envs.aec import GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.envs import make_env, make_raw_env
from card_envs.games.holdem.presets import NoLimitHoldemSettings, no_limit_holdem
from card_envs.observation import NumberType
from card_envs.rendering import RenderMode
from card_envs.signatures import show_arguments_of

__all__ = ["env", "raw_env"]


class NoLimitHoldem(ConventionalAEC):
    __doc__ = __doc__


class RawNoLimitHoldem(GameAEC):
    __doc__ = __doc__


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
