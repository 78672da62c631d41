"""The encoders of Big 2 by name."""

from __future__ import annotations

from card_envs.observation import Encoders

ENCODERS = Encoders(
    "big2",
    {
        "charlesworth412": "card_envs.games.big2.encoders.charlesworth412:CHARLESWORTH412",
        "clean": "card_envs.games.big2.encoders.clean:CLEAN",
    },
)
