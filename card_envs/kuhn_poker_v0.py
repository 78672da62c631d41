"""`kuhn_poker-v0`: Kuhn poker as a PettingZoo AEC environment.

The deck has jack, queen and king of one suit (with n players, n + 1 ranks). Everybody puts in a chip and gets a card.
There is one betting round with one bet of a chip, which the others call or fold. The higher card wins.

Actions: 0 folds, 1 checks or calls, 2 bets. Rewards: chips won, when the hand is over.
"""

from __future__ import annotations

from typing import Unpack

from card_envs.aec import CommonSettings, GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.game_factory import build_env
from card_envs.games.holdem.presets import SmallPokerSettings, kuhn_poker
from card_envs.signatures import show_arguments_of

__all__ = ["env", "raw_env"]


class KuhnPoker(ConventionalAEC):
    __doc__ = __doc__


class RawKuhnPoker(GameAEC):
    __doc__ = __doc__


class Settings(SmallPokerSettings, CommonSettings, total=False):
    """Arguments of the environment."""


@show_arguments_of(kuhn_poker, CommonSettings)
def env(**settings: Unpack[Settings]) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode; see `make_env`."""
    return build_env(KuhnPoker, "kuhn_poker-v0", kuhn_poker, settings)


@show_arguments_of(kuhn_poker, CommonSettings)
def raw_env(**settings: Unpack[Settings]) -> GameAEC:
    """Return the environment whose `step` raises IllegalActionError for illegal actions; arguments as for `env`."""
    return build_env(RawKuhnPoker, "kuhn_poker-v0", kuhn_poker, settings)
