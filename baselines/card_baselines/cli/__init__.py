"""The command `card-envs`."""

from card_baselines.cli.main import COMMANDS, main

__all__ = ["COMMANDS", "main"]
