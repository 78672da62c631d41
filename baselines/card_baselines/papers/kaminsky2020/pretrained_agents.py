"""The trained players of Kaminsky and Liebendörfer (2020) that come with the package: ours, by the thesis's recipe.

Of each type the clone with the highest median of winnings against all others of a league at the scale `short`; where
each comes from stands in its config.json.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from card_baselines.papers.kaminsky2020.players import Kaminsky2020Agent
from card_envs.game import Game

PRETRAINED = Path(__file__).parent / "pretrained"


class _Pretrained(Kaminsky2020Agent):
    """A clone that comes with the package."""

    folder: ClassVar[str]

    def __init__(self, game: Game) -> None:
        super().__init__(PRETRAINED / self.folder, game, f"kaminsky_{self.folder}")


class KaminskyQlearn8(_Pretrained):
    """Qlearn-8: calls, or raises to one of seven amounts."""

    folder = "qlearn8"


class KaminskyQlearnAll(_Pretrained):
    """Qlearn-All: calls, or raises to any amount."""

    folder = "qlearn_all"


class KaminskySacLow(_Pretrained):
    """SAC-Low: a soft actor-critic of temperature 0.0005."""

    folder = "sac_low"


class KaminskySacHigh(_Pretrained):
    """SAC-High: a soft actor-critic of temperature 0.01."""

    folder = "sac_high"
