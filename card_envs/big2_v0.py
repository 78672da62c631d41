"""`big2-v0`: Big 2 for four seats, as a PettingZoo AEC environment.

Everybody gets 13 cards; ranks, lowest first, are 3 4 ... K A 2, suits diamonds, clubs, hearts, spades. The holder of
3D leads it. In turn, a seat plays a higher combination of as many cards as the last one (single, pair, triple, two
pair or four of a kind, poker hands of five), or passes; after three passes, the last player leads anything. The first
seat without cards wins.

Actions: sets of positions in the hand, 1694 passes. Rewards: points that the others pay for the cards they hold, at
the end.
"""

from __future__ import annotations

from typing import Unpack

from card_envs.aec import CommonSettings, GameAEC
from card_envs.conventional_aec import ConventionalAEC
from card_envs.game_factory import build_env
from card_envs.games.big2.presets import Big2Settings, big2
from card_envs.signatures import show_arguments_of

__all__ = ["env", "raw_env"]


class Big2(ConventionalAEC):
    __doc__ = __doc__


class RawBig2(GameAEC):
    __doc__ = __doc__


class Settings(Big2Settings, CommonSettings, total=False):
    """Arguments of the environment."""


@show_arguments_of(big2, CommonSettings)
def env(**settings: Unpack[Settings]) -> ConventionalAEC:
    """Return the environment with PettingZoo's conventions: an illegal action ends the episode; see `make_env`."""
    return build_env(Big2, "big2-v0", big2, settings)


@show_arguments_of(big2, CommonSettings)
def raw_env(**settings: Unpack[Settings]) -> GameAEC:
    """Return the environment whose `step` raises IllegalActionError for illegal actions; arguments as for `env`."""
    return build_env(RawBig2, "big2-v0", big2, settings)
