"""The encoders of hold'em by name."""

from __future__ import annotations

from card_envs.games.holdem.encoders.bits import BITS
from card_envs.games.holdem.encoders.default import DEFAULT
from card_envs.games.holdem.encoders.equity import EQUITY
from card_envs.games.holdem.encoders.kaminsky404 import KAMINSKY404
from card_envs.games.holdem.encoders.rlcard import RLCARD
from card_envs.games.holdem.encoders.shi2022 import SHI2022
from card_envs.observation import Encoder

ENCODERS: dict[str, Encoder] = {
    encoder.name: encoder for encoder in (DEFAULT, BITS, EQUITY, KAMINSKY404, RLCARD, SHI2022)
}
