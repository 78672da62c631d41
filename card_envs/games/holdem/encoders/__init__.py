"""The encoders of hold'em by name."""

from __future__ import annotations

from card_envs.observation import Encoders

ENCODERS = Encoders(
    "holdem",
    {
        "default": "card_envs.games.holdem.encoders.default:DEFAULT",
        "bits": "card_envs.games.holdem.encoders.bits:BITS",
        "equity": "card_envs.games.holdem.encoders.equity:EQUITY",
        "rlcard": "card_envs.games.holdem.encoders.rlcard:RLCARD",
    },
)
