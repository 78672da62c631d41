"""`card-envs demo`: what the README shows."""

from __future__ import annotations

from card_baselines.cli.commands.arguments import run_script

_DEMO = "card_baselines.cli.demo"


def demo(arguments: list[str]) -> int:
    """Train on heads-up limit hold'em for two minutes, then play matches against simple players."""
    return run_script(_DEMO, "demo", arguments)
