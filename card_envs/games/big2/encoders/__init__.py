"""The encoders of Big 2 by name."""

from __future__ import annotations

from card_envs.games.big2.encoders.charlesworth412 import CHARLESWORTH412
from card_envs.games.big2.encoders.clean import CLEAN
from card_envs.observation import Encoder

ENCODERS: dict[str, Encoder] = {encoder.name: encoder for encoder in (CHARLESWORTH412, CLEAN)}
