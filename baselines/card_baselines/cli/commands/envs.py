"""`card-envs envs`: the environments."""

from __future__ import annotations

from card_baselines.cli.console import print_envs, print_json
from card_baselines.cli.listing import list_envs
from card_baselines.cli.options import AsJson


def envs(as_json: AsJson = False) -> int:
    """List the environments with their spaces, encoders and rules; --json adds all settings."""
    reports = list_envs()
    print_json(reports) if as_json else print_envs(reports)
    return 0
