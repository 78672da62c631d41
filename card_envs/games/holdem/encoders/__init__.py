"""Encoders of hold'em by name: one file each, one line here."""

from __future__ import annotations

from card_envs.games.holdem.encoders.default import DEFAULT
from card_envs.observation import Encoder

ENCODERS: dict[str, Encoder] = {encoder.name: encoder for encoder in (DEFAULT,)}
