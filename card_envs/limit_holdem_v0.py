"""`limit_holdem-v0`: limit Texas hold'em for 2 to 10 seats, as a PettingZoo AEC environment.

Everybody gets two cards; the seats left of the button post a small and a big blind. Betting rounds follow: before the
flop (three board cards), after it, and after a fourth and a fifth board card. A bet or raise adds a big blind before
and on the flop, two later; there are at most four a round. The best five of seven cards win the pot, or whoever is
left when all others have folded.

Actions: 0 folds, 1 checks or calls, 2 bets or raises. Rewards: big blinds won, when the hand is over.
"""

from __future__ import annotations

from typing import Unpack

from card_envs.aec import CommonSettings, GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.game_factory import build_env
from card_envs.games.holdem.presets import LimitHoldemSettings, limit_holdem
from card_envs.signatures import show_arguments_of

__all__ = ["env", "raw_env"]


class LimitHoldem(ConventionalAEC):
    __doc__ = __doc__


class RawLimitHoldem(GameAEC):
    __doc__ = __doc__


class Settings(LimitHoldemSettings, CommonSettings, total=False):
    """Arguments of the environment."""


@show_arguments_of(limit_holdem, CommonSettings)
def env(**settings: Unpack[Settings]) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode; see `make_env`."""
    return build_env(LimitHoldem, "limit_holdem-v0", limit_holdem, settings)


@show_arguments_of(limit_holdem, CommonSettings)
def raw_env(**settings: Unpack[Settings]) -> GameAEC:
    """Return the environment whose `step` raises IllegalActionError for illegal actions; arguments as for `env`."""
    return build_env(RawLimitHoldem, "limit_holdem-v0", limit_holdem, settings)
