"""`flop_holdem-v0`: limit hold'em that ends on the flop, as a PettingZoo AEC environment.

Everybody gets two cards, after blinds of 50 and 100. There is a betting round before the flop (three board cards) and
one after it. A bet or raise adds 100, and there are at most three raises a round. The best five cards win the pot, or
whoever is left when all others have folded.

Actions: 0 folds, 1 checks or calls, 2 bets or raises. Rewards: big blinds won, when the hand is over.
"""

from __future__ import annotations

from typing import Unpack

from card_envs.aec import CommonSettings, GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.game_factory import build_env
from card_envs.games.holdem.presets import FlopHoldemSettings, flop_holdem
from card_envs.signatures import show_arguments_of

__all__ = ["env", "raw_env"]


class FlopHoldem(ConventionalAEC):
    __doc__ = __doc__


class RawFlopHoldem(GameAEC):
    __doc__ = __doc__


class Settings(FlopHoldemSettings, CommonSettings, total=False):
    """Arguments of the environment."""


@show_arguments_of(flop_holdem, CommonSettings)
def env(**settings: Unpack[Settings]) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode; see `make_env`."""
    return build_env(FlopHoldem, "flop_holdem-v0", flop_holdem, settings)


@show_arguments_of(flop_holdem, CommonSettings)
def raw_env(**settings: Unpack[Settings]) -> GameAEC:
    """Return the environment whose `step` raises IllegalActionError for illegal actions; arguments as for `env`."""
    return build_env(RawFlopHoldem, "flop_holdem-v0", flop_holdem, settings)
