"""`card-envs envs`: what can be played."""

from __future__ import annotations

from card_baselines.cli import console
from card_baselines.cli.console import print_json
from card_baselines.cli.listing import list_envs
from card_baselines.cli.options import AsJson


def envs(as_json: AsJson = False) -> int:
    """List the environments with their spaces, encoders and rules profiles.

    Args:
        as_json: Print JSON, with all settings and their defaults.
    """
    reports = list_envs()
    print_json(reports) if as_json else console.print_envs(reports)
    return 0
