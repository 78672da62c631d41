"""The command `card-envs`."""

from card_baselines.cli.forms import COMMANDS
from card_baselines.cli.main import main

__all__ = ["COMMANDS", "main"]
