"""The OpenEnv server of one game, chosen by environment variables: see README.md beside this folder."""

from __future__ import annotations

import os

from card_baselines.settings import parse_settings
from card_wrappers.openenv import make_app

app = make_app(
    os.environ.get("CARD_ENVS_GAME", "no_limit_holdem-v0"),
    opponents=os.environ.get("CARD_ENVS_OPPONENTS", "chen").split(),
    hosts=("*",),  # the proxy in front of the container decides
    form=os.environ.get("CARD_ENVS_FORM", "verbose"),
    **parse_settings(os.environ.get("CARD_ENVS_SETTINGS", "").split()),
)
