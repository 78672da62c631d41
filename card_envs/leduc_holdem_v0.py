"""`leduc_holdem-v0`: Leduc hold'em as a PettingZoo AEC environment.

The deck has jack, queen and king in two suits (with n players, n + 1 ranks). Everybody puts in a chip and gets a card.
There is a betting round before a board card and one after it. Bets and raises are 2 in the first and 4 in the second
round, at most two in each. A pair with the board wins, otherwise the higher rank; equal ranks split.

Actions: 0 folds, 1 checks or calls, 2 bets or raises. Rewards: chips won, when the hand is over.
"""

from __future__ import annotations

from typing import Unpack

from card_envs.aec import CommonSettings, GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.game_factory import build_env
from card_envs.games.holdem.presets import SmallPokerSettings, leduc_holdem
from card_envs.signatures import show_arguments_of

__all__ = ["env", "raw_env"]


class LeducHoldem(ConventionalAEC):
    __doc__ = __doc__


class RawLeducHoldem(GameAEC):
    __doc__ = __doc__


class Settings(SmallPokerSettings, CommonSettings, total=False):
    """Arguments of the environment."""


@show_arguments_of(leduc_holdem, CommonSettings)
def env(**settings: Unpack[Settings]) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode; see `make_env`."""
    return build_env(LeducHoldem, "leduc_holdem-v0", leduc_holdem, settings)


@show_arguments_of(leduc_holdem, CommonSettings)
def raw_env(**settings: Unpack[Settings]) -> GameAEC:
    """Return the environment whose `step` raises IllegalActionError for illegal actions; arguments as for `env`."""
    return build_env(RawLeducHoldem, "leduc_holdem-v0", leduc_holdem, settings)
