"""`no_limit_holdem-v0`: no-limit and pot-limit Texas hold'em for 2 to 10 seats, as a PettingZoo AEC environment.

Everybody gets two cards; the seats left of the button post a small and a big blind. Betting rounds follow: before the
flop (three board cards), after it, and after a fourth and a fifth board card. A bet may be as large as the stack, and
a raise adds at least as much as the last one. The best five of seven cards win the pot or side pot, or whoever is left
when all others have folded.

Actions: 0 folds, 1 checks or calls, then the sizes of `bet_menu`. Rewards: big blinds won, when the hand is over.
"""

from __future__ import annotations

from typing import Unpack

from card_envs.aec import CommonSettings, GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.game_factory import build_env
from card_envs.games.holdem.presets import NoLimitHoldemSettings, no_limit_holdem
from card_envs.signatures import show_arguments_of

__all__ = ["env", "raw_env"]


class NoLimitHoldem(ConventionalAEC):
    __doc__ = __doc__


class RawNoLimitHoldem(GameAEC):
    __doc__ = __doc__


class Settings(NoLimitHoldemSettings, CommonSettings, total=False):
    """Arguments of the environment."""


@show_arguments_of(no_limit_holdem, CommonSettings)
def env(**settings: Unpack[Settings]) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode; see `make_env`."""
    return build_env(NoLimitHoldem, "no_limit_holdem-v0", no_limit_holdem, settings)


@show_arguments_of(no_limit_holdem, CommonSettings)
def raw_env(**settings: Unpack[Settings]) -> GameAEC:
    """Return the environment whose `step` raises IllegalActionError for illegal actions; arguments as for `env`."""
    return build_env(RawNoLimitHoldem, "no_limit_holdem-v0", no_limit_holdem, settings)
